/// Who may ask: the checks of a request before it becomes an answer or a WebSocket.
///
/// A page in the user's own browser reaches 127.0.0.1, WebSockets know no same-origin policy, and
/// DNS rebinding makes a foreign page look like ours; so Host, Origin and a token are checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kagami::tools {

struct GuardSettings {
  std::string address = "127.0.0.1";  ///< that the server listens on
  std::uint16_t port = 8765;
  std::string token;                           ///< of the writers, not empty
  std::vector<std::string> allowed_origins{};  ///< by --allow-origin: "https://app.example"
};

/// The parts of a request that matter here. Borrows.
struct Request {
  std::string_view host;                     ///< header; empty: there was none
  std::optional<std::string_view> origin{};  ///< header
  std::string_view target;                   ///< "/ws?token=…"
  bool is_public = false;                    ///< the requested file holds nothing of the robot
};

enum class Access : std::uint8_t {
  kRefused,
  kReader,  ///< may look
  kWriter,  ///< may ask for the robot to move or change
};

/// Host: the address listened on, 127.0.0.1, localhost or [::1], with our port. Origin: absent, one
/// of these hosts by http, or an allowed one. A wrong token is refused; without one a request may
/// look, but only where the server listens on its usual loopback address or at what is public.
/// Compared in constant time. Where the server listens on all addresses (0.0.0.0, ::) Host may be
/// any address in digits: DNS rebinding needs a name. Any thread.
class RequestGuard {
 public:
  explicit RequestGuard(GuardSettings settings);
  [[nodiscard]] Access check(const Request& request) const;

 private:
  [[nodiscard]] bool accepts_host(std::string_view host) const;
  [[nodiscard]] bool accepts_origin(std::string_view origin) const;

  GuardSettings settings_;
};

/// 127.0.0.1, ::1 (with or without brackets) or localhost. Any other address, 127.0.0.2 too, was
/// chosen explicitly, and every request then needs the token.
bool is_usual_loopback(std::string_view address) noexcept;
/// "/ws?token=…" without what follows '?'.
std::string_view path_of(std::string_view target) noexcept;
/// The value of that key after '?', nothing where there is none. Not unescaped: tokens need none.
std::optional<std::string_view> query_value(std::string_view target, std::string_view key) noexcept;
/// Takes as long for every `given` of the same length.
bool same_secret(std::string_view given, std::string_view secret) noexcept;
/// 128 bits from the kernel's generator, as 32 hexadecimal digits. Throws PortError without one.
std::string new_token();

}  // namespace kagami::tools
