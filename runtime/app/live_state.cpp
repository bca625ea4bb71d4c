#include "runtime/app/live_state.hpp"

#include <algorithm>
#include <utility>

namespace kagami::runtime {
namespace {

constexpr std::size_t kMaxHistory = 256;
constexpr std::size_t kMaxApplications = 65536;  // versions are asked for by people and tests

std::string key_of(std::string type) {
  std::replace(type.begin(), type.end(), '-', '_');
  return type;
}

LiveMotion motion_of(const motions::Motion& motion) {
  LiveMotion m{.name = motion.name, .duration = motion.duration(), .keyframes = {}};
  double time = 0.0;
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    if (p > 0) time += motion.poses[p].duration;
    m.keyframes.push_back(time);
  }
  return m;
}

/// It makes a run hold in a fault.
bool event_is_fault(EventCode code) {
  switch (code) {
    case EventCode::kTargetRefused:
    case EventCode::kJumpRefused:
    case EventCode::kSampleStale:
    case EventCode::kPortGone:
    case EventCode::kControlNotFinite:
    case EventCode::kControlOld:
    case EventCode::kControlBadOutput:
    case EventCode::kControlSaturated:
    case EventCode::kControlLoopOpen:
    case EventCode::kControlFootInAir:
    case EventCode::kControlFailed:
    case EventCode::kReferenceLost:
    case EventCode::kReferenceBounds:
      return true;
    default:
      return false;
  }
}

/// It brings a run to a fault, a stop or a release.
bool is_cause(EventCode code) {
  return code == EventCode::kStopRequested || event_is_fault(code);
}

/// Tick from which on a value has been in force, when it is part of a set applied at `tick`.
std::int64_t since(const LiveGains& before, const std::pair<std::string, double>& value,
                   std::int64_t tick) {
  const auto found = std::find(before.values.begin(), before.values.end(), value);
  if (found == before.values.end()) return tick;
  return before.since[static_cast<std::size_t>(found - before.values.begin())];
}

/// When a play will work, for one who asked for it in this state.
const char* when_it_plays(SupervisorState state) {
  switch (state) {
    case SupervisorState::kIdle:
      return "the motion starts automatically with the boards' first answer";
    case SupervisorState::kHoming:
      return "the robot moves to the first pose and then plays automatically; try again at the "
             "motion's "
             "end or after a stop";
    case SupervisorState::kRunning:
      return "try again at the motion's end or after a stop";
    case SupervisorState::kSoftStop:
      return "try again when the robot is at rest";
    case SupervisorState::kHold:
      break;
    case SupervisorState::kReleased:
    case SupervisorState::kFault:
      return "only a new run moves it again";
  }
  return "";
}

}  // namespace

void LiveControl::State::open(const RunSetup& run_setup, const control::ControllerFactory& makers,
                              const std::vector<ControllerDescription>& described, bool add,
                              ThreadChannels& run_border) {
  const std::lock_guard lock(mutex);
  setup = &run_setup;
  factory = &makers;
  may_add = add;
  border = &run_border;
  robot = run_setup.robot.name;
  joint_names = run_setup.robot.joint_names;
  motions.clear();
  motions.push_back(motion_of(run_setup.motion));
  for (const motions::Motion& further : run_setup.further) motions.push_back(motion_of(further));
  controllers.clear();
  for (std::size_t k = 0; k < described.size(); ++k) {
    const ConfigDocument gains = ConfigDocument::parse(run_setup.cycle.control.gains[k], "gains");
    controllers.push_back({.key = key_for(described[k].name, -1),
                           .gains = gains.root().text_or("name", ""),
                           .text = run_setup.cycle.control.gains[k],
                           .type = described[k].name,
                           .tunables = described[k].tunables,
                           .files = described[k].values});
  }
  asked = Tuning{};
  asked.speed = run_setup.config.speed;
  asked.loop = run_setup.config.loop;
  asked.controller = controllers.empty() ? kMotionAlone : 0;
  const std::vector<double> start = files();
  asked.num_values = static_cast<std::int32_t>(start.size());
  std::copy(start.begin(), start.end(), asked.values.begin());
  history = {start};
  now = 0;
  sets[0] = sets[1] = start;
  selected = GainSet::kA;
  newest = written = 0;
  written_values = start;
  applied = {.version = 0, .tick = 0, .why = "start", .values = {}, .since = {}};
  arrived();
}

