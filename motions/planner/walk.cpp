// Footsteps -> wanted zero-moment point -> mass centre by preview control -> correction by the
// whole robot's zero-moment point -> mass centre [Kajita 2003].
#include "motions/planner/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "motions/planner/plan.hpp"

namespace kagami::motions {
namespace {

// share of the swing at either end in which the foot moves straight up or down
constexpr double kVertical = 0.1;
constexpr double kLeastStance = 0.03;  // m between ankles, less would set a foot on a foot

void check(const WalkSettings& s) {
  // written so that NaN fails
  const auto need = [](bool fine, const char* name, double value, const char* range) {
    if (!fine) throw ConfigError(fmt::format("walk: {} {:g}, expected {}", name, value, range));
  };
  need(s.single_support > 0.0, "single support", s.single_support, "above 0 s");
  need(s.double_support > 0.0, "double support", s.double_support, "above 0 s");
  need(s.lead >= 0.0, "lead", s.lead, "not below 0 s");
  need(s.tail >= 0.0, "tail", s.tail, "not below 0 s");
  need(s.lift > 0.0, "lift", s.lift, "above 0 m");
  need(s.crouch >= 0.0, "crouch", s.crouch, "not below 0 m");
  need(s.corrections >= 0 && s.corrections <= 10, "corrections", s.corrections, "0 to 10");
}

PathPoint point(double p) {
  return {p, 0.0, 0.0};
}

}  // namespace

std::vector<Footstep> straight_walk(const std::array<Vec3, 2>& feet, int count, double length) {
  if (count < 2) throw ConfigError("walk: " + std::to_string(count) + " steps, expected 2 or more");
  std::vector<Footstep> steps;
  for (int i = 0; i < count; ++i) {
    const int side = i % 2;
    const double ahead = length * std::min(i + 1, count - 1);
    const Vec3& from = feet[static_cast<std::size_t>(side)];
    steps.push_back({side, {from.x() + ahead, from.y()}});
  }
  return steps;
}

Walk::Walk(const WalkingRobot& robot, const std::vector<Footstep>& steps,
           const WalkSettings& settings)
    : s_(settings), sole_(robot.sole) {
  check(s_);
  if (steps.empty()) throw ConfigError("walk: no steps");
  height_ = standing_com(robot).z() - s_.crouch;
  lay_phases(steps, standing_feet(robot));
  s_.preview.height = height_;
  s_.preview.gravity = -robot.model.gravity().z();
  lay_com(robot);
}

Vec2 Walk::sole_middle(const Vec3& ankle) const {
  return {ankle.x() + 0.5 * (sole_.x_min + sole_.x_max),
          ankle.y() + 0.5 * (sole_.y_min + sole_.y_max)};
}

void Walk::lay_phases(const std::vector<Footstep>& steps, const std::array<Vec3, 2>& start) {
  std::array<Vec3, 2> feet = start;
  double t = s_.lead;
  const auto middle = [&]() -> Vec2 { return 0.5 * (sole_middle(feet[0]) + sole_middle(feet[1])); };
  knots_ = {{0.0, middle()}, {t, middle()}};
  for (const Footstep& step : steps) {
    if (step.side != 0 && step.side != 1)
      throw ConfigError("walk: foot " + std::to_string(step.side) + ", expected 0 or 1");
    const auto side = static_cast<std::size_t>(step.side);
    const Vec3& standing = feet[1 - side];
    const double apart = (step.side == 0 ? 1.0 : -1.0) * (step.p.y() - standing.y());
    if (!(apart >= kLeastStance && std::isfinite(step.p.x())))
      throw ConfigError(
          fmt::format("walk: a foot would be {:g} m beside the other, expected at "
                      "least {:g} m",
                      apart, kLeastStance));
    Phase phase{
        t, t + s_.double_support, 0.0, step.side, feet, {step.p.x(), step.p.y(), feet[side].z()}};
    phase.land = phase.lift + s_.single_support;
    knots_.push_back({phase.lift, sole_middle(standing)});
    knots_.push_back({phase.land, sole_middle(standing)});
    feet[side] = phase.to;
    t = phase.land;
    phases_.push_back(phase);
  }
  end_feet_ = feet;
  knots_.push_back({t + s_.double_support, middle()});
  duration_ = t + s_.double_support + s_.tail;
}

void Walk::lay_com(const WalkingRobot& robot) {
  const ZmpPreview preview(s_.preview);
  const double T = s_.preview.period;
  std::array<std::vector<double>, 2> wanted;
  for (double t = 0.0; t <= duration_ + 0.5 * T; t += T)
    for (Eigen::Index i = 0; i < 2; ++i)
      wanted[static_cast<std::size_t>(i)].push_back(wanted_zmp(t)[i]);
  const auto follow = [&](std::size_t i) { return preview.follow(wanted[i], wanted[i].front()); };
  x_ = follow(0);
  y_ = follow(1);
  std::array<std::vector<double>, 2> target = wanted;
  for (int pass = 0; pass < s_.corrections; ++pass) {
    const std::vector<Vec2> there = zero_moment_points(robot, *this, T);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < target[i].size(); ++k)
        target[i][k] +=
            wanted[i][k] - there[std::min(k, there.size() - 1)][static_cast<Eigen::Index>(i)];
    x_ = preview.follow(target[0], target[0].front());
    y_ = preview.follow(target[1], target[1].front());
  }
}

