/// The boards as the bytes on their line show them: the sample of each tick for the shadow model.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "drivers/rcb1/turnaround.hpp"
#include "models/base/wiring.hpp"
#include "tools/board/line_decoder.hpp"

namespace kagami::tools {

/// Commands count when the request is complete, answered or not: a board acts before its answer
/// passes the line, and an answer may be lost. Times follow docs/rcb1.md, "Time". One thread.
class ObservedBoards {
 public:
  explicit ObservedBoards(const RobotWiring& wiring);

  /// The joints' angles at the start (rad, model order), before any command.
  void start(const JointArray<double>& angle, std::int64_t at_ns);
  void begin_tick(std::int64_t tick);
  void take(const LineRequest& request);
  /// What a board does by itself as after this request: the next pose of a stored motion.
  void act(const LineRequest& request);
  /// `with_reading`: the angles of an FC answer are the measured ones.
  void take(const LineAnswer& answer, bool with_reading);
  /// Angles of the joints (rad) as boards would answer them: whole degrees.
  void take_angles(const JointArray<double>& angle, std::int64_t at_ns);
  /// Bytes that passed, for the statistics of the line.
  void count(bool from_host, std::size_t bytes);

  /// Index of the board with this id; -1 = none.
  [[nodiscard]] int board_of(std::uint8_t id) const;
  [[nodiscard]] const drivers::ServoSample& sample() const { return sample_; }
  /// The present tick has a new reading.
  [[nodiscard]] bool has_reading() const { return has_reading_; }
  [[nodiscard]] std::uint32_t sequence() const { return sequence_; }

 private:
  drivers::BoardCommand& begin_command(int board, std::int64_t complete_ns);

  RobotWiring wiring_;
  drivers::rcb1::Calibration calibration_;
  drivers::ServoSample sample_;
  std::array<drivers::rcb1::Turnaround, kMaxBoards> acknowledge_;
  std::array<drivers::rcb1::Turnaround, kMaxBoards> reading_;
  bool has_reading_ = false;
  std::int64_t tick_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace kagami::tools
