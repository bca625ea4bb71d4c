#include "tools/board/board_watch.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "runtime/app/record_header.hpp"
#include "runtime/app/run_result.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kLagNs = 15'000'000;
constexpr std::int64_t kPlantPeriodNs = 10'000'000;
constexpr std::int64_t kTicksPerDrain = 200;
constexpr std::int64_t kFrameGapNs = 1'000'000;  // a pause of that length ends a frame

runtime::RecordHeader header_of(const BoardWatchSettings& settings, const runtime::RunSetup& setup,
                                const runtime::SteadyClock& clock) {
  runtime::RunPlace place{.realtime_why = "the commands come from another program",
                          .clock_epoch_ns = clock.epoch_ns(),
                          .plant_text = settings.plant_text};
  runtime::RecordHeader header = runtime::record_header(setup, place, {});
  header.file = settings.record;
  header.replace = settings.replace_record;
  header.metadata[runtime::kImportedFrom] = settings.source;
  return header;
}

}  // namespace

BoardWatch::BoardWatch(BoardWatchSettings settings, const runtime::RunSetup& setup,
                       runtime::SteadyClock& clock, runtime::RunHooks hooks)
    : settings_(std::move(settings)),
      setup_(setup),
      clock_(clock),
      hooks_(std::move(hooks)),
      line_(std::make_unique<LineChannels>()),
      channels_(std::make_unique<runtime::ThreadChannels>()),
      decoder_([this](const LineRequest& request) { take_request(request); },
               [this](const LineAnswer& answer) {
                 boards_.take(answer, !reads_plant_);
                 plays_.take(answer);
               }),
      boards_(setup.robot.wiring),
      plays_(setup.robot.wiring, settings_.memory),
      limits_(setup.robot.wiring),
      cycle_(setup) {
  runtime::RecordHeader header = header_of(settings_, setup_, clock_);
  if (settings_.record.empty()) {
    unkept_ = std::make_unique<UnkeptRecord>();
    unkept_->redirect(header);
  }
  recorder_ = std::make_unique<runtime::Recorder>(header, setup_.robot, *channels_, clock_);
  recorder_->listen({.every = [this](const runtime::CycleRecord& row) { note_worst(row); },
                     .paced = hooks_.row,
                     .test = {},
                     .line = hooks_.line,
                     .attachment = {},
                     .names = {}});
}

BoardWatch::~BoardWatch() = default;

drivers::virtual_robot::LineListener BoardWatch::listener(
    const drivers::virtual_robot::VirtualRobot* robot) {
  reads_plant_ = robot != nullptr;
  drivers::virtual_robot::LineListener listener;
  listener.bytes = [channels = line_.get()](std::int64_t at_ns, bool from_host,
                                            std::span<const std::uint8_t> bytes) {
    channels->push(at_ns, from_host, bytes);
  };
  if (robot == nullptr) return listener;
  listener.turn = [channels = line_.get(), robot,
                   next_ns = std::int64_t{0}](std::int64_t now_ns) mutable {
    if (now_ns < next_ns) return;
    next_ns = now_ns + kPlantPeriodNs;
    static_cast<void>(channels->plant.push({robot->plant_time_ns(), robot->plant_angles()}));
  };
  return listener;
}

void BoardWatch::poll() {
  run_until(clock_.now_ns() - kLagNs);
  report();
}

void BoardWatch::begin(std::int64_t at_ns) {
  has_begun_ = true;
  begin_ns_ = at_ns;
  // the first tick only starts the model, at the pose before the first command
  boards_.start(newest_plant_ ? newest_plant_->angle : settings_.start, at_ns);
  ticks_ = 0;
  plays_.start(newest_plant_ ? newest_plant_->angle : settings_.start);
  boards_.begin_tick(0);
  tick();
}

