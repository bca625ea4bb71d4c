/// The HOAP-1 on the ground under its servos: steps, and what is measured of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/contact/world/world.hpp"
#include "models/contact/world/world_energy.hpp"
#include "motions/planner/plan.hpp"
#include "tools/experiments/experiment.hpp"
#include "tools/experiments/hoap_robot.hpp"

namespace kagami::tools {

/// One row. In W; forces are means over the step that ended at t.
struct HoapRow {
  double t = 0.0;                             ///< s
  Vec3 base = Vec3::Zero();                   ///< m, the trunk's origin between the hips
  double tilt = 0.0;                          ///< rad, of the trunk from upright
  Vec3 com = Vec3::Zero();                    ///< m
  Vec3 P = Vec3::Zero();                      ///< kg m/s
  Vec3 L = Vec3::Zero();                      ///< kg m^2/s, about the mass centre
  motions::Vec2 cop = motions::Vec2::Zero();  ///< m, centre of pressure; NaN where nothing presses
  double normal = 0.0;                        ///< N, of the whole ground
  std::array<double, 2> foot = {0.0, 0.0};    ///< N, its share under the left and the right foot
  int contacts = 0;                           ///< points or patches that press
  double deepest = 0.0;                       ///< m
  double E = 0.0;                             ///< J, kinetic and potential
  double drive = 0.0;                         ///< J, work of servos and pushes since the start
  double integrator = 0.0;    ///< J, what the integrator's error supplied since then
  double contact_gain = 0.0;  ///< J, what contacts fed in since the start
  double bias_force = 0.0;    ///< N, rate of the momentum by velocities alone (no acceleration)
  double bias_moment = 0.0;   ///< N m, the same of L
  double torque = 0.0;        ///< N m, the largest that a servo gave
  double speed = 0.0;         ///< rad/s, of the fastest joint
};

/// Steps of h; the same calls give the same bits.
class HoapRun {
 public:
  /// At rest at q. `contact`: a method's name. Throws ConfigError or ModelError.
  HoapRun(const motions::WalkingRobot& robot, const Eigen::VectorXd& q, const std::string& contact,
          double h);

  /// One step: the servos draw to `next`, which should be reached at its end, `feed` (N m per
  /// degree of freedom, null: nothing) is added to what they give; `push` (N, W) acts on the
  /// trunk's mass centre. Throws Error when nothing finite comes out.
  void step(const motions::PlanSample& next, const Eigen::VectorXd* feed,
            const Vec3& push = Vec3::Zero());
  [[nodiscard]] const HoapRow& row() const { return row_; }

 private:
  void drive_servos(const motions::PlanSample& next, const Eigen::VectorXd* feed);
  void drive_push(const Vec3& push);
  void limit_servos();
  void measure_motion();
  void measure_ground();
  void measure_servos();
  void add_force(int body, double normal, double deep, const models::Force& impulse,
                 const Vec3& at);

  const motions::WalkingRobot& robot_;
  HoapServos servos_;
  double h_;
  models::World world_;
  models::World trial_;
  models::WorldEnergy watch_;
  models::Kinematics kinematics_;
  models::RneaWorkspace rnea_;
  models::Force ground_ = models::Force::zero();  // about Wo
  HoapRow row_;
};

/// From rest at the plan's start; a row before the first step and one after each of `settings`.
/// `feed`: the plan's joint forces are fed forward to the servos.
std::vector<HoapRow> follow_plan(const motions::WalkingRobot& robot, const motions::Plan& plan,
                                 const ExperimentSettings& settings, bool feed);

/// Largest over all rows.
struct HoapMost {
  double torque = 0.0;   ///< N m
  double speed = 0.0;    ///< rad/s
  double deepest = 0.0;  ///< m
};
HoapMost most_of(const std::vector<HoapRow>& rows);
/// J: what contacts may feed in. Penetration that is taken back lifts the weight by the deepest.
double gain_allowed(const std::vector<HoapRow>& rows, double weight);
/// J: what the energy less all work may rise by: h/2 M g v of the fastest fall of the mass centre,
/// which the semi-implicit step gives back where a fall ends, and gain_allowed.
double rise_allowed(const std::vector<HoapRow>& rows, double weight, double h);
/// N.
double weight_of(const motions::WalkingRobot& robot);

/// "multipoint", "relaxed", "volumetric": what the HOAP-1's experiments take for --contact.
std::vector<std::string> hoap_contacts();
/// Description of an experiment with the HOAP-1 (all but the two texts and figures are alike).
ExperimentInfo hoap_info(const std::string& name, const std::string& title,
                         const std::string& figure, const std::string& shows, double duration);

/// A row for each of `rows`, beside what `plan` wanted then (null: no plan).
Trace hoap_trace(const std::vector<HoapRow>& rows, const motions::Plan* plan);
/// Energy less what servos and pushes supplied: how far it rose above its lowest (J).
Drift hoap_energy(const std::vector<HoapRow>& rows);
/// Demands of the plan on the robot, for the notices.
std::string plan_sentence(const motions::Plan& plan);
/// Mean normal force over the rows of the last `seconds`, over `weight`; NaN for fewer rows.
double mean_load(const std::vector<HoapRow>& rows, double seconds, double h, double weight);

}  // namespace kagami::tools
