#include "runtime/threads/serial_loop.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "drivers/test/support/manual_clock.hpp"
#include "runtime/threads/recording_port.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kExchangeNs = 2'000'000;

/// Uses the line for `exchanges` exchanges of 2 ms and 20 bytes each, as long as targets ask for
/// it.
class FakeLink final : public drivers::RobotLink {
 public:
  FakeLink(drivers::Clock& clock, std::uint64_t exchanges) : clock_(clock), exchanges_(exchanges) {}
  drivers::IoStatus exchange(const drivers::ServoTargets& targets, drivers::ServoSample& sample,
                             drivers::Deadline deadline) noexcept override {
    budget_ns = deadline.at_ns - clock_.now_ns();
    seen.push_back(targets.sequence);
    ++sample.round;
    if (targets.sequence == 0) return drivers::IoStatus::kOk;
    clock_.sleep_until(clock_.now_ns() + static_cast<std::int64_t>(exchanges_) * kExchangeNs);
    sample.counters.sent += exchanges_;
    sample.counters.answered += exchanges_;
    sample.counters.bytes_out += 18 * exchanges_;
    sample.counters.bytes_in += 2 * exchanges_;
    return drivers::IoStatus::kOk;
  }
  std::vector<std::uint32_t> seen;
  std::int64_t budget_ns = 0;

 private:
  drivers::Clock& clock_;
  std::uint64_t exchanges_;
};

drivers::ServoTargets command(std::uint32_t sequence) {
  drivers::ServoTargets targets{};
  targets.sequence = sequence;
  return targets;
}

TEST(SerialLoop, TakesTheNewestTargetsAndPublishesEachSample) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  RunState state;
  FakeLink link(clock, 4);
  SerialLoop loop(link, 2, *channels, clock, state);
  channels->targets.publish(command(1));
  channels->targets.publish(command(2));
  loop.round();
  loop.round();
  EXPECT_EQ(link.seen, (std::vector<std::uint32_t>{2, 2}));
  EXPECT_EQ(link.budget_ns, SerialLoop::kRoundBudgetNs);
  drivers::ServoSample sample{};
  ASSERT_TRUE(channels->sample.fetch(sample));
  EXPECT_EQ(sample.round, 2u);
}

TEST(SerialLoop, SleepsWhenTheLineHasNothingToDo) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  RunState state;
  FakeLink link(clock, 4);
  SerialLoop loop(link, 2, *channels, clock, state);
  loop.round();
  EXPECT_EQ(clock.now_ns(), SerialLoop::kIdleNs);
  EXPECT_EQ(loop.busy().rounds, 0u);
}

TEST(SerialLoop, AccountsCompleteRoundsApartFromShorterOnes) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  RunState state;
  FakeLink complete(clock, 4);
  SerialLoop loop(complete, 2, *channels, clock, state);
  channels->targets.publish(command(1));
  loop.round();
  EXPECT_EQ(loop.full().rounds, 1u);
  EXPECT_EQ(loop.full().ns, 4 * kExchangeNs);
  EXPECT_EQ(loop.full().moved.bytes_out, 72u);
  EXPECT_EQ(loop.full().moved.bytes_in, 8u);

  FakeLink half(clock, 2);
  SerialLoop shorter(half, 2, *channels, clock, state);
  channels->targets.publish(command(2));
  shorter.round();
  EXPECT_EQ(shorter.busy().rounds, 1u);
  EXPECT_EQ(shorter.full().rounds, 0u);
}

TEST(SerialLoop, EndsAfterOneWholeRoundOnceTheCycleIsAtRest) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  RunState state;
  FakeLink link(clock, 4);
  SerialLoop loop(link, 2, *channels, clock, state);
  loop.round();
  EXPECT_FALSE(state.line_is_done());
  state.rest();
  loop.round();
  ASSERT_TRUE(state.line_is_done());
  loop.run();
  EXPECT_EQ(link.seen.size(), 2u);  // nothing more goes out
}

