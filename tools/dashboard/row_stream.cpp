#include "tools/dashboard/row_stream.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>

#include "runtime/cycle/cycle_cdr.hpp"
#include "tools/dashboard/stamp.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleOutput;
using runtime::CycleRecord;

// a client's own rate thins this out further; the readings of each board are never thinned out
constexpr std::int64_t kCurvesPeriodNs = 15'000'000;
constexpr std::int64_t kBoardPeriodNs = 30'000'000;
constexpr std::int64_t kBalancePeriodNs = 33'000'000;
constexpr std::int64_t kBusPeriodNs = 100'000'000;
constexpr std::int64_t kCyclePeriodNs = 15'000'000;

std::span<const double> first(const JointArray<double>& values, std::size_t count) {
  return std::span(values).first(count);
}

runtime::LogLevel log_level(runtime::EventCode code) {
  switch (runtime::event_level(code)) {
    case runtime::EventLevel::kInfo:
      return runtime::LogLevel::kInfo;
    case runtime::EventLevel::kWarning:
      return runtime::LogLevel::kWarning;
    case runtime::EventLevel::kError:
      return runtime::LogLevel::kError;
  }
  return runtime::LogLevel::kUnknown;
}

}  // namespace

std::uint64_t WallTime::at(std::int64_t run_ns) noexcept {
  if (!is_known_) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    offset_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - run_ns;
    is_known_ = true;
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(run_ns + offset_ns_, 0));
}

bool RowStream::Pace::due(std::int64_t now_ns, std::int64_t period_ns) noexcept {
  if (now_ns < next_ns) return false;
  next_ns = std::max(next_ns + period_ns, now_ns + period_ns / 2);
  return true;
}

RowStream::RowStream(const models::RobotDescription& robot, const runtime::LiveGains& gains,
                     Publish publish, PublishGains publish_gains)
    : gains_(gains),
      publish_(std::move(publish)),
      publish_gains_(std::move(publish_gains)),
      joint_names_(robot.joint_names),
      twin_frames_(robot.model),
      measured_frames_(robot.model),
      balance_(robot) {
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    const auto board = static_cast<std::size_t>(robot.wiring.joints[i].board());
    names_of_board_.at(board).push_back(joint_names_.at(i));
    joints_of_board_.at(board).push_back(i);
  }
  for (const runtime::FrameTransformView& frame : measured_frames_.place({}, {})) {
    const bool is_root = frame.parent == "world";
    measured_names_.push_back((is_root ? "" : "measured/") + std::string(frame.parent));
    measured_names_.push_back("measured/" + std::string(frame.child));
  }
}

void RowStream::row(const CycleRecord& row) {
  now_ = wall_.at(row.in.now_ns);
  events(row);
  gains(row);
  readings(row);
  if (bus_pace_.due(row.in.now_ns, kBusPeriodNs)) {
    publish_(Topic::kBus, now_, bus_.text(now_, row.in.sample.counters));
  }
  if (row.out.phase == runtime::Phase::kWaiting) return;
  if (cycle_pace_.due(row.in.now_ns, kCyclePeriodNs)) whole(row);
  if (curves_pace_.due(row.in.now_ns, kCurvesPeriodNs)) {
    curves(row);
    frames(row);
  }
  if (!balance_.is_floating() || !balance_pace_.due(row.in.now_ns, kBalancePeriodNs)) return;
  publish_(Topic::kBalance, now_, balance_.text(row, now_));
}

void RowStream::states(Topic topic, const JointArray<double>& position,
                       const JointArray<double>* velocity, const JointArray<double>* effort) {
  const std::size_t n = joint_names_.size();
  runtime::JointStatesView view;
  view.time_ns = now_;
  view.names = joint_names_;
  view.position = first(position, n);
  if (velocity != nullptr) view.velocity = first(*velocity, n);
  if (effort != nullptr) view.effort = first(*effort, n);
  publish_(topic, now_, std::string(json_.joint_states(view)));
}

void RowStream::curves(const CycleRecord& row) {
  const CycleOutput& out = row.out;
  states(Topic::kReference, out.q_ref, &out.qd_ref);
  states(Topic::kSimulated, out.q_simulated, &out.qd_simulated, &out.torque_simulated);
  if (out.controller >= 0) states(Topic::kLoop, out.q_loop, nullptr);
  if (out.targets.mode == drivers::TargetMode::kPositions) {
    states(Topic::kCommanded, out.targets.angle, nullptr);
  }
}

