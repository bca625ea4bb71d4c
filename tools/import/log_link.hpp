/// The boards of an imported log: what they received and read, by the rows of the table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "drivers/link/samples.hpp"
#include "models/base/wiring.hpp"
#include "tools/import/servo_log.hpp"

namespace kagami::tools {

/// Fills in the sample of each tick. A board takes whole degrees. If it moves at once, the rest of
/// an angle is kept by sending the two neighbours in turn, every 4 ms, so often that their mean is
/// right. A board with ramps, which each command would begin again, gets the nearest degree.
class LogLink {
 public:
  LogLink(const RobotWiring& wiring, const ServoLogFacts& facts);

  /// The sample at the start: the first angles of the file, no command yet.
  void start(std::int64_t at_ns);
  void begin_tick();
  /// The next row; its time is `at_ns` on the run's clock.
  void take(const ServoLogRow& row, std::int64_t at_ns);
  /// Ends a tick: what came since the former one is in the sample.
  void end_tick(std::int64_t now_ns, std::int64_t tick);

  [[nodiscard]] const drivers::ServoSample& sample() const { return sample_; }
  /// The present tick has a new reading.
  [[nodiscard]] bool has_reading() const { return has_reading_; }
  [[nodiscard]] const JointArray<double>& commanded() const { return commanded_; }
  [[nodiscard]] const JointArray<double>& reference() const { return reference_; }
  [[nodiscard]] std::uint32_t sequence() const { return sequence_; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }
  [[nodiscard]] std::uint64_t crowded() const { return crowded_; }

 private:
  [[nodiscard]] bool reads(const ServoLogRow& row, std::size_t board) const;
  [[nodiscard]] bool is_between(std::size_t board) const;
  void take_readings(const ServoLogRow& row, std::int64_t at_ns);
  void send(std::size_t board, std::int64_t at_ns, std::int64_t tick);

  const RobotWiring& wiring_;
  const ServoLogFacts& facts_;
  bool keeps_mean_ = false;
  drivers::ServoSample sample_;
  JointArray<double> commanded_{};
  JointArray<double> reference_{};
  JointArray<double> carried_{};  // deg, what rounding has left
  std::array<std::uint8_t, kMaxBoards> speed_{};
  std::array<std::int64_t, kMaxBoards> commanded_ns_{};  // time of the newest command of the file
  std::array<bool, kMaxBoards> is_commanded_{};          // it has not been sent yet
  bool has_reading_ = false;
  bool was_read_ = false;  // since the last tick
  std::uint32_t sequence_ = 0;
  std::uint64_t readings_ = 0;
  std::uint64_t crowded_ = 0;
};

}  // namespace kagami::tools