Vec2 Walk::wanted_zmp(double t) const {
  const auto after =
      std::find_if(knots_.begin(), knots_.end(), [t](const Knot& knot) { return knot.t > t; });
  if (after == knots_.begin()) return knots_.front().p;
  if (after == knots_.end()) return knots_.back().p;
  const Knot& a = *(after - 1);
  return a.p + (after->p - a.p) * ((t - a.t) / (after->t - a.t));
}

PointMotion Walk::swing(const Phase& phase, double t) const {
  const Vec3& from = phase.feet[static_cast<std::size_t>(phase.side)];
  const double T = phase.land - phase.lift;
  const double s = t - phase.lift;
  const double rest = kVertical * T;
  PointMotion m;
  for (Eigen::Index i = 0; i < 2; ++i) {
    const PathPoint p = Spline5{point(from[i]), point(phase.to[i]), T - 2.0 * rest}.at(s - rest);
    m.p[i] = p.p;
    m.v[i] = p.v;
    m.a[i] = p.a;
  }
  const double top = std::max(from.z(), phase.to.z()) + s_.lift;
  const bool up = s < 0.5 * T;
  const PathPoint z = up ? Spline5{point(from.z()), point(top), 0.5 * T}.at(s)
                         : Spline5{point(top), point(phase.to.z()), 0.5 * T}.at(s - 0.5 * T);
  m.p.z() = z.p;
  m.v.z() = z.v;
  m.a.z() = z.a;
  return m;
}

Instant Walk::at(double time) const {
  const double t = std::clamp(time, 0.0, duration_);
  Instant now;
  const PathPoint x = x_->at(t);
  const PathPoint y = y_->at(t);
  now.targets.com = {{x.p, y.p, height_}, {x.v, y.v, 0.0}, {x.a, y.a, 0.0}};
  now.zmp = wanted_zmp(t);
  const auto after = std::find_if(phases_.begin(), phases_.end(),
                                  [t](const Phase& phase) { return t < phase.land; });
  const std::array<Vec3, 2>& feet = after == phases_.end() ? end_feet_ : after->feet;
  for (std::size_t side = 0; side < 2; ++side) now.targets.foot[side].p = feet[side];
  if (after == phases_.end() || t <= after->lift) return now;
  const auto side = static_cast<std::size_t>(after->side);
  now.targets.foot[side] = swing(*after, t);
  now.support[side] = false;
  return now;
}

}  // namespace kagami::motions