/// Answers every read with 1, 2, 3, ... and takes 1 ms for it.
class FakePort final : public drivers::BytePort {
 public:
  explicit FakePort(drivers::Clock& clock) : clock_(clock) {}
  drivers::IoStatus write(std::span<const std::uint8_t> /*bytes*/,
                          drivers::Deadline /*deadline*/) noexcept override {
    clock_.sleep_until(clock_.now_ns() + 1'000'000);
    return drivers::IoStatus::kOk;
  }
  drivers::IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                         drivers::Deadline /*deadline*/) noexcept override {
    clock_.sleep_until(clock_.now_ns() + 1'000'000);
    received = std::min(bytes.size(), available);
    std::iota(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(received),
              std::uint8_t{1});
    return received == bytes.size() ? drivers::IoStatus::kOk : drivers::IoStatus::kTimedOut;
  }
  std::size_t drop_input() noexcept override { return 5; }
  std::size_t available = 100;

 private:
  drivers::Clock& clock_;
};

TEST(RecordingPort, NotesWritesBeforeAndReadsAfterTheyHappen) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  FakePort inner(clock);
  RecordingPort port(inner, clock, *channels);
  const std::array<std::uint8_t, 3> request{0xFC, 0, 0x7C};
  std::array<std::uint8_t, 2> answer{};
  std::size_t received = 0;
  EXPECT_EQ(port.write(request, {}), drivers::IoStatus::kOk);
  EXPECT_EQ(port.read(answer, received, {}), drivers::IoStatus::kOk);
  EXPECT_EQ(port.drop_input(), 5u);

  LineFrame frame;
  ASSERT_TRUE(channels->line.pop(frame));
  EXPECT_TRUE(frame.outgoing);
  EXPECT_EQ(frame.at_ns, 0);
  EXPECT_EQ(frame.size, 3);
  EXPECT_EQ(frame.bytes[0], 0xFC);
  ASSERT_TRUE(channels->line.pop(frame));
  EXPECT_FALSE(frame.outgoing);
  EXPECT_EQ(frame.at_ns, 2'000'000);
  EXPECT_EQ(frame.size, 2);
  EXPECT_EQ(frame.bytes[1], 2);
  EXPECT_FALSE(channels->line.pop(frame));
}

TEST(RecordingPort, NotesTheBytesOfAReadThatTimedOutAndNothingForNone) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  FakePort inner(clock);
  RecordingPort port(inner, clock, *channels);
  std::array<std::uint8_t, 4> answer{};
  std::size_t received = 0;
  inner.available = 1;
  EXPECT_EQ(port.read(answer, received, {}), drivers::IoStatus::kTimedOut);
  inner.available = 0;
  EXPECT_EQ(port.read(answer, received, {}), drivers::IoStatus::kTimedOut);
  LineFrame frame;
  ASSERT_TRUE(channels->line.pop(frame));
  EXPECT_EQ(frame.size, 1);
  EXPECT_FALSE(channels->line.pop(frame));
}

TEST(RecordingPort, SplitsLongFramesAndCountsWhatTheFullQueueDrops) {
  test::ManualClock clock;
  const auto channels = std::make_unique<ThreadChannels>();
  FakePort inner(clock);
  RecordingPort port(inner, clock, *channels);
  std::array<std::uint8_t, 50> bytes{};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  EXPECT_EQ(port.write(bytes, {}), drivers::IoStatus::kOk);
  std::vector<std::uint8_t> seen;
  LineFrame frame;
  while (channels->line.pop(frame)) {
    seen.insert(seen.end(), frame.bytes.begin(), frame.bytes.begin() + frame.size);
  }
  EXPECT_EQ(seen, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));

  const std::array<std::uint8_t, 1> one{7};
  for (std::size_t i = 0; i < kLineCapacity + 10; ++i) {
    EXPECT_EQ(port.write(one, {}), drivers::IoStatus::kOk);
  }
  EXPECT_EQ(port.lost_frames(), 10u);
}

}  // namespace
}  // namespace kagami::runtime
