// Tabulated motions of others (O01, O02, O05 to O08) with the shipped robots: accelerations by
// every algorithm, motions by every integrator, what must be conserved.
//
// Tolerances of motions: ten times the error of a correct method of the same order with the same
// step, as the fixtures quote it for later and later times, and never less than 1e-9.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/dynamics/energy.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

constexpr double kStep = 1e-3;  // s
constexpr double kLeast = 1e-9;

struct Case {
  const char* robot;
  const char* fixture;
  double until;  // s; later the motion is chaotic and angles say nothing
};

// the table of the README, O08 on its first five seconds
constexpr Case kCases[] = {{"planar_3r", "o01_seed.json", 3.0},
                           {"planar_3r", "o01_small.json", 3.0},
                           {"planar_branch_4", "o02_four_link.json", 3.0},
                           {"planar_branch_5", "o02_five_link.json", 3.0},
                           {"free_body", "o05_asymmetric.json", 10.0},
                           {"free_rod", "o05_rod.json", 10.0},
                           {"free_rod_isotropic", "o05_rod_isotropic.json", 10.0},
                           {"planar_7r", "o06_seed.json", 3.0},
                           {"floating_6link", "o07_seed.json", 10.0},
                           {"floating_6link", "o07_com_at_rest.json", 10.0},
                           {"pa10", "o08_seed.json", 5.0}};

// a table: t, q, v, vdot, more, and the energy last
class Table {
 public:
  explicit Table(const Case& c)
      : json_(test::read_fixture(c.fixture)),
        model_(read_model(std::string(KAGAMI_SOURCE_DIR) + "/models/data/" + c.robot).model) {}

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] std::size_t rows() const { return json_.at("rows").size(); }
  [[nodiscard]] double time(std::size_t row) const { return cell(row, 0); }
  [[nodiscard]] double energy(std::size_t row) const { return json_.at("rows").at(row).back(); }
  [[nodiscard]] State state(std::size_t row) const {
    return {columns(row, 1, model_.num_q()), columns(row, 1 + model_.num_q(), model_.num_v())};
  }
  [[nodiscard]] JointVector vdot(std::size_t row) const {
    return columns(row, 1 + model_.num_q() + model_.num_v(), model_.num_v());
  }
  // the column of that name and those beside it
  [[nodiscard]] Vec3 vec3(std::size_t row, const std::string& name) const {
    const auto& names = json_.at("columns");
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return columns(row, static_cast<int>(at), 3);
  }
  // rad; allowed for a method of the README's table at time t
  [[nodiscard]] double allowed(const char* method, double t) const {
    double error = 0.0;
    const nlohmann::json errors = typical(method).at("errors");
    for (const nlohmann::json& at : errors) {
      error = at.at(1);
      if (at.at(0).get<double>() >= t) break;
    }
    return std::max(10.0 * error, kLeast);
  }
  [[nodiscard]] double allowed_energy(const char* method) const {
    return std::max(10.0 * typical(method).at("energy_span").get<double>(), kLeast);
  }

 private:
  [[nodiscard]] double cell(std::size_t row, int column) const {
    return json_.at("rows").at(row).at(static_cast<std::size_t>(column));
  }
  [[nodiscard]] JointVector columns(std::size_t row, int first, int count) const {
    JointVector x(count);
    for (int k = 0; k < count; ++k) x[k] = cell(row, first + k);
    return x;
  }
  // the rods of O05 and O07's arm at rest are as easy as what the table quotes beside them
  [[nodiscard]] nlohmann::json typical(const char* method) const {
    if (json_.contains("typical")) return json_.at("typical").at(method);
    const bool arm = model_.num_bodies() > 1;
    return test::read_fixture(arm ? "o07_seed.json" : "o05_asymmetric.json")
        .at("typical")
        .at(method);
  }

  nlohmann::json json_;
  Model model_;
};

// the motion by any algorithm, without joint forces
class NamedSource final : public AccelerationSource {
 public:
  NamedSource(const Model& model, Algorithm algorithm)
      : tau_(JointVector::Zero(model.num_v())), dynamics_(model, algorithm) {}
  bool acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    return dynamics_.run(q, v, tau_, vdot) == DynamicsStatus::kOk;
  }

 private:
  JointVector tau_;
  ForwardDynamics dynamics_;
};

