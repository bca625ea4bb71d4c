#include "tools/experiments/hoap_run.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/spatial/vectors.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

using motions::Plan;
using motions::PlanMetrics;
using motions::PlanSample;
using motions::Vec2;
using motions::WalkingRobot;

constexpr double kGravity = 9.81;  // m/s^2, of the shipped models
using models::kNaN;
const models::Surface kFloor{0.8, 0.8, 0.0};  // rubber soles on a laboratory floor

models::World make_world(const WalkingRobot& robot, const Eigen::VectorXd& q,
                         const std::string& contact) {
  models::State start = models::neutral_state(robot.model);
  start.q = q;
  models::ContactSettings settings;
  settings.method = models::contact_method(contact);
  return {hoap_scene(robot, start, kFloor), settings};
}

// N m, what a servo gave in the last step: implicit terms at the step's mean acceleration
double torque_of(const models::World& world, int k) {
  const models::Drive& drive = world.drive(0);
  const double implicit = drive.added_inertia[k] - world.model(0).rotor_inertia()[k];
  return drive.tau[k] - implicit * world.vdot(0)[k];
}

}  // namespace

HoapRun::HoapRun(const WalkingRobot& robot, const Eigen::VectorXd& q, const std::string& contact,
                 double h)
    : robot_(robot),
      h_(h),
      world_(make_world(robot, q, contact)),
      trial_(make_world(robot, q, contact)),
      watch_(world_),
      kinematics_(robot.model),
      rnea_(robot.model) {
  world_.drive(0).F_ext.assign(static_cast<std::size_t>(robot.model.num_bodies()),
                               models::Force::zero());
  measure_motion();
  row_.E = models::kinetic_energy(robot.model, world_.state(0).v, kinematics_) +
           models::potential_energy(robot.model, kinematics_);
  row_.cop.setConstant(kNaN);
}

// tau = fed + kp (q_ref - q - h v+) + kd (v_ref - v+), v+ = v + h vdot: what hangs on vdot is added
// inertia; at the servo's limit the torque is constant
void HoapRun::drive_servos(const PlanSample& next, const Eigen::VectorXd* feed) {
  const models::Model& model = robot_.model;
  const models::State& s = world_.state(0);
  models::Drive& drive = world_.drive(0);
  for (BodyIndex b = 1; b < model.num_bodies(); ++b) {
    const models::Body& body = model.body(b);
    const int k = body.v_index;
    const double v = s.v[k];
    const double fed = feed == nullptr ? 0.0 : (*feed)[k];
    const double tau = fed + servos_.kp * (next.q[body.q_index] - s.q[body.q_index] - h_ * v) +
                       servos_.kd * (next.v[k] - v);
    const double most = model.limits(k).effort;
    const bool saturated = std::abs(tau) > most;
    drive.tau[k] = std::clamp(tau, -most, most);
    drive.added_inertia[k] = model.rotor_inertia()[k];
    if (!saturated) drive.added_inertia[k] += h_ * (servos_.kd + h_ * servos_.kp);
  }
}

// the implicit damping of a joint that an impact stops would exceed what its servo can give; only
// known at the step's end, so a second world tries the step first
void HoapRun::limit_servos() {
  trial_.state(0) = world_.state(0);
  trial_.drive(0) = world_.drive(0);
  if (trial_.step(h_) == models::WorldStatus::kNotFinite) return;  // the step itself will say so
  const models::Model& model = robot_.model;
  models::Drive& drive = world_.drive(0);
  for (int k = 6; k < model.num_v(); ++k) {
    const double most = model.limits(k).effort;
    const double tau = torque_of(trial_, k);
    if (std::abs(tau) <= most) continue;
    drive.tau[k] = std::copysign(most, tau);
    drive.added_inertia[k] = model.rotor_inertia()[k];
  }
}

void HoapRun::drive_push(const Vec3& push) {
  const models::Pose& X_WB = kinematics_.X_WB[0];
  models::Force& F_Bo_B = world_.drive(0).F_ext[0];
  F_Bo_B.c.tail<3>() = X_WB.R.transpose() * push;
  const models::SpatialInertia& I = robot_.model.body(0).inertia;
  const Vec3 force = F_Bo_B.c.tail<3>();
  F_Bo_B.c.head<3>() = I.com().cross(force);
}