void BoardWatch::run_until(std::int64_t until_ns) {
  const std::int64_t period_ns = setup_.cycle.period_ns;
  if (!has_begun_) {
    const bool is_due = line_->bytes.read_available() > 0 && line_->bytes.front().at_ns <= until_ns;
    take_plant(is_due ? line_->bytes.front().at_ns : until_ns);
    if (is_due) {
      begin(line_->bytes.front().at_ns - period_ns);
    } else if (settings_.begins_at_once && until_ns > period_ns &&
               (!reads_plant_ || newest_plant_)) {
      begin(until_ns - period_ns);
    } else {
      return;
    }
  }
  while (begin_ns_ + ticks_ * period_ns <= until_ns) {
    const std::int64_t now_ns = begin_ns_ + ticks_ * period_ns;
    boards_.begin_tick(ticks_);
    take_chunks(now_ns);
    take_stored(now_ns);
    take_plant(now_ns);
    if (now_ns - frame_end_ns_ > kFrameGapNs) push_frame();
    tick();
    if (ticks_ % kTicksPerDrain == 0) recorder_->drain();
  }
  recorder_->drain();
}

void BoardWatch::take_chunks(std::int64_t until_ns) {
  while (line_->bytes.read_available() > 0 && line_->bytes.front().at_ns <= until_ns) {
    const LineChunk chunk = line_->bytes.front();
    line_->bytes.pop();
    const auto bytes = std::span(chunk.bytes).first(chunk.size);
    boards_.count(chunk.from_host, bytes.size());
    if (chunk.from_host) {
      decoder_.host(chunk.at_ns, bytes);
    } else {
      decoder_.boards(chunk.at_ns, bytes);
    }
    note_frame(chunk);
  }
}

void BoardWatch::take_request(const LineRequest& request) {
  take_stored(request.complete_ns);
  boards_.take(request);
  plays_.take(request);
  note_limits(request);
}

void BoardWatch::take_stored(std::int64_t until_ns) {
  while (const auto pose = plays_.next(until_ns)) {
    boards_.act(*pose);
    note_limits(*pose);
  }
}

void BoardWatch::note_limits(const LineRequest& request) {
  if (request.request.command != drivers::rcb1::Command::kSetPositions) return;
  limits_.take(boards_.board_of(request.request.board), request.request, request.complete_ns);
}

// paced answers come byte by byte: what belongs together is one frame of the record
void BoardWatch::note_frame(const LineChunk& chunk) {
  const bool is_full = frame_.size + chunk.size > frame_.bytes.size();
  const bool is_late = chunk.at_ns - frame_end_ns_ > kFrameGapNs;
  if (frame_.size > 0 && (frame_.outgoing != chunk.from_host || is_full || is_late)) push_frame();
  if (frame_.size == 0) frame_.outgoing = chunk.from_host;
  if (frame_.size == 0 || !chunk.from_host) frame_.at_ns = chunk.at_ns;
  std::copy_n(chunk.bytes.begin(), chunk.size, frame_.bytes.begin() + frame_.size);
  frame_.size = static_cast<std::uint8_t>(frame_.size + chunk.size);
  frame_end_ns_ = chunk.at_ns;
}

void BoardWatch::push_frame() {
  if (frame_.size > 0) static_cast<void>(channels_->line.push(frame_));
  frame_ = runtime::LineFrame{};
}

void BoardWatch::take_plant(std::int64_t until_ns) {
  while (line_->plant.read_available() > 0 && line_->plant.front().at_ns <= until_ns) {
    newest_plant_ = line_->plant.front();
    line_->plant.pop();
    if (has_begun_ && newest_plant_->at_ns > begin_ns_) {
      boards_.take_angles(newest_plant_->angle, newest_plant_->at_ns);
    }
  }
}

void BoardWatch::tick() {
  const std::int64_t now_ns = begin_ns_ + ticks_ * setup_.cycle.period_ns;
  // before the first command the model holds the pose of the start
  const runtime::CycleRecord& row = cycle_.step({.tick = ticks_,
                                                 .now_ns = now_ns,
                                                 .phase = runtime::Phase::kPlaying,
                                                 .sample = boards_.sample(),
                                                 .has_reading = boards_.has_reading(),
                                                 .commanded = cycle_.commanded(),
                                                 .reference = cycle_.commanded(),
                                                 .sequence = boards_.sequence()});
  twin_base_ = row.out.base;
  twin_fell_ = row.out.fell;
  static_cast<void>(channels_->records.push(row));
  for (int e = 0; e < row.out.num_events; ++e) {
    static_cast<void>(channels_->events.push(row.out.events[idx(e)]));
  }
  ++ticks_;
}

