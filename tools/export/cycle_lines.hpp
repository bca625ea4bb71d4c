/// The rows of a run as lines of a table, each reading and command in the line of the tick at which
/// it was taken or received.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {

/// One tick; NaN = no value. Angles in rad, joints in model order.
struct CycleLine {
  std::int64_t at_ns = 0;  ///< of the run's clock
  double t = 0.0;          ///< s since the first row
  runtime::Phase phase = runtime::Phase::kWaiting;
  double motion_time = 0.0;  ///< s
  JointArray<double> reference{};
  JointArray<double> commanded{};
  JointArray<double> simulated{};
  JointArray<double> measured{};
  JointArray<double> residual{};  ///< simulated minus measured, aligned, the cycle's own
  JointArray<double> torque{};    ///< N m, of the shadow model
  JointArray<double> received{};  ///< what the board received, by home and sign
  std::array<double, kMaxBoards> speed_code{};  ///< with it, per board
};

/// Takes rows in their order and passes on lines with strictly rising time. A reading is in the
/// line of the tick nearest to when it was taken, not to when it arrived, and a command in that of
/// the tick nearest to when the board received it; the other lines have NaN there.
class CycleLines {
 public:
  CycleLines(const RobotWiring& wiring, std::function<void(const CycleLine&)> pass_on);

  /// False: the row was left out, because the clock did not advance.
  bool add(const runtime::CycleRecord& row);
  /// Passes on the lines that wait for late readings.
  void finish();

  /// Rows left out because the clock did not advance.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  [[nodiscard]] CycleLine& nearest_line(std::int64_t at_ns);
  void place_commands(const drivers::ServoSample& sample);
  void place_readings(const runtime::CycleRecord& row);

  RobotWiring wiring_;
  std::function<void(const CycleLine&)> pass_on_;
  std::vector<int> board_;  // per joint
  std::deque<CycleLine> waiting_;
  std::optional<std::int64_t> first_ns_;
  std::array<drivers::BoardCommand, kMaxBoards> command_{};
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace kagami::tools
