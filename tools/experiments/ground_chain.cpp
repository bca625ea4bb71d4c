#include "tools/experiments/ground_chain.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/dynamics/energy.hpp"
#include "models/robot/builder.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

models::World make_world(const Scenario& s, GroundMethod method) {
  models::ContactSettings contact = s.contact;
  contact.method = method == GroundMethod::kMultipoint ? models::MethodName::kMultipoint
                                                       : models::MethodName::kRelaxed;
  models::Scene scene = s.scene;
  if (method == GroundMethod::kSpringDamper) scene.statics.clear();
  return {scene, contact, s.capacity};
}

models::MassProperties mass_of(const models::Body& body) {
  return {body.inertia.mass, body.inertia.com(), body.inertia.about_com()};
}

// a force at a vertex, constant in W while the vertex moves
struct HeldForce {
  BodyIndex body = 0;
  Vec3 p_BQ = Vec3::Zero();  // m
  Vec3 f = Vec3::Zero();     // N, in W
};

}  // namespace

const char* name(GroundMethod method) {
  constexpr const char* kNames[] = {"relaxed", "multipoint", "spring-damper"};
  return kNames[static_cast<int>(method)];
}

Scenario chain_of(const Scenario& scenario, int links) {
  const models::SceneSystem& from = scenario.scene.systems.front();
  const int own = from.model.num_bodies();
  if (own < 2 || from.model.num_v() != own || static_cast<int>(from.shapes.size()) != own)
    throw ConfigError(scenario.file +
                      ": expected a chain of at least two links, a hinge and a box each");
  if (links == own) return scenario;

  Scenario s = scenario;
  models::SceneSystem& chain = s.scene.systems.front();
  models::ModelBuilder builder;
  builder.set_gravity(from.model.gravity());
  chain.shapes.clear();
  for (int i = 0; i < links; ++i) {
    const int like = std::min(i, 1);
    const models::Body& body = from.model.body(like);
    models::Pose X_PJ = body.X_PJ;
    if (i == 0) X_PJ.p -= (links - own) * from.model.body(1).X_PJ.p;
    const std::string number = std::to_string(i + 1);
    builder.add_body("link" + number, i - 1, "joint" + number, body.joint, X_PJ, mass_of(body));
    chain.shapes.push_back(from.shapes[static_cast<std::size_t>(like)]);
    chain.shapes.back().body = i;
  }
  chain.model = builder.build();
  chain.start = models::neutral_state(chain.model);
  chain.start.q[0] = from.start.q[0];
  const double kd = scenario.holds.front().kd[0];
  s.holds.front() = {JointVector::Zero(links), JointVector::Constant(links, kd)};
  s.capacity = {.bodies = links, .points = 8 * links};
  return s;
}

/// The chain under its dampers and the forces at its vertices.
class GroundChain::Source final : public models::AccelerationSource {
 public:
  Source(const models::Model& model, const PostureHold& hold, const SpringDamper* springs)
      : model_(model),
        hold_(hold),
        springs_(springs),
        k_(model),
        workspace_(model),
        tau_(JointVector::Zero(model.num_v())) {}

  bool acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    models::forward_kinematics(model_, q, v, k_);
    F_ext.assign(static_cast<std::size_t>(model_.num_bodies()), models::Force::zero());
    if (springs_ != nullptr) springs_->add_forces(k_, F_ext);
    for (const HeldForce& held : held_forces) {
      const auto body = static_cast<std::size_t>(held.body);
      const Vec3 f = k_.X_WB[body].R.transpose() * held.f;
      F_ext[body] += models::Force::from(held.p_BQ.cross(f), f);
    }
    tau_ = -hold_.kd.cwiseProduct(v);
    models::aba(model_, q, v, tau_, {.F_ext = F_ext}, workspace_, vdot);
    return vdot.allFinite();
  }

  std::vector<HeldForce> held_forces;
  std::vector<models::Force> F_ext;

 private:
  const models::Model& model_;
  const PostureHold& hold_;
  const SpringDamper* springs_;
  models::Kinematics k_;
  models::AbaWorkspace workspace_;
  JointVector tau_;
};

