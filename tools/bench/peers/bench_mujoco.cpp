// kagami-bench-mujoco: MuJoCo's parts of the dynamics, and its step of the four-bar.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/peers/mjcf.hpp"
#include "tools/bench/shipped.hpp"

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

  void positions(int i) {
    set(i);
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
    positions(i);
    mass_matrix();
    mj_factorM(m_.get(), d_.get());
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 0, d_->qfrc_bias);
    for (int k = 0; k < m_->nv; ++k) d_->qacc[k] = d_->qfrc_applied[k] - d_->qfrc_bias[k];
    mj_solveM(m_.get(), d_.get(), d_->qacc, d_->qacc, 1);
  }

  /// The numbers that are torques elsewhere serve as accelerations; the base has no spatial
  /// acceleration, which is w x v in MuJoCo's coordinates.
  void inverse_dynamics(int i) {
    positions(i);
    if (base_v_ > 0) {
      const double* v = d_->qvel;
      const double* w = d_->qvel + 3;
      mju_cross(d_->qacc, w, v);
      mju_zero3(d_->qacc + 3);
    }
    for (int k = 0; k < joints_; ++k) d_->qacc[base_v_ + k] = d_->qfrc_applied[base_v_ + k];
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 1, d_->qfrc_inverse);
  }

  void com_jacobian(int i) {
    positions(i);
    mj_jacSubtreeCom(m_.get(), d_.get(), jacobian_.data(), 1);
  }

  /// Over the states, of what call(i) leaves in `out`, num_v() numbers.
  template <class Call>
  double checksum(Call call, const double* out) {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      call(i);
      sum.add(out + base_v_, joints_);
    }
    return sum.value();
  }

  double mass_matrix_checksum() {
    Checksum sum;
    const auto size = static_cast<std::size_t>(m_->nv);
    std::vector<double> full(size * size);
    for (int i = 0; i < kStates; ++i) {
      positions(i);
      mass_matrix();
      mj_fullM(m_.get(), full.data(), d_->qM);
      for (int r = base_v_; r < m_->nv; ++r) sum.add(&full[row(r)] + base_v_, joints_);
    }
    return sum.value();
  }

  double com_jacobian_checksum() {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      com_jacobian(i);
      for (int r = 0; r < 3; ++r) sum.add(&jacobian_[row(r)] + base_v_, joints_);
    }
    return sum.value();
  }

  const double* accelerations() const {
    return d_->qacc;
  }
  const double* torques() const {
    return d_->qfrc_inverse;
  }

 private:
  std::size_t row(int r) const {
    return static_cast<std::size_t>(r * m_->nv);
  }

  MujocoModel m_;
  MujocoData d_;
  std::vector<StateDef> states_;
  int base_v_;
  int base_q_;
  int joints_;
  std::vector<double> jacobian_;
};

void add_forward(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    const auto call = [&](int i) { s.forward_dynamics(i); };
    state.counters["checksum"] = s.checksum(call, s.accelerations());
    measure(state, call);
  });
}

void add_model(const ModelDef& def) {
  add_forward(def);
  add_row(def.name + "/inverse_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    const auto call = [&](int i) { s.inverse_dynamics(i); };
    state.counters["checksum"] = s.checksum(call, s.torques());
    measure(state, call);
  });
  add_row(def.name + "/mass_matrix", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.mass_matrix_checksum();
    measure(state, [&](int i) {
      s.positions(i);
      s.mass_matrix();
    });
  });
  add_row(def.name + "/com_jacobian", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.com_jacobian_checksum();
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

void check_four_bar(benchmark::State& state, const FourBar& bar, mjModel* m, mjData* d) {
  m->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(m, d);
  const auto step = [&] {
    mj_step(m, d);
    mj_forward(m, d);
  };
  watch_four_bar(
      state, step, [&] { return gap(bar, m, d); }, [&] { return d->energy[0] + d->energy[1]; });
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
  for (const ModelDef& robot : shipped_models()) add_forward(robot);
  add_four_bar("four_bar/semi_implicit", "Euler");
  add_four_bar("four_bar/fourth_order", "RK4");
  add_contact_rows();
  return run_rows(argc, argv, engine_name());
}
