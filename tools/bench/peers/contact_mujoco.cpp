// Scenes of contact in MuJoCo: Newton solver, elliptic cones, the stiff settings of the published
// comparison (solref of two steps, solimp 0.99 0.999 1e-4).
#include <cstdio>

#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/peers/mjcf.hpp"

namespace kagami::bench {
namespace {

constexpr const char* kStiff = "solref=\"0.002 1\" solimp=\"0.99 0.999 0.0001\"";
constexpr const char* kElliptic = "cone=\"elliptic\" impratio=\"10\"";

/// What stands in a <geom> besides its shape.
std::string surface(double friction) {
  char text[200];
  std::snprintf(text, sizeof text, "friction=\"%g 0 0\" condim=\"3\" %s", friction, kStiff);
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

class MujocoRobot : public RobotSim {
 public:
  MujocoRobot() : def_(khr1_standing()), servo_(def_) {
    const std::string skin = surface(kRobotFriction);
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

  RobotView look() override {
    RobotView view;
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
    m_->opt.enableflags = mjENBL_ENERGY;
    mj_energyPos(m_.get(), d_.get());
    mj_energyVel(m_.get(), d_.get());
    m_->opt.enableflags = 0;  // no step computes it
    view.energy = d_->energy[0] + d_->energy[1];
    return view;
  }

 private:
  ModelDef def_;
  SquatServo servo_;
  MujocoModel m_;
  MujocoData d_;
};

}  // namespace

void add_contact_rows() {
  add_robot_rows("", [] { return std::make_unique<MujocoRobot>(); });
}

}  // namespace kagami::bench
