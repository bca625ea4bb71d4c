#include "runtime/app/live_control.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/errors.hpp"
#include "runtime/app/live_state.hpp"

namespace kagami::runtime {
namespace {

constexpr const char* kSpeedName = "motion/speed";
constexpr double kMinSpeed = 0.1;
constexpr double kMaxSpeed = 2.0;
constexpr int kMaxStepMs = 10'000;

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

std::string range_text(double min, double max, const std::string& unit) {
  return number_text(min) + ".." + number_text(max) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string LiveAnswer::sentence() const {
  if (!refusal) return {};
  return refusal->name + ": " +
         (refusal->value == 0.0 ? "" : number_text(refusal->value) + " is ") +
         "refused, expected " + refusal->expected;
}

LiveControl::LiveControl(StopRequest& stop) : state_(std::make_unique<State>(stop)) {}
LiveControl::~LiveControl() = default;

bool LiveControl::is_open() const {
  const std::lock_guard lock(state_->mutex);
  return state_->border != nullptr;
}

LiveStatus LiveControl::status() const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  LiveStatus status = s.seen;
  status.is_open = s.border != nullptr;
  status.asked = s.newest;
  status.written = s.written;
  const std::vector<double> values = s.values();
  status.dirty = !same(values, s.files());
  if (s.selected && same(values, s.sets[static_cast<int>(*s.selected)])) status.set = s.selected;
  status.can_undo = s.now > 0;
  status.can_redo = s.now + 1 < s.history.size();
  if (s.leads >= 0 && s.leads < static_cast<int>(s.controllers.size())) {
    status.controller = s.controllers[static_cast<std::size_t>(s.leads)].key;
  }
  for (const State::Controller& c : s.controllers) status.controllers.push_back(c.key);
  const auto motion = static_cast<std::size_t>(s.asked.motion);
  if (motion < s.motions.size()) status.motion = s.motions[motion].name;
  status.speed = s.asked.speed;
  status.testing = s.seen.testing || s.test_ticket > s.seen.version;
  status.loop = s.asked.loop;
  return status;
}

std::string LiveControl::robot() const {
  const std::lock_guard lock(state_->mutex);
  return state_->robot;
}

std::vector<std::string> LiveControl::joint_names() const {
  const std::lock_guard lock(state_->mutex);
  return state_->joint_names;
}

std::vector<LiveMotion> LiveControl::motions() const {
  const std::lock_guard lock(state_->mutex);
  return state_->motions;
}

std::vector<LiveParameter> LiveControl::parameters() const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  std::vector<LiveParameter> all;
  if (s.border == nullptr) return all;
  std::size_t at = 0;
  for (const State::Controller& c : s.controllers) {
    for (std::size_t k = 0; k < c.tunables.size(); ++k, ++at) {
      const control::Tunable& t = c.tunables[k];
      all.push_back({.name = c.key + "/" + t.name,
                     .value = s.asked.values[at],
                     .min = t.min,
                     .max = t.max,
                     .default_value = t.default_value,
                     .unit = t.unit,
                     .text = t.text});
    }
  }
  all.push_back({.name = kSpeedName,
                 .value = s.asked.speed,
                 .min = kMinSpeed,
                 .max = kMaxSpeed,
                 .default_value = 1.0,
                 .unit = "",
                 .text = "factor on the motion's time"});
  return all;
}

LiveAnswer LiveControl::propose(std::span<const LiveChange> changes, std::string_view why,
                                std::optional<std::uint64_t> base) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("run", 0.0, "a run in progress");
  if (base && (*base < s.written || *base > s.newest)) {
    return s.refuse("base " + std::to_string(*base), 0.0,
                    "version " + std::to_string(s.written) + ", at which a gain was changed last");
  }
  const std::vector<std::string> names = s.names();
  std::vector<double> values = s.values();
  double speed = s.asked.speed;
  for (const LiveChange& change : changes) {
    double* to = &speed;
    double min = kMinSpeed;
    double max = kMaxSpeed;
    std::string unit;
    if (change.name != kSpeedName) {
      const auto found = std::find(names.begin(), names.end(), change.name);
      if (found == names.end()) {
        return s.refuse(change.name, change.value, "the name of a parameter of this run");
      }
      auto at = static_cast<std::size_t>(found - names.begin());
      to = &values[at];
      for (const State::Controller& c : s.controllers) {
        if (at < c.tunables.size()) {
          const control::Tunable& t = c.tunables[at];
          min = t.min;
          max = t.max;
          unit = t.unit;
          break;
        }
        at -= c.tunables.size();
      }
    }
    if (!std::isfinite(change.value)) {
      return s.refuse(change.name, change.value,
                      "a finite number in " + range_text(min, max, unit));
    }
    if (change.value < min || change.value > max) {
      return s.refuse(change.name, change.value, range_text(min, max, unit));
    }
    *to = change.value;
  }
  s.asked.speed = speed;
  return s.set_values(values, std::string(why));
}

