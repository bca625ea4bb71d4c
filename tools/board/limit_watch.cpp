#include "tools/board/limit_watch.hpp"

#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kSentenceNs = 1'000'000'000;
constexpr double kRoundingDeg = 1e-6;  // a whole degree at the limit itself

bool is_farther(double angle, double than, double limit) {
  return std::abs(angle - limit) > std::abs(than - limit);
}

}  // namespace

LimitWatch::LimitWatch(const RobotWiring& wiring) : wiring_(wiring), calibration_(wiring) {
  for (const JointWiring& joint : wiring_.joints) {
    Watched watched;
    watched.all.joint = joint.joint;
    joints_.push_back(watched);
  }
}

void LimitWatch::take(int board, const drivers::rcb1::Request& request, std::int64_t at_ns) {
  if (board < 0 || board >= calibration_.num_boards()) return;
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = calibration_.joint_at(board, slot);
    const std::uint8_t count = request.counts[idx(slot)];
    if (joint < 0 || count > drivers::rcb1::kMaxCount) continue;
    const JointWiring& wiring = wiring_.joints[idx(joint)];
    const double angle = to_deg(calibration_.to_angle(joint, count));
    const double low = to_deg(wiring.soft_min);
    const double high = to_deg(wiring.soft_max);
    if (angle >= low - kRoundingDeg && angle <= high + kRoundingDeg) continue;
    const double limit = angle < low ? low : high;
    Watched& watched = joints_[idx(joint)];
    if (watched.all.commands++ == 0 || is_farther(angle, watched.all.worst_deg, limit)) {
      watched.all.worst_deg = angle;
      watched.all.limit_deg = limit;
    }
    if (!watched.worst_deg) watched.since_ns = at_ns;
    if (!watched.worst_deg || is_farther(angle, *watched.worst_deg, limit)) {
      watched.worst_deg = angle;
      watched.limit_deg = limit;
    }
  }
}

std::vector<std::string> LimitWatch::due(std::int64_t now_ns, bool at_end) {
  std::vector<std::string> sentences;
  for (Watched& watched : joints_) {
    if (!watched.worst_deg || (!at_end && now_ns - watched.since_ns < kSentenceNs)) continue;
    sentences.push_back(watched.all.joint + ": the program commands " +
                        fixed(*watched.worst_deg, 0) + " deg, beyond the soft limit of " +
                        fixed(watched.limit_deg, 0) + " deg; it was sent as it is");
    watched.worst_deg.reset();
  }
  return sentences;
}

std::vector<LimitFinding> LimitWatch::findings() const {
  std::vector<LimitFinding> found;
  for (const Watched& watched : joints_) {
    if (watched.all.commands > 0) found.push_back(watched.all);
  }
  return found;
}

}  // namespace kagami::tools
