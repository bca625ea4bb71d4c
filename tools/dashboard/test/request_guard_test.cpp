// Requests that a hostile page, a rebound name or a guesser of tokens would send.
#include "tools/dashboard/request_guard.hpp"

#include <gtest/gtest.h>

#include "models/base/errors.hpp"
#include "tools/dashboard/test/fake_side.hpp"

namespace kagami::tools {
namespace {

using test::kToken;
using test::kWriter;

Access ask(std::string_view host, std::optional<std::string_view> origin, std::string_view target,
           GuardSettings settings = {}) {
  settings.token = kToken;
  return RequestGuard(std::move(settings)).check({host, origin, target, false});
}

TEST(RequestGuard, LetsLoopbackLookAndTheTokenWrite) {
  for (const char* host : {"127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"}) {
    EXPECT_EQ(ask(host, std::nullopt, "/ws"), Access::kReader) << host;
    EXPECT_EQ(ask(host, std::nullopt, kWriter), Access::kWriter) << host;
  }
  EXPECT_EQ(ask("localhost:8765", "http://localhost:8765", "/ws"), Access::kReader);
  EXPECT_EQ(ask("localhost:8765", "http://127.0.0.1:8765", kWriter), Access::kWriter);
}

TEST(RequestGuard, RefusesForeignHosts) {
  for (const char* host :
       {"", "evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:87650",
        "localhost.evil.example:8765", "127.0.0.1:8765.evil.example", "0.0.0.0:8765", "[::]:8765",
        "::1:8765", " 127.0.0.1:8765", "127.0.0.1:8765 ", "user@127.0.0.1:8765", "127.1:8765",
        "2130706433:8765", "192.168.0.7:8765"}) {
    EXPECT_EQ(ask(host, std::nullopt, kWriter), Access::kRefused) << host;
  }
}

TEST(RequestGuard, RefusesForeignOriginsEvenWithTheToken) {
  for (const char* origin :
       {"", "null", "http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1",
        "http://127.0.0.1:8766", "http://127.0.0.1:8765.evil.example", "http://localhost:8765/",
        "HTTP://localhost:8765", "file://", "http://evil.example/http://127.0.0.1:8765"}) {
    EXPECT_EQ(ask("127.0.0.1:8765", origin, kWriter), Access::kRefused) << origin;
  }
}

TEST(RequestGuard, TakesAnAllowedOriginCharacterByCharacter) {
  GuardSettings settings;
  settings.allowed_origins = {"https://app.example"};
  EXPECT_EQ(ask("127.0.0.1:8765", "https://app.example", kWriter, settings), Access::kWriter);
  EXPECT_EQ(ask("127.0.0.1:8765", "https://app.example:443", kWriter, settings), Access::kRefused);
  EXPECT_EQ(ask("127.0.0.1:8765", "https://app.example.evil", kWriter, settings), Access::kRefused);
}

TEST(RequestGuard, RefusesAWrongToken) {
  for (const char* token :
       {"", "0", "0123456789abcdef0123456789abcdee", "0123456789abcdef0123456789abcdef0",
        "0123456789ABCDEF0123456789ABCDEF"}) {
    EXPECT_EQ(ask("127.0.0.1:8765", std::nullopt, "/ws?token=" + std::string(token)),
              Access::kRefused)
        << token;
  }
  // the first counts; a second does not help
  EXPECT_EQ(ask("127.0.0.1:8765", std::nullopt, "/ws?token=x&token=" + kToken), Access::kRefused);
}

TEST(RequestGuard, RequiresTheTokenOnAnyOtherAddress) {
  GuardSettings settings;
  settings.address = "192.168.0.7";
  EXPECT_EQ(ask("192.168.0.7:8765", std::nullopt, "/", settings), Access::kRefused);
  EXPECT_EQ(ask("192.168.0.7:8765", std::nullopt, "/?token=" + kToken, settings), Access::kWriter);
  settings.token = kToken;
  const RequestGuard guard(settings);
  EXPECT_EQ(guard.check({"192.168.0.7:8765", std::nullopt, "/", true}), Access::kReader);
  EXPECT_EQ(guard.check({"evil.example", std::nullopt, "/", true}), Access::kRefused);
  EXPECT_EQ(ask("192.168.0.7:8765", "http://192.168.0.7:8765", kWriter, settings), Access::kWriter);
  settings.address = "fd00::7";
  EXPECT_EQ(ask("[fd00::7]:8765", std::nullopt, kWriter, settings), Access::kWriter);
}

TEST(RequestGuard, OnAllAddressesTakesAnyHostInDigitsAndNoName) {
  GuardSettings settings;
  for (const char* address : {"0.0.0.0", "::"}) {
    settings.address = address;
    for (const char* host : {"192.168.0.7:8765", "[fd00::7]:8765", "localhost:8765"}) {
      EXPECT_EQ(ask(host, std::nullopt, kWriter, settings), Access::kWriter) << host;
      EXPECT_EQ(ask(host, std::nullopt, "/ws", settings), Access::kRefused) << host;
    }
    for (const char* host : {"evil.example:8765", "192.168.0.7:8766", "192.168.0.7", "1:8765",
                             "[evil]:8765", "[]:8765", ":8765", "[fd00::7]8765", "7.evil:8765"}) {
      EXPECT_EQ(ask(host, std::nullopt, kWriter, settings), Access::kRefused) << host;
    }
  }
  settings.address = "127.0.0.2";  // not the usual one: every request needs the token
  EXPECT_EQ(ask("127.0.0.2:8765", std::nullopt, "/ws", settings), Access::kRefused);
  EXPECT_EQ(ask("127.0.0.2:8765", std::nullopt, kWriter, settings), Access::kWriter);
}

TEST(RequestGuard, DetectsLoopbackAndReadsTargets) {
  for (const char* address : {"127.0.0.1", "::1", "[::1]", "localhost", "LocalHost"}) {
    EXPECT_TRUE(is_usual_loopback(address)) << address;
  }
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "127.0.0.2", "127.evil.example", ""}) {
    EXPECT_FALSE(is_usual_loopback(address)) << address;
  }
  EXPECT_EQ(path_of("/ws?token=1?2"), "/ws");
  EXPECT_EQ(path_of("/ws"), "/ws");
  EXPECT_EQ(query_value("/ws?a=1&token=x=y&b", "token"), "x=y");
  EXPECT_EQ(query_value("/ws?mytoken=x", "token"), std::nullopt);
  EXPECT_EQ(query_value("/ws?token", "token"), std::nullopt);
  EXPECT_EQ(query_value("/ws", "token"), std::nullopt);
}

TEST(RequestGuard, MakesTokensOf128Bits) {
  const std::string one = new_token();
  EXPECT_EQ(one.size(), 32u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, new_token());
  EXPECT_TRUE(same_secret(one, one));
  EXPECT_FALSE(same_secret("", one));
  EXPECT_THROW(RequestGuard(GuardSettings{}), ConfigError);
}

}  // namespace
}  // namespace kagami::tools
