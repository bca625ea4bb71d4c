// One conformance test for every BytePort that talks to a device, on a pseudo-terminal.
#include "drivers/port/open_port.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <numeric>
#include <thread>

#include "drivers/port/list_ports.hpp"
#include "drivers/test/support/pty_pair.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

using test::MonotonicClock;
using test::PtyPair;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLong = 20'000 * kMs;  // far beyond any stall of the machine

std::string open_error(const std::string& path, PortLibrary library) {
  const MonotonicClock clock;
  try {
    open_port(path, library, clock);
  } catch (const PortError& e) {
    return e.what();
  }
  return "opened";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

class Port : public ::testing::TestWithParam<PortLibrary> {
 protected:
  std::unique_ptr<BytePort> open() { return open_port(pty_.path(), GetParam(), clock_).port; }
  [[nodiscard]] Deadline in(std::int64_t ns) const { return {clock_.now_ns() + ns}; }

  MonotonicClock clock_;
  PtyPair pty_;
};

TEST_P(Port, CarriesEveryByteValueBothWays) {
  const auto port = open();
  std::array<std::uint8_t, 256> all{};
  std::iota(all.begin(), all.end(), std::uint8_t{0});

  ASSERT_EQ(port->write(all, in(kLong)), IoStatus::kOk);
  const std::vector<std::uint8_t> far = pty_.read(all.size());
  EXPECT_TRUE(std::equal(all.begin(), all.end(), far.begin()));

  pty_.write(all);
  std::array<std::uint8_t, 256> near{};
  std::size_t received = 0;
  ASSERT_EQ(port->read(near, received, in(kLong)), IoStatus::kOk);
  EXPECT_EQ(received, all.size());
  EXPECT_EQ(near, all);
}

TEST_P(Port, PutsSplitAnswersTogether) {
  const auto port = open();
  std::array<std::uint8_t, 14> answer{};
  std::iota(answer.begin(), answer.end(), std::uint8_t{1});
  for (std::size_t cut = 0; cut <= answer.size(); ++cut) {
    SCOPED_TRACE(cut);
    pty_.write(std::span(answer).first(cut));
    std::thread far([&] { pty_.write(std::span(answer).subspan(cut)); });
    std::array<std::uint8_t, 14> near{};
    std::size_t received = 0;
    EXPECT_EQ(port->read(near, received, in(kLong)), IoStatus::kOk);
    far.join();
    EXPECT_EQ(near, answer);
  }
}

TEST_P(Port, SilenceEndsAtTheDeadlineAndTheNextReadIsWhole) {
  const auto port = open();
  std::array<std::uint8_t, 4> near{};
  std::size_t received = 9;
  const Deadline deadline = in(20 * kMs);
  EXPECT_EQ(port->read(near, received, deadline), IoStatus::kTimedOut);
  EXPECT_EQ(received, 0u);
  EXPECT_GE(clock_.now_ns(), deadline.at_ns);

  pty_.write(std::array<std::uint8_t, 4>{5, 6, 7, 8});
  EXPECT_EQ(port->read(near, received, in(kLong)), IoStatus::kOk);
  EXPECT_EQ(near, (std::array<std::uint8_t, 4>{5, 6, 7, 8}));
}

TEST_P(Port, ShortAnswerCountsTheBytesThatCame) {
  const auto port = open();
  pty_.write(std::array<std::uint8_t, 3>{1, 2, 3});
  std::array<std::uint8_t, 5> near{};
  std::size_t received = 0;
  EXPECT_EQ(port->read(near, received, in(20 * kMs)), IoStatus::kTimedOut);
  EXPECT_EQ(received, 3u);
  EXPECT_EQ(near[2], 3);
}

TEST_P(Port, ExpiredDeadlineReturnsAtOnceButBytesThatWaitCount) {
  const auto port = open();
  std::array<std::uint8_t, 2> near{};
  std::size_t received = 0;
  EXPECT_EQ(port->read(near, received, {clock_.now_ns() - 1}), IoStatus::kTimedOut);
  EXPECT_EQ(port->write(near, {clock_.now_ns() - 1}), IoStatus::kTimedOut);

  // after a stall of the machine the answer is in the buffer and the deadline long past
  pty_.write(std::array<std::uint8_t, 2>{1, 2});
  std::array<std::uint8_t, 1> first{};
  ASSERT_EQ(port->read(first, received, in(kLong)), IoStatus::kOk);  // both bytes are through
  EXPECT_EQ(port->read(first, received, {clock_.now_ns() - kLong}), IoStatus::kOk);
  EXPECT_EQ(first[0], 2);
}

TEST_P(Port, DropInputEmptiesAndCounts) {
  const auto port = open();
  pty_.write(std::array<std::uint8_t, 5>{1, 2, 3, 4, 5});
  std::array<std::uint8_t, 1> first{};
  std::size_t received = 0;
  ASSERT_EQ(port->read(first, received, in(kLong)), IoStatus::kOk);
  EXPECT_EQ(port->drop_input(), 4u);
  EXPECT_EQ(port->drop_input(), 0u);
  EXPECT_EQ(port->read(first, received, {clock_.now_ns() - 1}), IoStatus::kTimedOut);
}

TEST_P(Port, UnplugIsGoneAtOnceAndForEverAndItsDestructorIsSafe) {
  auto port = open();
  std::array<std::uint8_t, 4> bytes{};
  std::size_t received = 0;
  pty_.unplug();
  const std::int64_t before = clock_.now_ns();
  EXPECT_EQ(port->read(bytes, received, in(kLong)), IoStatus::kGone);
  EXPECT_LT(clock_.now_ns() - before, kLong / 2);
  EXPECT_EQ(port->read(bytes, received, in(kLong)), IoStatus::kGone);
  EXPECT_EQ(port->write(bytes, in(kLong)), IoStatus::kGone);
  EXPECT_EQ(port->drop_input(), 0u);
  port.reset();  // libserial 1.0.0 would end the program here
}

TEST_P(Port, UnplugIsSeenByAWriteToo) {
  const auto port = open();
  pty_.unplug();
  EXPECT_EQ(port->write(std::array<std::uint8_t, 1>{1}, in(kLong)), IoStatus::kGone);
}

TEST_P(Port, UnplugWhileWaitingEndsTheWait) {
  const auto port = open();
  std::thread far([this] { pty_.unplug(); });
  std::array<std::uint8_t, 4> bytes{};
  std::size_t received = 0;
  EXPECT_EQ(port->read(bytes, received, in(kLong)), IoStatus::kGone);
  far.join();
}

TEST_P(Port, UndetectedUnplugDestroysCleanly) {
  auto port = open();
  pty_.unplug();
  port.reset();
}

TEST_P(Port, BytesWaitingAtOpenAreDroppedWithANote) {
  pty_.write(std::array<std::uint8_t, 3>{'A', 'T', '\r'});
  const OpenedPort opened = open_port(pty_.path(), GetParam(), clock_);
  ASSERT_EQ(opened.notes.size(), 1u);
  EXPECT_TRUE(contains(opened.notes[0], "3 bytes were waiting")) << opened.notes[0];
  EXPECT_TRUE(contains(opened.notes[0], "ModemManager")) << opened.notes[0];
  std::array<std::uint8_t, 1> byte{};
  std::size_t received = 0;
  EXPECT_EQ(opened.port->read(byte, received, {clock_.now_ns()}), IoStatus::kTimedOut);
}

TEST_P(Port, MissingPortListsWhatThereIs) {
  const std::string error = open_error("/dev/ttyKAGAMI7", GetParam());
  EXPECT_TRUE(contains(error, "/dev/ttyKAGAMI7: no such port")) << error;
  EXPECT_TRUE(contains(error, "found")) << error;
}

TEST_P(Port, FileThatIsNoTerminalIsRefusedWithoutLeak) {
  const std::size_t before = open_descriptors();
  EXPECT_TRUE(contains(open_error("/dev/null", GetParam()), "not a serial port"));
  EXPECT_TRUE(contains(open_error(KAGAMI_SOURCE_DIR "/LICENSE", GetParam()), "not a serial port"));
  EXPECT_TRUE(contains(open_error("/tmp", GetParam()), "/tmp: cannot be opened"));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_P(Port, OpenCloseUnplugLoopLeaksNoDescriptor) {
  const auto loop = [this] {
    PtyPair pty;
    auto port = open_port(pty.path(), GetParam(), clock_).port;
    pty.unplug();
    port.reset();
  };
  loop();
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 10; ++i) loop();
  EXPECT_EQ(open_descriptors(), before);
}

TEST_P(Port, CanBeOpenedAgainAfterClosing) {
  open().reset();
  EXPECT_EQ(open_error(pty_.path(), GetParam()), "opened");
}

TEST_P(Port, BusyPortNamesItsHolder) {
  std::array<int, 2> ready{}, done{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(done.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(pty_.path().c_str(), O_RDWR | O_NOCTTY);
    const bool ok = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    char byte = ok ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    static_cast<void>(::read(done[0], &byte, 1));
    ::_exit(0);
  }
  char locked = 'n';
  ASSERT_EQ(::read(ready[0], &locked, 1), 1);
  ASSERT_EQ(locked, 'y');
  const std::string error = open_error(pty_.path(), GetParam());
  std::array<char, 16> name{};
  ASSERT_EQ(::prctl(PR_GET_NAME, name.data()), 0);
  const std::string holder = std::to_string(child) + " (" + name.data() + ")";
  EXPECT_TRUE(contains(error, "in use by pid " + holder)) << error;
  ASSERT_EQ(::write(done[1], "x", 1), 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
  EXPECT_EQ(open_error(pty_.path(), GetParam()), "opened");
}

TEST_P(Port, ForbiddenPortNamesGroupAndCure) {
  ASSERT_EQ(::chmod(pty_.path().c_str(), 0600), 0);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // root ignores permissions: become another user; a user takes away the own right
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(1);
    if (::getuid() != 65534 && ::chmod(pty_.path().c_str(), 0) != 0) ::_exit(1);
    const std::string error = open_error(pty_.path(), GetParam());
    if (::write(pipe[1], error.data(), error.size()) < 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string error;
  std::array<char, 512> part{};
  for (ssize_t n; (n = ::read(pipe[0], part.data(), part.size())) > 0;) {
    error.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(contains(error, "permission denied")) << error;
  EXPECT_TRUE(contains(error, "group ")) << error;
  EXPECT_TRUE(contains(error, "sudo usermod -aG ")) << error;
}

INSTANTIATE_TEST_SUITE_P(BothLibraries, Port,
                         ::testing::Values(PortLibrary::kLibserial, PortLibrary::kAsio),
                         [](const auto& p) {
                           return p.param == PortLibrary::kLibserial ? "Libserial" : "Asio";
                         });

TEST(PortLibrary, IsFoundByName) {
  EXPECT_EQ(port_library("libserial"), PortLibrary::kLibserial);
  EXPECT_EQ(port_library("asio"), PortLibrary::kAsio);
  EXPECT_THROW(port_library("qt"), ConfigError);
}

}  // namespace
}  // namespace kagami::drivers
