// kagami board --view: the page shows what another program does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

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

/// A TCP port of 127.0.0.1 that was free and is held now.
class HeldPort {
 public:
  HeldPort() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the call takes it
    EXPECT_EQ(bind(fd_.get(), place, size), 0);
    EXPECT_EQ(listen(fd_.get(), 1), 0);
    EXPECT_EQ(getsockname(fd_.get(), place, &size), 0);
    port = ntohs(address.sin_port);
  }

  int port = 0;

 private:
  drivers::FileDescriptor fd_;
};

/// A TCP port that is free at this moment.
int free_port() {
  return HeldPort().port;
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

/// Sockets of this process that are bound to this TCP port, and those of them that a program which
/// it starts would inherit.
std::pair<int, int> sockets_of(int port) {
  std::pair<int, int> found{0, 0};
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename().string());
    sockaddr_in6 address{};
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the call takes it
    if (getsockname(fd, place, &size) != 0) continue;
    const bool is_ip = address.sin6_family == AF_INET || address.sin6_family == AF_INET6;
    if (!is_ip || ntohs(address.sin6_port) != port) continue;  // the same place in both families
    ++found.first;
    if ((fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) ++found.second;  // NOLINT(*-vararg)
  }
  return found;
}

TEST(BoardView, AProgramDoesNotInheritItsSockets) {
  const int port = free_port();
  std::pair<int, int> sockets;
  CommandCase<add_board_with_view> c;
  c.settings.seconds = [&, calls = 0]() mutable {
    if (++calls == 2) {
      const WsClient viewer(static_cast<std::uint16_t>(port), "/ws");
      sockets = sockets_of(port);
      std::raise(SIGINT);
    }
    return 0.0;
  };
  ASSERT_EQ(c.run({"board", "--view", "--view-port", std::to_string(port), "--no-open"}), 0)
      << c.err;
  EXPECT_GE(sockets.first, 2) << "one that listens, one of the viewer";
  EXPECT_EQ(sockets.second, 0);
}

TEST(BoardView, APortThatIsTakenIsAnErrorWithItsOption) {
  const HeldPort held;
  CommandCase<add_board_with_view> c;
  EXPECT_EQ(c.run({"board", "--view", "--view-port", std::to_string(held.port), "--no-open"}), 1);
  EXPECT_NE(c.err.find("by --view-port"), std::string::npos) << c.err;
}

TEST(BoardView, TheProgramWithoutADashboardSaysWhatIsMissing) {
  test::CliCase c;
  EXPECT_EQ(c.run({"board", "--view", "--seconds", "0"}), 1);
  EXPECT_NE(c.err.find("kagami-board"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