void HoapRun::step(const PlanSample& next, const Eigen::VectorXd* feed, const Vec3& push) {
  drive_servos(next, feed);
  drive_push(push);
  limit_servos();
  if (world_.step(h_) == models::WorldStatus::kNotFinite)
    throw Error("the simulation stopped at t = " + full_digits(row_.t) + " s: not finite");
  row_.t += h_;
  const models::StepEnergy energy = watch_.after_step(h_);
  row_.E = energy.stored;
  row_.drive = watch_.drive();
  row_.integrator = watch_.integrator();
  row_.contact_gain = watch_.contact_gain();
  measure_ground();
  measure_motion();
  measure_servos();
}

void HoapRun::measure_motion() {
  const models::Model& model = robot_.model;
  const models::State& s = world_.state(0);
  models::forward_kinematics(model, s.q, s.v, kinematics_);
  const models::Pose& X_WB = kinematics_.X_WB[0];
  row_.base = X_WB.p;
  row_.tilt = std::acos(std::clamp(X_WB.R(2, 2), -1.0, 1.0));
  row_.com = models::center_of_mass(model, kinematics_);
  const models::Force h = models::momentum_about_com(model, kinematics_);
  row_.L = h.c.head<3>();
  row_.P = h.c.tail<3>();
  row_.speed = s.v.tail(model.num_v() - 6).cwiseAbs().maxCoeff();
  // inverse dynamics without acceleration, the root's velocity kept in W; gravity taken out
  JointVector vdot = JointVector::Zero(model.num_v());
  const Vec3 w = s.v.head<3>();
  const Vec3 u = s.v.segment<3>(3);
  vdot.segment<3>(3) = -w.cross(u);
  JointVector tau = JointVector::Zero(model.num_v());
  models::rnea(model, s.q, s.v, vdot, rnea_, tau);
  const Vec3 force = X_WB.R * tau.segment<3>(3) + model.total_mass() * model.gravity();
  const Vec3 arm = row_.com - X_WB.p;
  const Vec3 about_base = X_WB.R * tau.head<3>();
  const Vec3 whole = X_WB.R * tau.segment<3>(3);
  row_.bias_force = force.norm();
  row_.bias_moment = (about_base - arm.cross(whole)).norm();
}

void HoapRun::add_force(int body, double normal, double deep, const models::Force& impulse,
                        const Vec3& at) {
  row_.deepest = std::max(row_.deepest, deep);
  if (normal <= 0.0) return;
  ++row_.contacts;
  row_.normal += normal / h_;
  if (body < 2) row_.foot[static_cast<std::size_t>(body)] += normal / h_;  // shapes 0 and 1
  ground_ += models::at_origin(at, impulse * (1.0 / h_));
}

void HoapRun::measure_ground() {
  row_.contacts = 0;
  row_.normal = row_.deepest = 0.0;
  row_.foot = {0.0, 0.0};
  ground_ = models::Force::zero();
  for (const models::WorldContact& c : world_.contacts()) {
    if (c.other == models::kNoStatic) continue;  // the robot with itself
    add_force(c.body, c.force.local[0], -c.point.gap, c.force.impulse, c.point.p);
  }
  for (int i = 0; i < world_.num_patches(); ++i) {
    const models::WorldPatch c = world_.patch(i);
    if (c.other != models::kStaticBody) continue;  // the robot with itself
    add_force(c.patch.a, c.force.local[5], patch_depth(c), c.force.impulse, c.patch.patch.centroid);
  }
  models::BalancePoint point;
  const bool presses = models::balance_point(ground_, {}, point) == models::BalanceStatus::kOk;
  row_.cop = presses ? Vec2(point.point.head<2>()) : Vec2(kNaN, kNaN);
}

void HoapRun::measure_servos() {
  row_.torque = 0.0;
  for (int k = 6; k < robot_.model.num_v(); ++k)
    row_.torque = std::max(row_.torque, std::abs(torque_of(world_, k)));
}

std::vector<std::string> hoap_contacts() {
  return {"multipoint", "relaxed", "volumetric"};
}

ExperimentInfo hoap_info(const std::string& name, const std::string& title,
                         const std::string& figure, const std::string& shows, double duration) {
  ExperimentInfo info;
  info.name = name;
  info.title = title;
  info.paper = "Sugihara and Nakamura 2002";
  info.figures = figure;
  info.shows = shows;
  info.robots = {"hoap1"};
  info.defaults = {1e-3, duration, "semi-implicit-euler", "aba"};
  info.defaults.contact = "multipoint";
  info.integrators = {"semi-implicit-euler"};
  info.algorithms = {"aba"};
  info.contacts = hoap_contacts();
  return info;
}