void LiveControl::State::close() {
  const std::lock_guard built(building);
  const std::lock_guard lock(mutex);
  border = nullptr;
  setup = nullptr;
  factory = nullptr;
  changed.notify_all();
}

// --- asking

std::vector<double> LiveControl::State::values() const {
  return {asked.values.begin(), asked.values.begin() + asked.num_values};
}

std::vector<double> LiveControl::State::files() const {
  std::vector<double> all;
  for (const Controller& c : controllers) all.insert(all.end(), c.files.begin(), c.files.end());
  return all;
}

std::vector<std::string> LiveControl::State::names() const {
  std::vector<std::string> all;
  for (const Controller& c : controllers) {
    for (const control::Tunable& t : c.tunables) all.push_back(c.key + "/" + t.name);
  }
  return all;
}

int LiveControl::State::find_controller(std::string_view name) const {
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    if (controllers[k].key == name) return static_cast<int>(k);
  }
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    if (controllers[k].gains == name || controllers[k].type == name) return static_cast<int>(k);
  }
  return -1;
}

// "pid", then "pid_2", ...; `place`: whose own key is free again
std::string LiveControl::State::key_for(const std::string& type, int place) const {
  const std::string base = key_of(type);
  std::string key = base;
  const auto is_taken = [&] {
    for (std::size_t k = 0; k < controllers.size(); ++k) {
      if (static_cast<int>(k) != place && controllers[k].key == key) return true;
    }
    return false;
  };
  for (int k = 2; is_taken(); ++k) key = base + "_" + std::to_string(k);
  return key;
}

LiveAnswer LiveControl::State::refuse(std::string name, double value, std::string expected) const {
  return {.ticket = 0, .refusal = LiveRefusal{std::move(name), value, std::move(expected)}};
}

LiveAnswer LiveControl::State::publish(std::string why) {
  asked.version = ++newest;
  asked.layout = layout;
  border->tuning.publish(asked);
  published.push_back({asked.version, std::move(why), values()});
  if (published.back().values != written_values) {
    written = asked.version;
    written_values = published.back().values;
  }
  return {.ticket = asked.version, .refusal = std::nullopt};
}

LiveAnswer LiveControl::State::set_values(const std::vector<double>& values_now, std::string why) {
  const bool differ = values_now != values();
  std::copy(values_now.begin(), values_now.end(), asked.values.begin());
  if (differ) remember();
  return publish(std::move(why));
}

void LiveControl::State::remember() {
  history.resize(now + 1);
  history.push_back(values());
  if (history.size() > kMaxHistory) history.erase(history.begin());
  now = history.size() - 1;
}

LiveAnswer LiveControl::State::start_again(std::int32_t chosen, std::uint32_t stop_seen) {
  if (border == nullptr) return refuse("play", 0.0, "a run in progress");
  if (seen.state != SupervisorState::kHold) {
    return refuse("play", 0.0,
                  std::string("a robot that holds without a fault, not one that is '") +
                      name(seen.state) + "'; " + when_it_plays(seen.state));
  }
  // a later press wins, here or in the cycle
  if (!stop.rearm(stop_seen)) return refuse("play", 0.0, "no stop at the same time");
  asked.motion = chosen;
  asked.paused = false;
  asked.reverse = false;
  ++asked.plays;
  return publish("play");
}

// --- seeing

void LiveControl::State::observe(const CycleRecord& row) {
  exchange.collect();
  const CycleOutput& out = row.out;
  const std::lock_guard lock(mutex);
  seen.state = out.state;
  seen.phase = out.phase;
  seen.tick = row.in.tick;
  seen.paused = out.paused;
  seen.reverse = out.reverse;
  seen.testing = out.test != JointTestStage::kNone;
  standing = out.phase == Phase::kDone ? out.q_ref : out.targets.angle;
  note_events(row);
  leads = out.controller;
  if (out.tuning_version > seen.version) taken(out);
  if (out.tuning_seen > out.tuning_version && refusals.count(out.tuning_seen) == 0) {
    refused(out.tuning_seen);
  }
  if (!coming.controller) return;
  if (out.tuning_layout > layout) {
    layout = out.tuning_layout;
    arrived();
  } else if (row.in.handover_id == coming.number) {
    refusals.insert(coming.ticket);
    coming = {};
    changed.notify_all();
  }
}

