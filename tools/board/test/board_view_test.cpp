// kagami board --view: the page shows what another program does.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <thread>

#include "drivers/port/file_descriptor.hpp"
#include "tools/board/test/real_boards.hpp"
#include "tools/dashboard/live_topics.hpp"
#include "tools/dashboard/test/ws_client.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CommandCase;
using test::OtherProgram;
using test::TempFolder;
using test::WsClient;

/// A TCP port that nobody uses at this moment.
int free_port() {
  const drivers::FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the call takes it
  EXPECT_EQ(bind(fd.get(), place, size), 0);
  EXPECT_EQ(getsockname(fd.get(), place, &size), 0);
  return ntohs(address.sin_port);
}

/// Moves the head and waits until viewers see it; returns how many messages that took, -1 = never.
int messages_until_seen(const std::string& link, int port) {
  WsClient viewer(static_cast<std::uint16_t>(port), "/ws");
  const auto measured = std::to_string(static_cast<int>(Topic::kMeasured));
  viewer.say(R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":)" + measured + "}]}");
  OtherProgram program(link);
  EXPECT_TRUE(program.set(0, 110));
  constexpr int kMost = 500;
  for (int k = 0; k < kMost; ++k) {
    const nlohmann::json joints = viewer.receive_message(7)["joints"];
    for (const nlohmann::json& joint : joints) {
      if (joint["name"] != "head_yaw") continue;
      if (std::abs(joint["position"].get<double>()) > 0.2) return k;
    }
  }
  return -1;
}

TEST(BoardView, ShowsTheRobotThatAnotherProgramMoves) {
  const TempFolder folder;
  const std::string link = folder.file("khr1");
  const int port = free_port();
  std::atomic<int> seen{-1};
  std::atomic<bool> is_over{false};
  std::thread viewer;
  CommandCase<add_board_with_view> c;
  c.settings.seconds = [&, calls = 0]() mutable {
    if (++calls == 2) {
      viewer = std::thread([&] {
        try {
          seen = messages_until_seen(link, port);
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
        is_over = true;
      });
    }
    if (is_over.exchange(false)) std::raise(SIGINT);
    return 0.0;
  };
  ASSERT_EQ(
      c.run({"board", "--pty", link, "--view", "--view-port", std::to_string(port), "--no-open"}),
      0)
      << c.err;
  viewer.join();
  EXPECT_GE(seen, 0);
  EXPECT_NE(c.err.find("view  http://127.0.0.1:" + std::to_string(port)), std::string::npos)
      << c.err;
}

TEST(BoardView, TheProgramWithoutADashboardSaysWhatIsMissing) {
  test::CliCase c;
  EXPECT_EQ(c.run({"board", "--view", "--seconds", "0"}), 1);
  EXPECT_NE(c.err.find("kagami-board"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
