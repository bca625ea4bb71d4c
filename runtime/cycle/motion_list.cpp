#include "runtime/cycle/motion_list.hpp"

#include "models/base/errors.hpp"

namespace kagami::runtime {

MotionList::MotionList(const RobotWiring& wiring, std::span<const motions::Motion> motions,
                       const motions::PlayOptions& options)
    : mode_(options.mode), speed_(options.speed), loop_(options.loop) {
  if (motions.empty()) throw ConfigError("cycle: no motion, expected at least 1");
  players_.reserve(motions.size());
  for (const motions::Motion& motion : motions) players_.emplace_back(motion, wiring, options);
}

void MotionList::start(int motion, const JointArray<double>& from) noexcept {
  chosen_ = motion;
  player().set_speed(speed_);
  player().set_loop(loop_);
  player().set_paused(paused_);
  player().set_reversed(reversed_);
  player().start(from);
}

void MotionList::set_speed(double factor) noexcept {
  speed_ = factor;
  player().set_speed(factor);
}

void MotionList::set_loop(bool loop) noexcept {
  loop_ = loop;
  player().set_loop(loop);
}

bool MotionList::set_paused(bool paused) noexcept {
  if (paused == paused_) return false;
  paused_ = paused;
  player().set_paused(paused);
  return true;
}

bool MotionList::set_reversed(bool reversed) noexcept {
  if (reversed == reversed_ || boards_ramp()) return false;
  reversed_ = reversed;
  player().set_reversed(reversed);
  return true;
}

}  // namespace kagami::runtime