std::optional<std::int64_t> LiveControl::acknowledged(std::uint64_t ticket) const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.refusals.count(ticket) > 0) return std::nullopt;
  if (s.coming.controller && s.coming.ticket == ticket) return std::nullopt;
  if (const auto arrival = s.arrivals.find(ticket); arrival != s.arrivals.end()) {
    ticket = arrival->second;
  }
  const auto found = std::lower_bound(
      s.applications.begin(), s.applications.end(), ticket,
      [](const auto& application, std::uint64_t version) { return application.first < version; });
  if (found == s.applications.end()) return std::nullopt;
  return found->second;
}

bool LiveControl::was_refused(std::uint64_t ticket) const {
  const std::lock_guard lock(state_->mutex);
  return state_->refusals.count(ticket) > 0;
}

std::optional<std::int64_t> LiveControl::wait(std::uint64_t ticket,
                                              std::chrono::milliseconds limit) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.changed.wait_for(lock, limit, [&] {
    if (s.border == nullptr || s.refusals.count(ticket) > 0) return true;
    if (s.coming.controller && s.coming.ticket == ticket) return false;
    const auto arrival = s.arrivals.find(ticket);
    const std::uint64_t version = arrival == s.arrivals.end() ? ticket : arrival->second;
    return !s.applications.empty() && s.applications.back().first >= version;
  });
  lock.unlock();
  return acknowledged(ticket);
}

LiveGains LiveControl::applied() const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  return s.applied;
}

LiveAnswer LiveControl::undo() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr || s.now == 0) return s.refuse("undo", 0.0, "a change to undo");
  --s.now;
  std::copy(s.history[s.now].begin(), s.history[s.now].end(), s.asked.values.begin());
  return s.publish("undo");
}

LiveAnswer LiveControl::redo() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr || s.now + 1 >= s.history.size()) {
    return s.refuse("redo", 0.0, "a change that was undone");
  }
  ++s.now;
  std::copy(s.history[s.now].begin(), s.history[s.now].end(), s.asked.values.begin());
  return s.publish("redo");
}

void LiveControl::store(GainSet set) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  s.sets[static_cast<int>(set)] = s.values();
  s.selected = set;
}

LiveAnswer LiveControl::select(GainSet set) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("select", 0.0, "a run in progress");
  s.selected = set;
  return s.set_values(s.sets[static_cast<int>(set)], set == GainSet::kA ? "select A" : "select B");
}

std::vector<LiveDifference> LiveControl::difference() const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  const std::vector<std::string> names = s.names();
  std::vector<LiveDifference> differences;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double a = s.sets[0][i];
    const double b = s.sets[1][i];
    if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b)) {
      differences.push_back({names[i], a, b});
    }
  }
  return differences;
}

