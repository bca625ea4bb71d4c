// kagami-bench-mujoco: MuJoCo's parts of the dynamics, and its step of the four-bar.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/peers/mjcf.hpp"

namespace kagami::bench {
namespace {

/// A model with its data and the states it visits.
class Subject {
 public:
  explicit Subject(const ModelDef& def)
      : m_(load_mjcf(mjcf(def, "", ""))),
        d_(mj_makeData(m_.get())),
        states_(bench_states(def)),
        base_v_(def.floating() ? 6 : 0),
        base_q_(def.floating() ? 7 : 0),
        joints_(def.num_joints()),
        jacobian_(static_cast<std::size_t>(6 * m_->nv + 64)) {}

  void set(int i) {
    const StateDef& s = states_[static_cast<std::size_t>(i)];
    for (int k = 0; k < base_q_; ++k) d_->qpos[k] = k == 3 ? 1.0 : 0.0;
    for (int k = 0; k < base_v_; ++k) d_->qvel[k] = s.twist[static_cast<std::size_t>(k)];
    for (int k = 0; k < joints_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      d_->qpos[base_q_ + k] = s.q[at];
      d_->qvel[base_v_ + k] = s.v[at];
      d_->qfrc_applied[base_v_ + k] = s.tau[at];
    }
  }

  void positions() {
    mj_kinematics(m_.get(), d_.get());
    mj_comPos(m_.get(), d_.get());
  }

  void mass_matrix() {
#if mjVERSION_HEADER < 300
    mj_crb(m_.get(), d_.get());
#else
    mj_makeM(m_.get(), d_.get());
#endif
  }

  /// Only what unconstrained forward dynamics needs; mj_forward does a tenth more.
  void forward_dynamics(int i) {
    set(i);
    positions();
    mass_matrix();
    mj_factorM(m_.get(), d_.get());
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 0, d_->qfrc_bias);
    for (int k = 0; k < m_->nv; ++k) d_->qacc[k] = d_->qfrc_applied[k] - d_->qfrc_bias[k];
    mj_solveM(m_.get(), d_.get(), d_->qacc, d_->qacc, 1);
  }

  void inverse_dynamics(int i) {
    set(i);
    positions();
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 1, d_->qfrc_inverse);
  }

  void com_jacobian(int i) {
    set(i);
    positions();
    mj_jacSubtreeCom(m_.get(), d_.get(), jacobian_.data(), 1);
  }

  double checksum() {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      forward_dynamics(i);
      sum.add(d_->qacc + base_v_, joints_);
    }
    return sum.value();
  }

 private:
  MujocoModel m_;
  MujocoData d_;
  std::vector<StateDef> states_;
  int base_v_;
  int base_q_;
  int joints_;
  std::vector<double> jacobian_;
};

void add_model(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum();
    measure(state, [&](int i) { s.forward_dynamics(i); });
  });
  add_row(def.name + "/inverse_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) { s.inverse_dynamics(i); });
  });
  add_row(def.name + "/mass_matrix", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) {
      s.set(i);
      s.positions();
      s.mass_matrix();
    });
  });
  add_row(def.name + "/com_jacobian", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) { s.com_jacobian(i); });
  });
}

/// Gap (m) of the four-bar's last link to its pivot.
double gap(const FourBar& bar, const mjModel* m, const mjData* d) {
  const int tip = m->nbody - 1;
  const double* R = d->xmat + 9 * tip;
  const double* p = d->xpos + 3 * tip;
  const double x = p[0] + bar.dx(2) * R[0] + bar.dz(2) * R[2] - bar.pivots[3][0];
  const double z = p[2] + bar.dx(2) * R[6] + bar.dz(2) * R[8] - bar.pivots[3][1];
  return std::hypot(x, z);
}

/// Worst gap and energy error over 10 s.
void check_four_bar(benchmark::State& state, const FourBar& bar, mjModel* m, mjData* d) {
  m->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(m, d);
  const double start = d->energy[0] + d->energy[1];
  double worst_gap = 0.0;
  double worst_energy = 0.0;
  for (int i = 0; i < 10000; ++i) {
    mj_step(m, d);
    mj_forward(m, d);
    worst_gap = std::max(worst_gap, gap(bar, m, d));
    worst_energy = std::max(worst_energy, std::fabs(d->energy[0] + d->energy[1] - start));
  }
  state.counters["gap_m"] = worst_gap;
  state.counters["energy"] = worst_energy / four_bar_swing_energy();
  m->opt.enableflags = 0;
  mj_resetData(m, d);
}

/// The stiff settings of the published comparison: the connection's own time constant is two steps.
void add_four_bar(const std::string& row, const std::string& integrator) {
  add_row(row, [integrator](benchmark::State& state) {
    const FourBar bar;
    char tail[300];
    std::snprintf(tail, sizeof tail,
                  "<equality><connect body1=\"l2\" anchor=\"%.17g 0 %.17g\" solref=\"0.002 1\" "
                  "solimp=\"0.99 0.999 0.0001\"/></equality>",
                  bar.dx(2), bar.dz(2));
    const MujocoModel m = load_mjcf(mjcf(bar.tree(), "integrator=\"" + integrator + "\"", tail));
    const MujocoData d(mj_makeData(m.get()));
    check_four_bar(state, bar, m.get(), d.get());
    measure(state, [&](int) { mj_step(m.get(), d.get()); });
  });
}

std::string engine_name() {
  const int v = mj_version();  // 222 = 2.2.2
  return "mujoco " + std::to_string(v / 100) + "." + std::to_string(v / 10 % 10) + "." +
         std::to_string(v % 10);
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  for (const ModelDef& model : compared_models()) add_model(model);
  add_four_bar("four_bar/semi_implicit", "Euler");
  add_four_bar("four_bar/fourth_order", "RK4");
  return run_rows(argc, argv, engine_name());
}