void LiveControl::State::note_events(const CycleRecord& row) {
  for (int k = 0; k < row.out.num_events; ++k) {
    const Event& event = row.out.events[static_cast<std::size_t>(k)];
    if (event.code == EventCode::kJointTestRefused) refusals.insert(row.in.tuning.version);
    if (!is_cause(event.code)) continue;
    // what follows a fault is no cause of it; a release is one of its own
    if (seen.state == SupervisorState::kFault && !event_is_fault(event.code)) continue;
    seen.reason = event_sentence(event, joint_names);
  }
  const bool moves =
      seen.state == SupervisorState::kHoming || seen.state == SupervisorState::kRunning;
  if (moves) seen.reason.clear();
}

void LiveControl::State::taken(const CycleOutput& out) {
  seen.version = out.tuning_version;
  if (applications.size() < kMaxApplications) {
    applications.emplace_back(out.tuning_version, out.tuning_tick);
  }
  while (!published.empty() && published.front().version < out.tuning_version) {
    published.pop_front();
  }
  if (!published.empty() && published.front().version == out.tuning_version) {
    const LiveGains before = std::exchange(applied, {.version = out.tuning_version,
                                                     .tick = out.tuning_tick,
                                                     .why = published.front().why,
                                                     .values = {},
                                                     .since = {}});
    const std::vector<std::string> all = names();
    const std::vector<double>& values_then = published.front().values;
    for (std::size_t i = 0; i < std::min(all.size(), values_then.size()); ++i) {
      applied.values.emplace_back(all[i], values_then[i]);
      applied.since.push_back(since(before, applied.values.back(), out.tuning_tick));
    }
  }
  changed.notify_all();
}

// a controller's own objection: the values before it are asked for again, with all else
void LiveControl::State::refused(std::uint64_t version) {
  refusals.insert(version);
  for (std::size_t i = 0; i < applied.values.size(); ++i) {
    asked.values[i] = applied.values[i].second;
  }
  if (applied.values.empty()) {
    const std::vector<double> start = files();
    std::copy(start.begin(), start.end(), asked.values.begin());
  }
  remember();
  static_cast<void>(publish("refused"));
  changed.notify_all();
}

// a run begins, or a controller was taken over: the values are in another order from here on
void LiveControl::State::arrived() {
  if (!coming.controller) {
    for (std::size_t i = 0; i < names().size(); ++i) {
      applied.values.emplace_back(names()[i], asked.values[i]);
      applied.since.push_back(applied.tick);
    }
    return;
  }
  const std::vector<std::string> before = names();
  const auto place = static_cast<std::size_t>(coming.place);
  if (place < controllers.size()) {
    controllers[place] = std::move(*coming.controller);
  } else {
    controllers.push_back(std::move(*coming.controller));
  }
  const std::vector<std::string> after = names();
  const std::vector<double> start = files();
  const auto moved = [&](const std::vector<double>& old, bool others_alone) {
    std::vector<double> fresh = start;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto found = std::find(before.begin(), before.end(), after[i]);
      const bool own = after[i].rfind(controllers[place].key + "/", 0) == 0;
      if (found == before.end() || (own && others_alone)) continue;
      fresh[i] = old[static_cast<std::size_t>(found - before.begin())];
    }
    return fresh;
  };
  const std::vector<double> asked_now = moved(values(), true);
  for (std::vector<double>& set : sets) set = moved(set, false);
  asked.num_values = static_cast<std::int32_t>(asked_now.size());
  std::copy(asked_now.begin(), asked_now.end(), asked.values.begin());
  history = {asked_now};
  now = 0;
  coming.controller.reset();
  arrivals[coming.ticket] = publish("controller").ticket;
}

bool LiveControl::State::take_attachment(RecordAttachment& attachment) {
  const std::lock_guard lock(mutex);
  if (attachments.empty()) return false;
  attachment = std::move(attachments.front());
  attachments.pop_front();
  return true;
}

}  // namespace kagami::runtime