LiveAnswer LiveControl::set_controller(std::string_view name) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("controller", 0.0, "a run in progress");
  std::int32_t chosen = kMotionAlone;
  if (!name.empty() && name != "motion") {
    chosen = s.find_controller(name);
    if (chosen < 0) {
      std::string known = "motion";
      for (const State::Controller& c : s.controllers) known += ", " + c.key;
      return s.refuse("controller '" + std::string(name) + "'", 0.0, "one of: " + known);
    }
  }
  s.asked.controller = chosen;
  return s.publish("controller");
}

LiveAnswer LiveControl::pause() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("pause", 0.0, "a run in progress");
  s.asked.paused = true;
  return s.publish("pause");
}

LiveAnswer LiveControl::play() {
  State& s = *state_;
  const std::uint32_t stop_seen = s.stop.seen();
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("play", 0.0, "a run in progress");
  if (s.seen.state != SupervisorState::kHold && s.asked.paused) {
    s.asked.paused = false;
    return s.publish("play");
  }
  return s.start_again(s.asked.motion, stop_seen);
}

LiveAnswer LiveControl::play(std::string_view motion) {
  State& s = *state_;
  const std::uint32_t stop_seen = s.stop.seen();
  const std::lock_guard lock(s.mutex);
  const auto found = std::find_if(s.motions.begin(), s.motions.end(),
                                  [&](const LiveMotion& m) { return m.name == motion; });
  if (found == s.motions.end()) {
    std::string known;
    for (const LiveMotion& m : s.motions) known += (known.empty() ? "" : ", ") + m.name;
    return s.refuse("motion '" + std::string(motion) + "'", 0.0, "one of: " + known);
  }
  return s.start_again(static_cast<std::int32_t>(found - s.motions.begin()), stop_seen);
}

LiveAnswer LiveControl::play_again() {
  State& s = *state_;
  const std::uint32_t stop_seen = s.stop.seen();
  const std::lock_guard lock(s.mutex);
  return s.start_again(s.asked.motion, stop_seen);
}

LiveAnswer LiveControl::step(int ms) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("step", ms, "a run in progress");
  if (ms < 1 || ms > kMaxStepMs) return s.refuse("step", ms, range_text(1, kMaxStepMs, "ms"));
  if (!s.asked.paused) return s.refuse("step", ms, "a motion that is paused");
  s.asked.stepped_ms += static_cast<std::uint32_t>(ms);
  return s.publish("step");
}

LiveAnswer LiveControl::set_speed(double factor) {
  const LiveChange change{kSpeedName, factor};
  return propose({&change, 1}, "speed");
}

LiveAnswer LiveControl::set_loop(bool loop) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("loop", 0.0, "a run in progress");
  s.asked.loop = loop;
  return s.publish("loop");
}

LiveAnswer LiveControl::set_reverse(bool reverse) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.border == nullptr) return s.refuse("reverse", 0.0, "a run in progress");
  if (reverse && s.setup->cycle.play.mode == motions::PlayMode::kKeyframe) {
    return s.refuse("reverse", 0.0,
                    "--mode stream or ramp: boards that interpolate know no way back");
  }
  s.asked.reverse = reverse;
  return s.publish("reverse");
}

void LiveControl::stop(StopLevel level) {
  state_->stop.raise_to(level);
}

void LiveControl::finish() {
  state_->finished.store(true, std::memory_order_release);
}

LiveGuard::LiveGuard(LiveControl& live) : live_(live) {
  for (const LiveParameter& p : live.parameters()) before_.push_back({p.name, p.value});
}

LiveGuard::~LiveGuard() {
  if (kept_) return;
  const std::vector<LiveParameter> now = live_.parameters();
  const bool is_same = std::equal(now.begin(), now.end(), before_.begin(), before_.end(),
                                  [](const LiveParameter& p, const LiveChange& c) {
                                    return p.name == c.name && p.value == c.value;
                                  });
  if (!is_same) live_.propose(before_, "rollback");
}

}  // namespace kagami::runtime
