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

Topic live_topic(runtime::RowTopic topic) {
  switch (topic) {
    case runtime::RowTopic::kReference:
      return Topic::kReference;
    case runtime::RowTopic::kSimulated:
      return Topic::kSimulated;
    case runtime::RowTopic::kTransforms:
      return Topic::kTf;
    case runtime::RowTopic::kCommanded:
      return Topic::kCommanded;
    case runtime::RowTopic::kMeasured:
      return Topic::kMeasured;
    case runtime::RowTopic::kResidual:
      return Topic::kResidual;
    case runtime::RowTopic::kEvents:
      break;
  }
  return Topic::kEvents;
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

RowStream::RowStream(const models::RobotDescription& robot, const runtime::LiveGains& gains,
                     Publish publish, PublishGains publish_gains)
    : gains_(gains),
      publish_(std::move(publish)),
      publish_gains_(std::move(publish_gains)),
      messages_(robot,
                [this](runtime::RowTopic topic, std::uint64_t time_ns, std::string_view json) {
                  publish_(live_topic(topic), time_ns, std::string(json));
                }),
      measured_frames_(robot.model),
      balance_(robot) {
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
  if (curves_pace_.due(row.in.now_ns, kCurvesPeriodNs)) curves(row);
  if (!balance_.is_floating() || !balance_pace_.due(row.in.now_ns, kBalancePeriodNs)) return;
  publish_(Topic::kBalance, now_, balance_.text(row, now_));
}

void RowStream::curves(const CycleRecord& row) {
  messages_.curves(row.out, now_);
  if (row.out.controller >= 0) {
    const std::span<const std::string> names = messages_.joint_names();
    publish_(Topic::kLoop, now_,
             std::string(
                 json_.joint_states({.time_ns = now_,
                                     .names = names,
                                     .position = std::span(row.out.q_loop).first(names.size())})));
  }
  const auto placed = measured_frames_.place(row.in.sample.angle, row.out.base);
  std::vector<runtime::FrameTransformView> measured(placed.begin(), placed.end());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i].parent = measured_names_[2 * i];
    measured[i].child = measured_names_[2 * i + 1];
  }
  publish_(Topic::kTfMeasured, now_, std::string(json_.frame_transforms(now_, measured)));
}

void RowStream::whole(const CycleRecord& row) {
  runtime::write_cycle_cdr(row, static_cast<int>(messages_.joint_names().size()), cdr_);
  std::string payload(cdr_.size(), '\0');
  std::transform(cdr_.begin(), cdr_.end(), payload.begin(),
                 [](std::byte b) { return static_cast<char>(b); });
  publish_(Topic::kCycle, now_, std::move(payload));
}

void RowStream::readings(const CycleRecord& row) {
  for (std::size_t b = 0; b < kMaxBoards; ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    // rows come thinned out: the newest reading counts, whichever row brought it
    if (reading.sampled_ns < 0) continue;
    if (!board_pace_[b].due(reading.sampled_ns, kBoardPeriodNs)) continue;
    const std::uint64_t sampled = wall_.at(reading.sampled_ns);
    messages_.measured(row.in.sample.angle, b, sampled);
    if (row.out.phase == runtime::Phase::kWaiting) continue;
    // the cycle keeps a residual until the next reading of that board
    messages_.residual(row.out, b, sampled);
  }
}

void RowStream::events(const CycleRecord& row) {
  if (row.out.num_events == 0) return;
  const runtime::EventNames names = gains_.event_names();
  for (std::int32_t i = 0; i < row.out.num_events; ++i) {
    messages_.event(row.out.events[static_cast<std::size_t>(i)], names, now_);
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