void RowStream::whole(const CycleRecord& row) {
  runtime::write_cycle_cdr(row, static_cast<int>(joint_names_.size()), cdr_);
  std::string payload(cdr_.size(), '\0');
  std::transform(cdr_.begin(), cdr_.end(), payload.begin(),
                 [](std::byte b) { return static_cast<char>(b); });
  publish_(Topic::kCycle, now_, std::move(payload));
}

void RowStream::frames(const CycleRecord& row) {
  const auto twin = twin_frames_.place(row.out.q_simulated, row.out.base);
  publish_(Topic::kTf, now_, std::string(json_.frame_transforms(now_, twin)));
  const auto placed = measured_frames_.place(row.in.sample.angle, row.out.base);
  std::vector<runtime::FrameTransformView> measured(placed.begin(), placed.end());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i].parent = measured_names_[2 * i];
    measured[i].child = measured_names_[2 * i + 1];
  }
  publish_(Topic::kTfMeasured, now_, std::string(json_.frame_transforms(now_, measured)));
}

void RowStream::readings(const CycleRecord& row) {
  for (std::size_t b = 0; b < kMaxBoards; ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    // rows come thinned out: the newest reading counts, whichever row brought it
    if (reading.sampled_ns < 0) continue;
    if (!board_pace_[b].due(reading.sampled_ns, kBoardPeriodNs)) continue;
    const auto of_board = [&](const JointArray<double>& all) {
      std::vector<double> own;
      for (const std::size_t joint : joints_of_board_[b]) own.push_back(all[joint]);
      return own;
    };
    const std::vector<double> angle = of_board(row.in.sample.angle);
    runtime::JointStatesView view;
    view.time_ns = wall_.at(reading.sampled_ns);
    view.names = names_of_board_[b];
    view.position = angle;
    publish_(Topic::kMeasured, view.time_ns, std::string(json_.joint_states(view)));
    if (row.out.phase == runtime::Phase::kWaiting) continue;
    // the cycle keeps a residual until the next reading of that board
    const std::vector<double> residual = of_board(row.out.residual);
    const std::vector<double> naive = of_board(row.out.residual_naive);
    runtime::ResidualView difference;
    difference.time_ns = view.time_ns;
    difference.names = names_of_board_[b];
    difference.residual = residual;
    difference.residual_naive = naive;
    publish_(Topic::kResidual, view.time_ns, std::string(json_.residual(difference)));
  }
}

void RowStream::events(const CycleRecord& row) {
  for (std::int32_t i = 0; i < row.out.num_events; ++i) {
    const runtime::Event& event = row.out.events[static_cast<std::size_t>(i)];
    const std::string sentence = runtime::event_sentence(event, joint_names_);
    runtime::LogView view;
    view.time_ns = now_;
    view.level = log_level(event.code);
    view.message = sentence;
    view.name = runtime::event_name(event.code);
    publish_(Topic::kEvents, now_, std::string(json_.log(view)));
  }
}

// The first row reports what is in force: clients from before the run have no values yet.
void RowStream::gains(const CycleRecord& row) {
  if (reported_ && row.out.tuning_version == version_) return;
  const runtime::AppliedGains gains = gains_.applied();
  if (reported_ && gains.version == version_) return;  // LiveControl gets the row a moment later
  reported_ = true;
  version_ = gains.version;
  nlohmann::json values = nlohmann::json::object();
  nlohmann::json since = nlohmann::json::object();
  for (std::size_t i = 0; i < gains.values.size(); ++i) {
    values[gains.values[i].name] = gains.values[i].value;
    since[gains.values[i].name] = gains.since[i];
  }
  const nlohmann::json message = {
      {"timestamp", stamp_json(now_)}, {"tick", gains.tick},
      {"version", gains.version},      {"why", gains.version == 0 ? "start" : gains.why},
      {"values", std::move(values)},   {"since", std::move(since)}};
  publish_(Topic::kGains, now_, message.dump());
  publish_gains_(gains);
}

}  // namespace kagami::tools
