// Order and content of real bytes on a pseudo-terminal; times are tested in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::Bytes;
using test::with_sum;
namespace fs = std::filesystem;

class MonotonicClock final : public Clock {
 public:
  std::atomic<std::int64_t> ahead_ns{0};
  [[nodiscard]] std::int64_t now_ns() const noexcept override {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec + ahead_ns;
  }
  void sleep_until(std::int64_t at_ns) noexcept override {
    const timespec t{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
  }
};

/// A robot on a pty with its thread.
struct Board {
  explicit Board(const fs::path& link = {}) : server(robot, clock, link) {
    thread = std::thread([this] { server.serve(stop); });
  }
  ~Board() { end(); }
  void end() {
    stop = true;
    if (thread.joinable()) thread.join();
  }

  VirtualRobot robot{test::quick_config()};
  MonotonicClock clock;
  PtyServer server;
  std::atomic<bool> stop{false};
  std::thread thread;
};

/// A program that is independent of kagami.
struct Program {
  explicit Program(const std::string& path)
      : fd(::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)) {}
  ~Program() { ::close(fd); }
  Bytes exchange(const Bytes& request, std::size_t count) const {
    EXPECT_EQ(::write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
    Bytes reply;
    pollfd item{fd, POLLIN, 0};
    while (reply.size() < count && ::poll(&item, 1, 20'000) > 0) {
      Bytes part(count - reply.size());
      const ssize_t n = ::read(fd, part.data(), part.size());
      if (n <= 0) break;
      reply.insert(reply.end(), part.begin(), part.begin() + n);
    }
    return reply;
  }
  int fd;
};

fs::path temporary(const std::string& name) {
  return fs::temp_directory_path() / ("kagami_pty_" + std::to_string(::getpid()) + "_" + name);
}

TEST(PtyServer, AnswersRawBytesInOrder) {
  const Board board;
  const Program program(board.server.path());
  // 0x11 and 0x13 would be flow control, 0x0D a line end, 0x03 an interrupt in a cooked terminal
  const Bytes pose = {0xF9, 0x00, 0x03, 0x0D, 2,    0x11, 0x13, 0x0A, 0x0D,
                      0x03, 0x04, 0x1A, 0x1C, 0x7F, 0x08, 0x15, 0x00};
  EXPECT_EQ(program.exchange(with_sum(pose), 2), (Bytes{0x00, 0x06}));
  Bytes stored = {0x00};
  stored.insert(stored.end(), pose.begin() + 4, pose.end());
  EXPECT_EQ(program.exchange(with_sum({0xF8, 0x00, 0x03, 0x0D}), 15), with_sum(stored));
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(program.exchange(with_sum({0xFA, 0x01}), 14)[1], 0x58);
  }
}

TEST(PtyServer, SurvivesHostsThatComeAndGo) {
  const Board board;
  for (int k = 0; k < 5; ++k) {
    const Program program(board.server.path());
    EXPECT_EQ(program.exchange(with_sum({0xF0, 0x01}), 3), with_sum({0x01, 0x00})) << k;
  }
}

TEST(PtyServer, LinkLeadsToTheTerminalAndGoesWithIt) {
  const fs::path link = temporary("link");
  fs::create_symlink("/dev/pts/999999", link);  // of a run that was killed
  const fs::path neighbour = link.string() + ".new";
  std::ofstream(neighbour) << "precious";
  {
    const Board board(link);
    EXPECT_EQ(fs::read_symlink(link), board.server.path());
    const Program program(link.string());
    EXPECT_EQ(program.exchange(with_sum({0xF0, 0x00}), 3), with_sum({0x00, 0x00}));
  }
  EXPECT_FALSE(fs::exists(fs::symlink_status(link)));
  EXPECT_TRUE(fs::remove(neighbour));
}

TEST(PtyServer, AnswersAndEndsAfterAnInterruptionOfAnyLength) {
  constexpr std::int64_t kYearNs = 31'536'000'000'000'000;
  PtyCounters counters;
  {
    Board board;
    const Program program(board.server.path());
    EXPECT_EQ(program.exchange(with_sum({0xF0, 0x01}), 3).size(), 3u);
    board.clock.ahead_ns = kYearNs;
    EXPECT_EQ(program.exchange(with_sum({0xF0, 0x01}), 3).size(), 3u);
    board.end();
    counters = board.server.counters();
  }
  EXPECT_GT(counters.lost_ns, kYearNs - 2'000'000'000);
  EXPECT_EQ(counters.answers, 2u);
}

TEST(PtyServer, RefusesToReplaceAFile) {
  const fs::path file = temporary("file");
  std::ofstream(file) << "precious";
  VirtualRobot robot(test::quick_config());
  MonotonicClock clock;
  EXPECT_THROW(PtyServer(robot, clock, file), PortError);
  EXPECT_TRUE(fs::is_regular_file(file));
  EXPECT_THROW(PtyServer(robot, clock, "/nonexistent/folder/link"), PortError);
  fs::remove(file);
}

TEST(PtyServer, RefusesTheLinkOfALiveTerminal) {
  const fs::path link = temporary("live");
  const Board board(link);
  VirtualRobot robot(test::quick_config());
  MonotonicClock clock;
  try {
    const PtyServer second(robot, clock, link);
    FAIL() << "the link was taken over";
  } catch (const PortError& error) {
    EXPECT_NE(std::string(error.what()).find(board.server.path()), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(fs::read_symlink(link), board.server.path());
}

TEST(PtyServer, RefusesALinkToSomethingElse) {
  const fs::path file = temporary("precious");
  const fs::path link = temporary("link_to_a_file");
  std::ofstream(file) << "precious";
  fs::create_symlink(file, link);
  VirtualRobot robot(test::quick_config());
  MonotonicClock clock;
  EXPECT_THROW(PtyServer(robot, clock, link), PortError);
  EXPECT_EQ(fs::read_symlink(link), file);
  fs::remove(link);
  fs::remove(file);
  // also to a port that is not plugged in now
  fs::create_symlink("/dev/ttyUSB99", link);
  EXPECT_THROW(PtyServer(robot, clock, link), PortError);
  EXPECT_EQ(fs::read_symlink(link), "/dev/ttyUSB99");
  fs::remove(link);
}

TEST(PtyServer, LeavesTheLinkOfAnotherAlone) {
  const fs::path link = temporary("taken");
  {
    const Board board(link);
    fs::remove(link);
    fs::create_symlink("/dev/null", link);
  }
  EXPECT_EQ(fs::read_symlink(link), "/dev/null");
  fs::remove(link);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
