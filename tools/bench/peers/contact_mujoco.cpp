// Scenes of contact in MuJoCo: Newton solver, elliptic cones, the stiff settings of the published
// comparison (solref of two steps, solimp 0.99 0.999 1e-4).
#include <cstdio>

#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/peers/mjcf.hpp"

namespace kagami::bench {
namespace {

constexpr const char* kElliptic = "cone=\"elliptic\" impratio=\"10\"";

/// Content of a <geom> besides its shape; stiff, for steps of dt (s).
std::string surface(double friction, double dt) {
  char text[200];
  std::snprintf(text, sizeof text,
                "friction=\"%g 0 0\" condim=\"3\" solref=\"%g 1\" solimp=\"0.99 0.999 0.0001\"",
                friction, 2 * dt);
  return text;
}

std::string box_geom(const Triple& size, double z, const std::string& more) {
  char text[300];
  std::snprintf(text, sizeof text,
                "<geom type=\"box\" size=\"%.17g %.17g %.17g\" pos=\"0 0 %.17g\" ", size[0] / 2,
                size[1] / 2, size[2] / 2, z);
  return text + more + "/>";
}

std::string floor_geom(const std::string& more) {
  return "<geom type=\"plane\" size=\"5 5 1\" " + more + "/>";
}

/// Sum of the normal forces between the world and bodies, and how many places carry any.
double ground_force(const mjModel* m, const mjData* d, int& carrying) {
  double sum = 0.0;
  carrying = 0;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& c = d->contact[i];
    if ((m->geom_bodyid[c.geom1] == 0) == (m->geom_bodyid[c.geom2] == 0) || c.efc_address < 0)
      continue;
    double force[6];
    mj_contactForce(m, d, i, force);
    sum += force[0];
    carrying += force[0] > 0.0 ? 1 : 0;
  }
  return sum;
}

/// J, of the present state; the places of bodies become the present ones too (a step leaves those
/// of its start).
double energy(mjModel* m, mjData* d) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  m->opt.enableflags = mjENBL_ENERGY;
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  m->opt.enableflags = 0;  // no step computes it
  return d->energy[0] + d->energy[1];
}

class MujocoRobot : public RobotSim {
 public:
  MujocoRobot() : def_(khr1_standing()), servo_(def_) {
    const std::string skin = surface(kRobotFriction, kRobotStep);
    m_ = load_mjcf(mjcf(
        def_, kElliptic, "",
        [&](const BodyDef& b) {
          return b.name.find("foot") == std::string::npos ? std::string()
                                                          : box_geom(kSole, kSoleZ, skin);
        },
        floor_geom(skin)));
    d_.reset(mj_makeData(m_.get()));
  }

  void reset(double drop) override {
    mj_resetData(m_.get(), d_.get());
    d_->qpos[2] = kRobotHeight + drop;
  }

  void step(double a) override {
    for (int k = 0; k < m_->nv - 6; ++k)
      d_->qfrc_applied[6 + k] = servo_.tau(k, a, d_->qpos[7 + k], d_->qvel[6 + k]);
    mj_step(m_.get(), d_.get());
  }

  RobotView view() override {
    RobotView view;
    view.energy = energy(m_.get(), d_.get());
    std::size_t corner = 0;
    std::size_t axis = 0;
    for (const int foot : feet(def_)) {
      const double* R = d_->xmat + 9 * (foot + 1);  // body 0 is the world
      const double* p = d_->xpos + 3 * (foot + 1);
      for (const double x : {-.5, .5})
        for (const double y : {-.5, .5})
          view.corner_z[corner++] =
              p[2] + R[6] * x * kSole[0] + R[7] * y * kSole[1] + R[8] * (kSoleZ - .5 * kSole[2]);
      view.sole_xy[axis++] = p[0] + R[2] * kSoleZ;
      view.sole_xy[axis++] = p[1] + R[5] * kSoleZ;
    }
    view.force = ground_force(m_.get(), d_.get(), view.carrying);
    return view;
  }

 private:
  ModelDef def_;
  SquatServo servo_;
  MujocoModel m_;
  MujocoData d_;
};