Trace hoap_trace(const std::vector<HoapRow>& rows, const Plan* plan) {
  Trace trace;
  trace.columns = {"t",    "basex", "basey",  "basez",      "tilt",   "comx",     "comy",
                   "comz", "Px",    "Py",     "Pz",         "Lx",     "Ly",       "Lz",
                   "copx", "copy",  "force",  "left",       "right",  "contacts", "deepest",
                   "E",    "work",  "E_less", "integrator", "torque", "speed"};
  if (plan != nullptr)
    for (const char* name :
         {"planned:comx", "planned:comy", "planned:comz", "planned:zmpx", "planned:zmpy"})
      trace.columns.emplace_back(name);
  for (const HoapRow& r : rows) {
    std::vector<double>& row = trace.rows.emplace_back();
    row.push_back(r.t);
    row.insert(row.end(), r.base.data(), r.base.data() + 3);
    row.push_back(r.tilt);
    for (const Vec3* v : {&r.com, &r.P, &r.L}) row.insert(row.end(), v->data(), v->data() + 3);
    for (const double x :
         {r.cop.x(), r.cop.y(), r.normal, r.foot[0], r.foot[1], static_cast<double>(r.contacts),
          r.deepest, r.E, r.drive, r.E - r.drive, r.integrator, r.torque, r.speed})
      row.push_back(x);
    if (plan == nullptr) continue;
    const std::size_t i = plan->index(r.t);
    const Vec3& com = plan->instants[i].targets.com.p;
    row.insert(row.end(), com.data(), com.data() + 3);
    row.push_back(plan->zmp[i].x());
    row.push_back(plan->zmp[i].y());
  }
  return trace;
}

std::vector<HoapRow> follow_plan(const WalkingRobot& robot, const Plan& plan,
                                 const ExperimentSettings& settings, bool feed) {
  HoapRun run(robot, plan.samples.front().q, settings.contact, settings.dt);
  std::vector<HoapRow> rows = {run.row()};
  const long steps = std::lround(settings.duration / settings.dt);
  for (long k = 1; k <= steps; ++k) {
    const std::size_t i = plan.index(static_cast<double>(k) * settings.dt);
    run.step(plan.samples[i], feed ? &plan.tau[i] : nullptr);
    rows.push_back(run.row());
  }
  return rows;
}

HoapMost most_of(const std::vector<HoapRow>& rows) {
  HoapMost most;
  for (const HoapRow& r : rows) {
    most.torque = std::max(most.torque, r.torque);
    most.speed = std::max(most.speed, r.speed);
    most.deepest = std::max(most.deepest, r.deepest);
  }
  return most;
}

double gain_allowed(const std::vector<HoapRow>& rows, double weight) {
  constexpr double kRounding = 1e-9;  // J
  return weight * most_of(rows).deepest + kRounding;
}

double rise_allowed(const std::vector<HoapRow>& rows, double weight, double h) {
  double fastest = 0.0;  // kg m/s, downward
  for (const HoapRow& r : rows) fastest = std::max(fastest, -r.P.z());
  return 0.5 * h * kGravity * fastest + gain_allowed(rows, weight);
}

double weight_of(const WalkingRobot& robot) {
  return robot.model.total_mass() * robot.model.gravity().norm();
}

Drift hoap_energy(const std::vector<HoapRow>& rows) {
  double lowest = std::numeric_limits<double>::infinity();
  double rise = 0.0;
  for (const HoapRow& r : rows) {
    lowest = std::min(lowest, r.E - r.drive);
    rise = std::max(rise, r.E - r.drive - lowest);
  }
  return {"energy less the servos' work, rise", "J", rows.front().E, rise};
}

std::string plan_sentence(const Plan& plan) {
  const PlanMetrics& f = plan.metrics;
  return fmt::format(
      "planned: at most {:.3g} rad/s ({}) and {:.3g} N m ({}), zero-moment point at least {:.3g} "
      "mm "
      "inside the soles",
      f.speed, f.speed_joint, f.torque, f.torque_joint, 1e3 * f.zmp_margin);
}

double mean_load(const std::vector<HoapRow>& rows, double seconds, double h, double weight) {
  const auto count = static_cast<std::size_t>(std::lround(seconds / h));
  if (count == 0 || rows.size() <= count) return kNaN;
  double sum = 0.0;
  for (std::size_t i = rows.size() - count; i < rows.size(); ++i) sum += rows[i].normal;
  return sum / (static_cast<double>(count) * weight);
}

}  // namespace kagami::tools
