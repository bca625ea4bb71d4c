/// Commands of another program beyond the soft limits of the joints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/rcb1/calibration.hpp"
#include "drivers/rcb1/protocol.hpp"
#include "models/base/wiring.hpp"

namespace kagami::tools {

/// All commands of one joint beyond a soft limit.
struct LimitFinding {
  std::string joint;
  std::uint64_t commands = 0;
  double worst_deg = 0.0;  ///< the angle farthest beyond
  double limit_deg = 0.0;  ///< the soft limit there
};

/// At most one sentence per joint and second, with the worst angle of that second. One thread.
class LimitWatch {
 public:
  explicit LimitWatch(const RobotWiring& wiring);

  /// Takes an FD for the board with this index, complete at `at_ns`.
  void take(int board, const drivers::rcb1::Request& request, std::int64_t at_ns);
  /// Sentences that are due by `now_ns`; at the end, all that are left.
  std::vector<std::string> due(std::int64_t now_ns, bool at_end = false);
  /// Joints with a finding, in model order.
  [[nodiscard]] std::vector<LimitFinding> findings() const;

 private:
  struct Watched {
    LimitFinding all;
    std::optional<double> worst_deg;  // since the last sentence
    double limit_deg = 0.0;
    std::int64_t since_ns = 0;
  };

  RobotWiring wiring_;
  drivers::rcb1::Calibration calibration_;
  std::vector<Watched> joints_;
};

}  // namespace kagami::tools