// largest difference of coordinates, each joint's along its own manifold (rad, m)
double distance(const Model& model, const State& a, const State& b) {
  double worst = 0.0;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& body = model.body(i);
    double d[kMaxJointDofs] = {};
    joint_difference(body.joint, a.q.data() + body.q_index, b.q.data() + body.q_index, d);
    for (int k = 0; k < body.nv; ++k) worst = std::max(worst, std::abs(d[k]));
  }
  return worst;
}

struct Conserved {
  double energy = 0.0;
  Vec3 com, linear, angular;
};

Conserved conserved(const Model& model, const State& s) {
  Kinematics k(model);
  forward_kinematics(model, s.q, s.v, k);
  const Force P = momentum_about_com(model, k);
  return {kinetic_energy(model, s.v, k) + potential_energy(model, k), center_of_mass(model, k),
          P.force(), P.moment()};
}

TEST(TabulatedMotions, EveryAlgorithmGivesTheAccelerationsOfEveryRow) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.fixture);
    const Table table(c);
    const JointVector tau = JointVector::Zero(table.model().num_v());
    for (const Algorithm algorithm : kAlgorithms) {
      SCOPED_TRACE(name(algorithm));
      ForwardDynamics dynamics(table.model(), algorithm);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        const State s = table.state(row);
        const JointVector want = table.vdot(row);
        JointVector vdot;
        ASSERT_EQ(dynamics.run(s.q, s.v, tau, vdot), DynamicsStatus::kOk);
        const double scale = std::max(1.0, want.cwiseAbs().maxCoeff());
        EXPECT_LT((vdot - want).cwiseAbs().maxCoeff(), 1e-9 * scale) << row;
        EXPECT_NEAR(conserved(table.model(), s).energy, table.energy(row), 1e-9) << row;  // J
      }
    }
  }
}

// follows a table's motion; `method`: whose errors of the README count
void expect_motion(const Case& c, AccelerationSource& source, Scheme scheme, const char* method,
                   double dt = kStep) {
  const Table table(c);
  Integrator integrator(table.model(), scheme, {.tolerance = 1e-10});
  State s = table.state(0);
  double t = 0.0;
  for (std::size_t row = 1; row < table.rows() && table.time(row) <= c.until + 1e-9; ++row) {
    while (t < table.time(row) - 0.5 * dt)
      ASSERT_EQ(integrator.advance(source, dt, t, s), StepStatus::kOk) << t;
    EXPECT_LT(distance(table.model(), s, table.state(row)), table.allowed(method, table.time(row)))
        << t;
    EXPECT_NEAR(conserved(table.model(), s).energy, table.energy(0), table.allowed_energy(method))
        << t;
  }
}

TEST(TabulatedMotions, HighOrdersFollowThem) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.fixture);
    const Model model = Table(c).model();
    AbaSource source(model);
    // Gill's coefficients have another error term, on O08 16 times the classical ones'
    expect_motion(c, source, Scheme::kRk4, "rk4_1ms");
    expect_motion(c, source, Scheme::kRkg, "rk4_1ms", kStep / 2);
    expect_motion(c, source, Scheme::kRkf45, "rk4_1ms");
  }
}

TEST(TabulatedMotions, SemiImplicitEulerFollowsThoseWithoutErrorGrowth) {
  for (const Case& c :
       {Case{"planar_3r", "o01_small.json", 3.0}, Case{"planar_7r", "o06_seed.json", 3.0},
        Case{"free_body", "o05_asymmetric.json", 10.0}}) {
    SCOPED_TRACE(c.fixture);
    const Model model = Table(c).model();
    AbaSource source(model);
    expect_motion(c, source, Scheme::kSemiImplicitEuler, "semi_implicit_euler_1ms");
  }
}

TEST(TabulatedMotions, EveryAlgorithmFollowsThem) {
  for (const Case& c :
       {Case{"planar_7r", "o06_seed.json", 3.0}, Case{"floating_6link", "o07_seed.json", 10.0},
        Case{"pa10", "o08_seed.json", 5.0}}) {
    SCOPED_TRACE(c.fixture);
    const Model model = Table(c).model();
    for (const Algorithm algorithm : kAlgorithms) {
      SCOPED_TRACE(name(algorithm));
      EXPECT_EQ(ForwardDynamics(model, algorithm).notice(), "");  // hybrid has their code
      NamedSource source(model, algorithm);
      expect_motion(c, source, Scheme::kRk4, "rk4_1ms");
    }
  }
}

