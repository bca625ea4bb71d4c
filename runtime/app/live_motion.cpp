#include "runtime/app/live_motion.hpp"

#include <algorithm>

#include "runtime/app/live_parameter.hpp"

namespace kagami::runtime {
namespace {

MotionSummary summary_of(const motions::Motion& motion) {
  MotionSummary m{.name = motion.name, .duration = motion.duration(), .keyframes = {}};
  double time = 0.0;
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    if (p > 0) time += motion.poses[p].duration;
    m.keyframes.push_back(time);
  }
  return m;
}

LiveAnswer refuse_without_run(const char* what, double value = 0.0) {
  return LiveAnswer::refuse(what, value, "a run in progress");
}

/// When a play will work, if it is refused in this state.
const char* when_it_plays(SupervisorState state) {
  switch (state) {
    case SupervisorState::kIdle:
      return "the motion starts automatically with the boards' first answer";
    case SupervisorState::kHoming:
      return "the robot moves to the first pose and then plays automatically; try again at the "
             "motion's end or after a stop";
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

std::vector<MotionSummary> LiveMotion::list() const {
  const std::lock_guard lock(shared_.mutex);
  return motions_;
}

LiveAnswer LiveMotion::pause() {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("pause");
  tuning_.requested().paused = true;
  return tuning_.publish("pause");
}

LiveAnswer LiveMotion::play() {
  const std::uint32_t stop_seen = shared_.stop.seen();
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("play");
  if (shared_.seen.state != SupervisorState::kHold && tuning_.requested().paused) {
    tuning_.requested().paused = false;
    return tuning_.publish("play");
  }
  return start_again(tuning_.requested().motion, stop_seen);
}

LiveAnswer LiveMotion::play(std::string_view motion) {
  const std::uint32_t stop_seen = shared_.stop.seen();
  const std::lock_guard lock(shared_.mutex);
  const auto found = std::find_if(motions_.begin(), motions_.end(),
                                  [&](const MotionSummary& m) { return m.name == motion; });
  if (found == motions_.end()) {
    std::string known;
    for (const MotionSummary& m : motions_) known += (known.empty() ? "" : ", ") + m.name;
    return LiveAnswer::refuse("motion '" + std::string(motion) + "'", 0.0, "one of: " + known);
  }
  return start_again(static_cast<std::int32_t>(found - motions_.begin()), stop_seen);
}

LiveAnswer LiveMotion::play_again() {
  const std::uint32_t stop_seen = shared_.stop.seen();
  const std::lock_guard lock(shared_.mutex);
  return start_again(tuning_.requested().motion, stop_seen);
}

LiveAnswer LiveMotion::start_again(std::int32_t chosen, std::uint32_t stop_seen) {
  if (!shared_.is_open()) return refuse_without_run("play");
  const SupervisorState state = shared_.seen.state;
  if (state != SupervisorState::kHold) {
    return LiveAnswer::refuse("play", 0.0,
                              std::string("a robot that holds without a fault, not one that is '") +
                                  name(state) + "'; " + when_it_plays(state));
  }
  // a later press wins, here or in the cycle
  if (!shared_.stop.rearm(stop_seen)) {
    return LiveAnswer::refuse("play", 0.0, "no stop at the same time");
  }
  Tuning& request = tuning_.requested();
  request.motion = chosen;
  request.paused = false;
  request.reverse = false;
  ++request.plays;
  return tuning_.publish("play");
}

control::Tunable LiveMotion::step_range() {
  return {.name = "step", .min = 1.0, .max = 10'000.0, .unit = "ms"};
}

LiveAnswer LiveMotion::step(double ms) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("step", ms);
  if (std::string expected = expected_instead(step_range(), ms); !expected.empty()) {
    return LiveAnswer::refuse("step", ms, std::move(expected));
  }
  if (!tuning_.requested().paused) return LiveAnswer::refuse("step", ms, "a motion that is paused");
  tuning_.requested().stepped_ms += static_cast<std::uint32_t>(ms);
  return tuning_.publish("step");
}

LiveAnswer LiveMotion::set_speed(double factor) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("run");
  const control::Tunable speed = speed_tunable();
  if (std::string expected = expected_instead(speed, factor); !expected.empty()) {
    return LiveAnswer::refuse(speed.name, factor, std::move(expected));
  }
  tuning_.requested().speed = factor;
  return tuning_.publish("speed");
}

LiveAnswer LiveMotion::set_loop(bool loop) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("loop");
  tuning_.requested().loop = loop;
  return tuning_.publish("loop");
}

LiveAnswer LiveMotion::set_reverse(bool reverse) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return refuse_without_run("reverse");
  if (reverse && shared_.setup->cycle.play.mode == motions::PlayMode::kKeyframe) {
    return LiveAnswer::refuse(
        "reverse", 0.0, "--mode stream or ramp: boards that interpolate cannot play backwards");
  }
  tuning_.requested().reverse = reverse;
  return tuning_.publish("reverse");
}

void LiveMotion::open(const RunSetup& setup) {
  motions_ = {summary_of(setup.motion)};
  for (const motions::Motion& further : setup.further) motions_.push_back(summary_of(further));
}

void LiveMotion::describe(LiveStatus& status) const {
  const Tuning& request = tuning_.requested();
  const auto motion = static_cast<std::size_t>(request.motion);
  if (motion < motions_.size()) status.motion = motions_[motion].name;
  status.speed = request.speed;
  status.loop = request.loop;
  status.paused = shared_.seen.paused;
  status.reverse = shared_.seen.reverse;
}

}  // namespace kagami::runtime
