#include "tools/analysis/record_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/time.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

constexpr double kLongestStep = 1.0;          // s between rows; more is a clock that was set
constexpr double kMoved = to_rad(10.0);       // of the model; a reading that stays is odd then
constexpr double kStuckTime = 1.0;            // s
constexpr std::uint64_t kStuckReadings = 20;  // so few may be chance

}  // namespace

RecordCheck::RecordCheck(const RobotWiring& wiring)
    : wiring_(wiring), joints_(wiring.joints.size()) {
  sampled_ns_.fill(-1);
}

double RecordCheck::seconds_of(std::int64_t at_ns) const {
  return seconds(at_ns - first_ns_);
}

void RecordCheck::add(const CycleRecord& row) {
  if (rows_ == 0) {
    first_ns_ = row.in.now_ns;
  } else {
    check_time(row.in);
  }
  const bool is_later = rows_ == 0 || row.in.now_ns > last_ns_;
  ++rows_;
  last_tick_ = row.in.tick;
  last_ns_ = std::max(last_ns_, row.in.now_ns);
  if (!is_later) return;
  const bool is_changed = row.in.tuning_is_new && row.in.tuning.num_values > 0 &&
                          row.out.tuning_version == row.in.tuning.version;
  if ((is_changed || row.in.handover_id > 0) && row.out.phase == Phase::kPlaying) {
    changed_s_.push_back(seconds_of(row.in.now_ns));
  }
  check_readings(row);
}

void RecordCheck::check_time(const runtime::CycleInput& in) {
  if (in.now_ns <= last_ns_) {
    ++set_back_;
    return;
  }
  const double step = seconds(in.now_ns - last_ns_);
  const std::int64_t ticks = in.tick - last_tick_;
  if (ticks > 1) {
    ++gaps_;
    missing_ += static_cast<std::uint64_t>(ticks - 1);
  }
  if (ticks <= 1 && step > kLongestStep && !jump_at_) {
    jump_at_ = seconds_of(last_ns_);
    jump_ = step;
  }
}

// a rest is odd where the model moves; the longest way of the model counts
void RecordCheck::end_rest(Joint& joint, double now_s) const {
  const double travel = joint.high - joint.low;
  if (now_s - joint.since_s < kStuckTime || travel < joint.stuck_travel) return;
  joint.stuck_from = joint.since_s;
  joint.stuck_until = now_s;
  joint.stuck_travel = travel;
  joint.stuck_at = joint.reading;
}

void RecordCheck::check_readings(const CycleRecord& row) {
  const Phase phase = row.out.phase;
  if (phase == Phase::kReleased || phase == Phase::kReleasing) return;
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    if (!row.in.sample_is_new || !reading.is_new || reading.sampled_ns <= sampled_ns_[b]) continue;
    sampled_ns_[b] = reading.sampled_ns;
    const double now_s = seconds_of(reading.sampled_ns);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const double q = row.in.sample.angle[j];
      const double model = row.out.q_simulated[j];
      const bool is_here = wiring_.joints[j].board() == static_cast<int>(b);
      if (!is_here || !std::isfinite(q) || !std::isfinite(model)) continue;
      Joint& joint = joints_[j];
      const bool is_same = joint.readings > 0 && q == joint.reading;
      ++joint.readings;
      if (is_same) {
        joint.low = std::min(joint.low, model);
        joint.high = std::max(joint.high, model);
        end_rest(joint, now_s);
        continue;
      }
      joint.reading = q;
      joint.since_s = now_s;
      joint.low = joint.high = model;
    }
  }
}

std::vector<std::string> RecordCheck::findings() const {
  if (rows_ == 0) {
    return {"no samples: nothing can be compared or fitted; metadata and attachments can be read"};
  }
  std::vector<std::string> all;
  const bool any_reading = std::any_of(joints_.begin(), joints_.end(),
                                       [](const Joint& joint) { return joint.readings > 0; });
  if (!any_reading) {
    all.emplace_back(
        "no readings of the servos: nothing can be compared or fitted; commands and the model's "
        "angles can be exported");
  }
  if (jump_at_) {
    all.push_back(fmt::format(
        "the clock was set {:.1f} s forward after {:.2f} s: causes and fits use what came before",
        jump_, *jump_at_));
  }
  if (set_back_ > 0) {
    all.push_back(
        fmt::format("{} samples whose time does not rise are left out: the clock was "
                    "set back",
                    set_back_));
  }
  if (missing_ > 0) {
    all.push_back(fmt::format("{} samples are missing in {} places: nothing is compared there",
                              missing_, gaps_));
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (joint.stuck_travel < kMoved || joint.readings < kStuckReadings) continue;
    all.push_back(fmt::format(
        "{}: the reading stays at {:.0f} deg from {:.2f} to {:.2f} s while the model moves {:.0f} "
        "deg: the joint or its reading is stuck; its lag and servo cannot be fitted",
        wiring_.joints[j].joint, to_deg(joint.stuck_at), joint.stuck_from, joint.stuck_until,
        to_deg(joint.stuck_travel)));
  }
  if (!changed_s_.empty()) {
    all.push_back(fmt::format(
        "the values of the controllers changed {} at {:.2f} s: robot and model can be compared, "
        "tracking is that of several gain sets; 'kagami log changes' lists them",
        changed_s_.size() == 1 ? "once," : fmt::format("{} times, first", changed_s_.size()),
        changed_s_.front()));
  }
  return all;
}

std::vector<std::string> record_findings(const RunRecord& record) {
  RecordCheck check(record.wiring());
  record.for_each_row([&](const CycleRecord& row) { check.add(row); });
  return check.findings();
}

std::vector<std::string> pair_findings(const RunRecord& run, const RunRecord& baseline) {
  std::vector<std::string> all;
  const runtime::StringMap a =
      run.reader().metadata(runtime::kRunMetadata).value_or(runtime::StringMap{});
  const runtime::StringMap b =
      baseline.reader().metadata(runtime::kRunMetadata).value_or(runtime::StringMap{});
  const auto differ = [&](const char* key) {
    const std::string x = metadata_entry(a, key);
    const std::string y = metadata_entry(b, key);
    return !x.empty() && !y.empty() && x != y;
  };
  const std::string other = baseline.reader().path();
  const std::vector<std::string> joints = run.joint_names();
  const std::vector<std::string> theirs = baseline.joint_names();
  if (joints != theirs) {
    const auto common = std::count_if(joints.begin(), joints.end(), [&](const std::string& name) {
      return std::find(theirs.begin(), theirs.end(), name) != theirs.end();
    });
    all.push_back(other + fmt::format(": another robot: {} of {} joints are in both, and only they "
                                      "are compared",
                                      common, joints.size()));
  } else if (differ("model_hash")) {
    all.push_back(other +
                  ": another description of the robot: a change may come from masses, homes or "
                  "limits");
  }
  if (joints == theirs && differ("twin_hash")) {
    all.push_back(other + ": other servos of the model: a change may come from the model alone");
  }
  const bool is_named = !run.motion().empty() && !baseline.motion().empty();
  if (is_named && run.motion() != baseline.motion()) {
    all.push_back(other + ": another motion, " + baseline.motion() +
                  ": a change may come from the motion alone");
  }
  return all;
}

}  // namespace kagami::tools
