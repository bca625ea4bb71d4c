// From a path to joint angles, speeds, forces. The ground's force on the robot is what Newton and
// Euler leave open at the base; F, its force; z, the zero-moment point; M, the moment about the
// vertical through z. Two feet at c_L, c_R share it by the lever rule (ours):
//   s = (z - c_L) . (c_R - c_L) / |c_R - c_L|^2, within 0..1                        (plan-1)
//   right: s F and s M at c_R + d, left: (1 - s) F and (1 - s) M at c_L + d,
//   d = z - (1 - s) c_L - s c_R                                                     (plan-2)
// so that both together are F and M at z.
#include "motions/planner/plan.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/rnea.hpp"

namespace kagami::motions {
namespace {

using models::Force;
using models::Pose;

constexpr double kSlack = 1e-9;  // relative, on speeds and torques
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string place(const BodyPath& path, double t) {
  return fmt::format("{} at t = {:.3f} s: ", path.name(), t);
}

long count_of(const BodyPath& path, double dt) {
  if (!(dt > 0.0 && path.duration() / dt <= 1e6))
    throw ConfigError(fmt::format(
        "{}: samples every {:g} s, expected above 0 and at most a million", path.name(), dt));
  return std::lround(std::ceil(path.duration() / dt - 1e-9)) + 1;
}

class Planner {
 public:
  Planner(const WalkingRobot& robot, const BodyPath& path)
      : robot_(robot),
        path_(path),
        ik_(robot.model, robot.feet),
        rnea_(robot.model),
        kinematics_(robot.model),
        forces_(static_cast<std::size_t>(robot.model.num_bodies()), Force::zero()),
        state_(standing_guess(robot, 0.6)) {}

  PlanSample pose(const Instant& now, double t) {
    try {
      return ik_.solve(now.targets, state_);
    } catch (const ConfigError& error) {
      throw ConfigError(place(path_, t) + error.what());
    }
  }

  // what the ground must do for the sample; false without support
  bool ground(const PlanSample& sample, models::BalancePoint& point) {
    q_ = sample.q;
    v_ = sample.v;
    vdot_ = sample.vdot;
    models::forward_kinematics(robot_.model, q_, v_, kinematics_);
    models::rnea(robot_.model, q_, v_, vdot_, rnea_, tau_);
    Force F_Bo_B = Force::zero();
    F_Bo_B.c = tau_.head<6>();
    const Force F_Wo = kinematics_.X_WB[0] * F_Bo_B;
    return models::balance_point(F_Wo, {}, point) == models::BalanceStatus::kOk;
  }

  // joint forces under it; the largest that is left over at the base
  double joint_forces(const Instant& now, const models::BalancePoint& point) {
    std::fill(forces_.begin(), forces_.end(), Force::zero());
    std::array<Vec3, 2> c;
    for (std::size_t side = 0; side < 2; ++side) {
      c[side] = now.targets.foot[side].p;
      c[side].z() = 0.0;
    }
    double s = now.support[1] ? 1.0 : 0.0;
    if (now.support[0] && now.support[1]) {  // (plan-1)
      const Vec3 across = c[1] - c[0];
      s = std::clamp((point.point - c[0]).dot(across) / across.squaredNorm(), 0.0, 1.0);
    }
    const Vec3 d = point.point - (1.0 - s) * c[0] - s * c[1];  // (plan-2)
    load(0, c[0] + d, 1.0 - s, point);
    load(1, c[1] + d, s, point);
    models::ExternalLoads extras;
    extras.F_ext = forces_;
    models::rnea(robot_.model, q_, v_, vdot_, extras, rnea_, tau_);
    return tau_.head<6>().cwiseAbs().maxCoeff();
  }

  [[nodiscard]] const JointVector& tau() const { return tau_; }

 private:
  void load(std::size_t side, const Vec3& at, double share, const models::BalancePoint& point) {
    Force F = Force::zero();
    F.c.tail<3>() = share * point.force;
    F.c.head<3>() = at.cross(F.c.tail<3>()) + Vec3(0.0, 0.0, share * point.normal_moment);
    const auto foot = static_cast<std::size_t>(ik_.foot(static_cast<int>(side)));
    forces_[foot] = models::inverse_times(kinematics_.X_WB[foot], F);
  }