TEST(TabulatedMotions, FreeBodiesKeepMomentaAndMassCentre) {
  // m; N s, N m s. The arm's last second, where two axes nearly coincide, costs 6e-8 at 1 ms
  struct Limit {
    Case c;
    double dt;
    double momentum;
    double com;
  };
  for (const Limit& limit : {Limit{kCases[4], 1e-3, 1e-9, 1e-9}, Limit{kCases[5], 1e-3, 1e-9, 1e-9},
                             Limit{kCases[6], 1e-3, 1e-9, 1e-9}, Limit{kCases[8], 5e-4, 1e-8, 1e-8},
                             Limit{kCases[9], 5e-4, 1e-8, 1e-8}}) {
    SCOPED_TRACE(limit.c.fixture);
    const Table table(limit.c);
    AbaSource source(table.model());
    Integrator integrator(table.model(), Scheme::kRk4);
    State s = table.state(0);
    const Conserved start = conserved(table.model(), s);
    const Vec3 drift = start.linear / table.model().total_mass();  // m/s
    double t = 0.0;
    while (t < limit.c.until - 0.5 * limit.dt) {
      ASSERT_EQ(integrator.advance(source, limit.dt, t, s), StepStatus::kOk);
      const Conserved now = conserved(table.model(), s);
      ASSERT_LT((now.linear - start.linear).norm(), limit.momentum) << t;
      ASSERT_LT((now.angular - start.angular).norm(), limit.momentum) << t;
      ASSERT_LT((now.com - start.com - t * drift).norm(), limit.com) << t;
    }
    EXPECT_LT((start.com - table.vec3(0, "comx")).norm(), 1e-12);
    EXPECT_LT((start.linear - table.vec3(0, "Px")).norm(), 1e-11);  // 13 digits of state
  }
}

TEST(TabulatedMotions, ArmWhoseMassCentreRestsLeavesItThere) {
  const Table table(kCases[9]);
  const Conserved start = conserved(table.model(), table.state(0));
  EXPECT_LT(start.linear.norm(), 1e-11);                         // the table's digits
  EXPECT_LT((start.com - table.vec3(10, "comx")).norm(), 1e-9);  // m, after 10 s
  const Table seed(kCases[8]);
  const Conserved moving = conserved(seed.model(), seed.state(0));
  EXPECT_LT((moving.linear / 6.0 - Vec3(0.02, 0.02, -0.03) / 3.0).norm(), 1e-12);  // m/s
}

// O05 in closed form: L = (a wx, a wy, I wz), R = exp([L/a] t) exp([z] wz (1 - I/a) t)
TEST(TabulatedMotions, FreeRodTurnsAsByTheClosedForm) {
  const Table table(kCases[5]);
  const double a = 1.0 / 12.0;
  const double I = 1e-3;
  const Vec3 w0 = table.state(0).v.head<3>();
  const Vec3 L(a * w0.x(), a * w0.y(), I * w0.z());
  AbaSource source(table.model());
  Integrator integrator(table.model(), Scheme::kRk4);
  State s = table.state(0);
  double t = 0.0;
  for (int n = 1; n <= 10; ++n) {
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(integrator.advance(source, kStep, t, s), StepStatus::kOk);
    const Mat3 R = Mat3(Eigen::AngleAxisd(L.norm() / a * t, L.normalized())) *
                   Mat3(Eigen::AngleAxisd(w0.z() * (1.0 - I / a) * t, Vec3::UnitZ()));
    Kinematics k(table.model());
    forward_kinematics(table.model(), s.q, s.v, k);
    EXPECT_LT((k.X_WB[0].R - R).norm(), 1e-9) << t;
    const Vec3 tip(0.0, 0.0, 0.5);
    EXPECT_LT((k.X_WB[0].p - (tip - R * tip)).norm(), 1e-9) << t;  // m
  }
}

}  // namespace
}  // namespace kagami::models