class MujocoPendulum : public PendulumSim {
 public:
  explicit MujocoPendulum(double dt) {
    const std::string skin = surface(kLinkFriction, dt);
    // links meet the ground only
    const std::string link = box_geom(kLink, kLinkZ, "contype=\"2\" conaffinity=\"1\" " + skin);
    m_ = load_mjcf(mjcf(
        ground_pendulum(), "", "", [&](const BodyDef&) { return link; },
        floor_geom("contype=\"1\" conaffinity=\"2\" " + skin)));
    m_->opt.timestep = dt;
    d_.reset(mj_makeData(m_.get()));
    d_->qpos[0] = kFirstAngle;
    mj_forward(m_.get(), d_.get());
  }

  void step() override { mj_step(m_.get(), d_.get()); }

  PendulumView view() override {
    PendulumView view;
    view.energy = energy(m_.get(), d_.get());
    view.depth = -1.0;
    for (int b = 1; b < m_->nbody; ++b)
      view.depth = std::max(view.depth, depth_of(d_->xipos + 3 * b, d_->xmat + 9 * b, kLink));
    for (int k = 0; k < m_->nv; ++k) view.speed = std::max(view.speed, std::fabs(d_->qvel[k]));
    int carrying = 0;
    view.force = ground_force(m_.get(), d_.get(), carrying);
    return view;
  }

 private:
  MujocoModel m_;
  MujocoData d_;
};

class MujocoStack : public StackSimulation {
 public:
  MujocoStack(int boxes, double dt) {
    const std::string skin = stack_surface();
    std::string world =
        "<mujoco><compiler inertiafromgeom=\"false\" boundmass=\"0\" "
        "boundinertia=\"0\"/><size njmax=\"4000\" nconmax=\"1000\" "
        "nstack=\"20000000\"/><option gravity=\"0 0 -9.81\"/><worldbody>" +
        floor_geom(skin);
    for (const BoxPose& box : falling_boxes(boxes)) world += box_body(box, skin);
    m_ = load_mjcf(world + "</worldbody></mujoco>");
    m_->opt.timestep = dt;
    d_.reset(mj_makeData(m_.get()));
    mj_forward(m_.get(), d_.get());
  }

  void step() override { mj_step(m_.get(), d_.get()); }

  StackView view() override {
    StackView view;
    view.energy = energy(m_.get(), d_.get());
    view.force.resize(static_cast<std::size_t>(m_->nbody - 1));
    for (int b = 1; b < m_->nbody; ++b) {
      const double* p = d_->xpos + 3 * b;
      view.centre.push_back({p[0], p[1], p[2]});
      view.depth = std::max(view.depth, depth_of(p, d_->xmat + 9 * b, kBox));
    }
    for (int i = 0; i < d_->ncon; ++i) {
      const mjContact& c = d_->contact[i];
      const int a = m_->geom_bodyid[c.geom1];
      const int b = m_->geom_bodyid[c.geom2];
      if ((a != 0 && b != 0) || c.efc_address < 0) continue;
      double force[6];
      mj_contactForce(m_.get(), d_.get(), i, force);
      view.force[static_cast<std::size_t>(std::max(a, b) - 1)] += force[0];
    }
    return view;
  }

 private:
  /// MuJoCo's own default stiffness: the stiff one throws light boxes.
  static std::string stack_surface() {
    char text[60];
    std::snprintf(text, sizeof text, "friction=\"%g 0 0\" condim=\"3\"", kBoxFriction);
    return text;
  }

  static std::string box_body(const BoxPose& box, const std::string& skin) {
    const Triple I = box_inertia(kBoxMass, kBox);
    char text[500];
    std::snprintf(text, sizeof text,
                  "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"><freejoint/>"
                  "<inertial pos=\"0 0 0\" mass=\"%g\" diaginertia=\"%.17g %.17g %.17g\"/>",
                  box.p[0], box.p[1], box.p[2], box.q[0], box.q[1], box.q[2], box.q[3], kBoxMass,
                  I[0], I[1], I[2]);
    return text + box_geom(kBox, 0.0, skin) + "</body>";
  }

  MujocoModel m_;
  MujocoData d_;
};

}  // namespace

void add_contact_rows() {
  add_robot_rows("", [] { return std::make_unique<MujocoRobot>(); });
  add_pendulum_rows("", [](double dt) { return std::make_unique<MujocoPendulum>(dt); });
  add_stack_rows("", 50, [](int n, double dt) { return std::make_unique<MujocoStack>(n, dt); });
}

}  // namespace kagami::bench