GroundChain::GroundChain(const Scenario& scenario, const GroundStepping& stepping)
    : s_(scenario),
      stepping_(stepping),
      world_(make_world(scenario, stepping.method)),
      k_(world_.model(0)),
      integrator_(world_.model(0), models::Scheme::kRkg),
      forces_(scenario.scene.systems.front().shapes.back().mesh.vertices().size()) {
  const models::SceneSystem& chain = s_.scene.systems.front();
  if (stepping.method == GroundMethod::kSpringDamper)
    springs_ = std::make_unique<SpringDamper>(
        chain, models::pair_of(chain.shapes.front().surface, s_.scene.statics.front().surface),
        SpringDamperSettings{});
  source_ = std::make_unique<Source>(world_.model(0), s_.holds.front(), springs_.get());
  measure(world_.state(0).v);
  damped_ = 0.0;
}

GroundChain::~GroundChain() = default;

bool GroundChain::step() {
  const JointVector v_before = world_.state(0).v;
  const double before = thread_seconds();
  const bool stepped =
      stepping_.scheme == models::Scheme::kRkg ? gill_step() : semi_implicit_step();
  cpu_ += thread_seconds() - before;
  if (!stepped) return false;
  read_contacts();
  measure(v_before);
  return std::isfinite(energy_);
}

double GroundChain::speed() const {
  return world_.state(0).v.cwiseAbs().maxCoeff();
}

bool GroundChain::semi_implicit_step() {
  hold_posture(s_.holds.front(), s_.scene.systems.front().start.q, 0, stepping_.h, world_);
  if (springs_) {
    const models::State& s = world_.state(0);
    models::forward_kinematics(world_.model(0), s.q, s.v, k_);
    std::vector<models::Force>& F_ext = world_.drive(0).F_ext;
    F_ext.assign(static_cast<std::size_t>(world_.model(0).num_bodies()), models::Force::zero());
    springs_->add_forces(k_, F_ext);
    springs_->settle(k_);
  }
  return world_.step(stepping_.h) != models::WorldStatus::kNotFinite;
}

// a step of the world finds the impulses; then the same step again under their mean forces
bool GroundChain::gill_step() {
  models::State state = world_.state(0);
  source_->held_forces.clear();
  if (springs_) {
    models::forward_kinematics(world_.model(0), state.q, state.v, k_);
    springs_->settle(k_);
  } else {
    world_.drive(0).tau = -s_.holds.front().kd.cwiseProduct(state.v);
    if (world_.step(stepping_.h) == models::WorldStatus::kNotFinite) return false;
    for (const models::WorldContact& c : world_.contacts()) {
      if (c.other == models::kNoStatic) continue;  // links with each other: not at corners
      const models::BodyShape& shape =
          s_.scene.systems.front().shapes[static_cast<std::size_t>(c.shape)];
      source_->held_forces.push_back({shape.body,
                                      shape.mesh.vertices()[static_cast<std::size_t>(c.vertex)],
                                      c.force.impulse.force() / stepping_.h});
    }
  }
  if (integrator_.advance(*source_, stepping_.h, t_, state) != models::StepStatus::kOk)
    return false;
  world_.state(0) = state;
  return true;
}

// depth as the step found it
void GroundChain::read_contacts() {
  const int last_shape = static_cast<int>(s_.scene.systems.front().shapes.size()) - 1;
  depth_ = 0.0;
  std::fill(forces_.begin(), forces_.end(), 0.0);
  for (const models::WorldContact& c : world_.contacts()) {
    depth_ = std::max(depth_, -c.point.gap);
    if (c.shape == last_shape && c.other != models::kNoStatic)
      forces_[static_cast<std::size_t>(c.vertex)] += c.force.local[0] / stepping_.h;
  }
  if (!springs_) return;
  const std::vector<SpringCorner>& corners = springs_->corners();
  for (const SpringCorner& c : corners) depth_ = std::max(depth_, c.depth);
  for (std::size_t i = 0; i < forces_.size(); ++i)
    forces_[i] = corners[corners.size() - forces_.size() + i].normal;
}

// implicit dampers push by the new velocity over the mean way; else v is straight within the step
void GroundChain::measure(const JointVector& v_before) {
  const models::State& s = world_.state(0);
  models::forward_kinematics(world_.model(0), s.q, s.v, k_);
  energy_ = models::kinetic_energy(world_.model(0), s.v, k_) +
            models::potential_energy(world_.model(0), k_);
  for (int i = 0; i < s.v.size(); ++i) {
    const double a = v_before[i];
    const double b = s.v[i];
    const double square = stepping_.scheme == models::Scheme::kRkg ? (a * a + a * b + b * b) / 3.0
                                                                   : b * (a + b) / 2.0;
    damped_ -= s_.holds.front().kd[i] * square * stepping_.h;
  }
}

}  // namespace kagami::tools