void BoardWatch::note_worst(const runtime::CycleRecord& row) {
  for (std::size_t j = 0; j < setup_.robot.wiring.joints.size(); ++j) {
    const auto board = idx(setup_.robot.wiring.joints[j].board());
    if (!row.out.residual_is_new[board] || !std::isfinite(row.out.residual[j])) continue;
    worst_[j] = std::max(worst_[j], std::abs(row.out.residual[j]));
  }
}

void BoardWatch::report() {
  runtime::Event event;
  while (recorder_->notices.pop(event)) {
    if (hooks_.log) hooks_.log(event_sentence(event, setup_.robot.joint_names));
  }
  for (const std::string& sentence : limits_.due(clock_.now_ns())) {
    if (hooks_.log) hooks_.log(sentence);
  }
  const std::string_view cause = recorder_->first_cause();
  if (!cause.empty() && !problem_is_reported_) {
    problem_is_reported_ = true;
    if (hooks_.log) hooks_.log(cause);
  }
  runtime::Progress progress{};
  if (recorder_->progress.fetch(progress) && hooks_.progress) hooks_.progress(progress);
}

std::vector<JointGap> BoardWatch::gaps() const {
  std::vector<JointGap> gaps;
  for (int j = 0; j < recorder_->residuals().num_joints(); ++j) {
    const runtime::JointResidual& joint = recorder_->residuals().joint(j);
    if (joint.samples == 0) continue;
    gaps.push_back({.joint = setup_.robot.joint_names[idx(j)],
                    .readings = joint.samples,
                    .rms_deg = to_deg(joint.rms()),
                    .bias_deg = to_deg(joint.bias()),
                    .max_deg = to_deg(worst_[idx(j)]),
                    .rounding_deg = to_deg(joint.floor())});
  }
  return gaps;
}

std::string BoardWatch::result_text(const std::string& end_text) const {
  runtime::RunResult r;
  r.motion = setup_.motion.name;
  r.robot = setup_.config.robot;
  r.clock = "real";
  r.on = setup_.config.on == runtime::Scene::kStand ? "stand" : "floor";
  r.dynamics = models::name(setup_.config.dynamics);
  r.end_text = end_text;
  r.duration_s = seconds(ticks_ * setup_.cycle.period_ns);
  r.ticks = ticks_;
  r.realtime_why = "the commands come from another program";
  const double rms = recorder_->residuals().rms();
  if (std::isfinite(rms)) r.running_rms_deg = to_deg(rms);
  r.record = settings_.record;
  return run_result_json(r).dump(1) + "\n";
}

BoardWatchResult BoardWatch::finish(const std::string& end_text) {
  run_until(clock_.now_ns());
  push_frame();
  decoder_.finish();
  report();
  for (const std::string& sentence : limits_.due(clock_.now_ns(), true)) {
    if (hooks_.log) hooks_.log(sentence);
  }
  BoardWatchResult result;
  result.duration_s = seconds(ticks_ * setup_.cycle.period_ns);
  const double rms = recorder_->residuals().rms();
  if (std::isfinite(rms)) result.rms_deg = to_deg(rms);
  result.joints = gaps();
  result.limits = limits_.findings();
  result.line = decoder_.counts();
  result.plays = plays_.played();
  result.unknown_plays = plays_.unknown();
  result.lost_bytes = line_->lost_bytes;
  if (has_begun_ && setup_.config.on == runtime::Scene::kFloor) {
    result.twin_base = twin_base_;
    result.twin_fell = twin_fell_;
  }
  if (!has_begun_) return result;  // the recorder removes the file without a sample
  const bool is_closed =
      recorder_->close(result_text(end_text), static_cast<std::uint64_t>(ticks_));
  if (settings_.record.empty()) return result;
  result.record = recorder_->file();
  if (!is_closed) result.record_problem = recorder_->cause();
  if (is_closed && result.lost_bytes > 0) {
    result.record_problem = std::to_string(result.lost_bytes) +
                            " bytes of the line are missing: this computer was too busy";
  }
  return result;
}

}  // namespace kagami::tools