  const WalkingRobot& robot_;
  const BodyPath& path_;
  LegIk ik_;
  models::RneaWorkspace rnea_;
  models::Kinematics kinematics_;
  std::vector<Force> forces_;
  models::State state_;
  JointVector q_, v_, vdot_, tau_;
};

// the joint that comes nearest to its limit, and whether it is beyond
struct Worst {
  double value = 0.0;
  std::string joint;
};

Worst worst_of(const models::Model& model, const Eigen::VectorXd& values,
               double models::DofLimits::*limit, const std::string& where, const char* unit) {
  Worst worst;
  for (BodyIndex b = 1; b < model.num_bodies(); ++b) {
    const models::Body& body = model.body(b);
    if (body.nv != 1) continue;
    const double value = std::abs(values[body.v_index]);
    const double most = model.limits(body.v_index).*limit;
    if (!(value <= most * (1.0 + kSlack)))
      throw ConfigError(
          fmt::format("{}joint {} requires {:.4g} {}, the limit of its servo is {:.4g}", where,
                      body.joint_name, value, unit, most));
    if (value > worst.value) worst = {value, body.joint_name};
  }
  return worst;
}

void keep_larger(const Worst& worst, double& value, std::string& joint) {
  if (worst.value <= value) return;
  value = worst.value;
  joint = worst.joint;
}

void check_support(const WalkingRobot& robot, const Instant& now, const models::BalancePoint& point,
                   const std::string& where, PlanMetrics& f) {
  const std::array<Vec3, 2> feet = {now.targets.foot[0].p, now.targets.foot[1].p};
  const Vec2 zmp = point.point.head<2>();
  const double inside = support_area(robot.sole, now.support, feet).margin(point.point);
  if (!(inside >= 0.0))
    throw ConfigError(
        fmt::format("{}the zero-moment point ({:.4g}, {:.4g}) m would leave the soles "
                    "on the ground by {:.3g} m",
                    where, zmp.x(), zmp.y(), -inside));
  f.zmp_margin = std::min(f.zmp_margin, inside);
  f.zmp_error = std::max(f.zmp_error, (zmp - now.zmp).norm());
  f.least_force = std::min(f.least_force, point.normal_force);
}

}  // namespace

std::size_t Plan::index(double t) const {
  const double last = static_cast<double>(samples.size() - 1);
  return static_cast<std::size_t>(std::clamp(std::round(t / dt), 0.0, last));
}

Plan make_plan(const WalkingRobot& robot, const BodyPath& path, double dt) {
  const long count = count_of(path, dt);
  Planner planner(robot, path);
  Plan plan;
  plan.dt = dt;
  PlanMetrics& f = plan.metrics;
  f.zmp_margin = f.least_force = std::numeric_limits<double>::infinity();
  for (long k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) * dt;
    const std::string where = place(path, t);
    const Instant now = path.at(t);
    const PlanSample sample = planner.pose(now, t);
    keep_larger(worst_of(robot.model, sample.v, &models::DofLimits::speed, where, "rad/s"), f.speed,
                f.speed_joint);
    models::BalancePoint point;
    const bool presses = planner.ground(sample, point);
    const bool supported = now.support[0] || now.support[1];
    if (supported) {
      if (!presses) throw ConfigError(where + "the ground would have to pull");
      check_support(robot, now, point, where, f);
      f.base_gap = std::max(f.base_gap, planner.joint_forces(now, point));
    }
    Eigen::VectorXd tau = planner.tau();
    tau.head<6>().setZero();
    keep_larger(worst_of(robot.model, tau, &models::DofLimits::effort, where, "N m"), f.torque,
                f.torque_joint);
    plan.samples.push_back(sample);
    plan.instants.push_back(now);
    plan.zmp.push_back(supported ? Vec2(point.point.head<2>()) : Vec2(kNaN, kNaN));
    plan.tau.push_back(std::move(tau));
  }
  return plan;
}

std::vector<Vec2> zero_moment_points(const WalkingRobot& robot, const BodyPath& path, double dt) {
  const long count = count_of(path, dt);
  Planner planner(robot, path);
  std::vector<Vec2> points;
  for (long k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) * dt;
    models::BalancePoint point;
    const bool presses = planner.ground(planner.pose(path.at(t), t), point);
    points.push_back(presses ? Vec2(point.point.head<2>()) : Vec2(kNaN, kNaN));
  }
  return points;
}

}  // namespace kagami::motions
