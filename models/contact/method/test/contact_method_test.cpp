// Oracle O14i: responses and impulses of random trees with 1 to 4 contact points.
#include "models/contact/method/contact_method.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/contact/point/make_contact_method.hpp"
#include "models/contact/point/point_solver.hpp"
#include "models/contact/response/contact_bodies.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kStep = 1e-3;  // s, as the oracle's

// one case of the oracle as a problem; normals along +z
struct Case {
  explicit Case(const nlohmann::json& json) : model(test::model_from_json(json.at("model"))) {
    state.q = test::vector_from_json(json.at("q"));
    state.v = test::vector_from_json(json.at("v"));
    drive.tau = JointVector::Zero(model.num_v());
    drive.added_inertia = model.rotor_inertia();
    std::vector<BodyIndex> touching;
    for (const nlohmann::json& contact : json.at("contacts")) {
      const BodyIndex body = contact.at("body");
      const auto known = std::find(touching.begin(), touching.end(), body);
      ContactPoint p;
      p.a = static_cast<int>(known - touching.begin());
      if (known == touching.end()) touching.push_back(body);
      p.p = test::vec3_from_json(contact.at("world"));
      p.surface = {.mu_static = 1e9, .mu_kinetic = 1e9, .restitution = 0.0};
      points.push_back(p);
    }
    bodies = make_contact_bodies(model, touching);
    EXPECT_TRUE(bodies->begin(state, drive, kStep));
    Phi.resize(36 * touching.size() * touching.size());
    std::vector<int> all;
    for (int k = 0; k < bodies->count(); ++k) {
      all.push_back(k);
      slots.push_back({.system = 0,
                       .body = k,
                       .origin = bodies->origin(),
                       .V_before = Motion::zero(),
                       .V_free = bodies->V_free[static_cast<std::size_t>(k)]});
    }
    bodies->response(all, Phi.data(), 6 * bodies->count());
  }

  // J of all points, rows x, y, z each
  [[nodiscard]] Matrix jacobian() const {
    Matrix J = Matrix::Zero(3 * static_cast<int>(points.size()), 6 * bodies->count());
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      const ContactPoint& p = points[static_cast<std::size_t>(i)];
      J.block<3, 3>(3 * i, 6 * p.a) = -skew(p.p - bodies->origin());
      J.block<3, 3>(3 * i, 6 * p.a + 3).setIdentity();
    }
    return J;
  }

  // gaps and offsets chosen so that the method has to minimise A f + b
  void ask_for(const Vector& b, const ContactSettings& settings) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      ContactPoint& p = points[i];
      const Motion& V = slots[static_cast<std::size_t>(p.a)].V_free;
      const Vec3 v = V.linear() + V.angular().cross(p.p - bodies->origin());
      const Vec3 missing = b.segment<3>(3 * static_cast<int>(i)) - v;
      const double share = std::min(settings.compensation, 0.5 / kStep);
      p.offset = Vec3(missing.x(), missing.y(), 0.0) / share;
      p.gap = missing.z() > 0.0 ? missing.z() * kStep : missing.z() / share;
    }
  }

  [[nodiscard]] ContactProblem problem() const {
    return {.step = kStep, .bodies = slots, .Phi = Phi.data(), .points = points};
  }

  Model model;
  State state;
  Drive drive;
  std::unique_ptr<ContactBodies> bodies;
  std::vector<ContactPoint> points;
  std::vector<TouchingBody> slots;
  std::vector<double> Phi;
};

ContactSettings wide_open(MethodName method) {
  ContactSettings s;
  s.method = method;
  s.compensation_speed = 1e3;
  return s;
}

Vector vector_of(const nlohmann::json& json) {
  const std::vector<double> v = json;
  return Eigen::Map<const Vector>(v.data(), static_cast<int>(v.size()));
}

Vector impulses(ContactMethod& method, const Case& c, ContactStatus expected) {
  std::vector<ContactForce> forces(c.points.size());
  SolveReport report;
  EXPECT_EQ(method.solve(c.problem(), forces, report), expected);
  Vector f(3 * static_cast<int>(forces.size()));
  for (std::size_t i = 0; i < forces.size(); ++i) {
    f.segment<3>(3 * static_cast<int>(i)) = forces[i].impulse.force();
  }
  return f;
}

nlohmann::json cases() {
  return test::read_fixture("o14i_contact_matrix.json").at("cases");
}

TEST(ContactResponse, IsTheOraclesContactMatrix) {
  for (const nlohmann::json& json : cases()) {
    SCOPED_TRACE(json.at("id"));
    const Case c(json);
    const int n = 6 * c.bodies->count();
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> Phi(c.Phi.data(), n, n);
    const Matrix J = c.jacobian();
    const Matrix A = J * Phi * J.transpose();
    const nlohmann::json& rows = json.at("A");
    for (int i = 0; i < A.rows(); ++i) {
      const Vector expected = vector_of(rows.at(static_cast<std::size_t>(i)));
      EXPECT_LT((A.row(i).transpose() - expected).norm(), 1e-9 * (1.0 + A.norm()));  // relative
    }
  }
}

// the least-squares solution of smallest |f|, as the limit of vanishing relaxation
TEST(PointSolver, HoldsWithTheImpulseOfMinimumNorm) {
  for (const nlohmann::json& json : cases()) {
    SCOPED_TRACE(json.at("id"));
    const Case c(json);
    const double m = c.model.total_mass();
    PointSolver solver({.bodies = 4, .points = 4});
    const ContactProblem problem = c.problem();
    solver.load(problem);
    std::vector<PointSolver::Choice> choices(c.points.size());
    for (auto& choice : choices) choice = {.mode = PointMode::kHold, .lambda = 1e-9 / (m * m)};
    // normal first
    const Vector b = vector_of(json.at("b"));
    Vector c_ntt(b.size());
    for (int i = 0; i < b.size(); i += 3) c_ntt.segment<3>(i) << b[i + 2], b[i], b[i + 1];
    Vector f(b.size());
    Vector v(b.size());
    solver.solve(choices, c_ntt.data(), 2, f.data(), v.data());
    const Vector expected = vector_of(json.at("stick_impulse_pinv"));
    for (int i = 0; i < b.size(); i += 3) {
      const Vec3 xyz(f[i + 1], f[i + 2], f[i]);
      EXPECT_LT((xyz - expected.segment<3>(i)).norm(), 1e-6 * expected.norm());  // relative
    }
  }
}

// (p-1) written out, for a mixture of modes; from three bodies on rows are fewer than 6K
TEST(PointSolver, MinimisesItsSumOfSquaresInEveryMode) {
  constexpr PointMode kModes[] = {PointMode::kSlip, PointMode::kHold, PointMode::kLimit,
                                  PointMode::kNone, PointMode::kNoPress};
  int most_bodies = 0;
  for (const nlohmann::json& json : cases()) {
    SCOPED_TRACE(json.at("id"));
    const Case c(json);
    const int count = static_cast<int>(c.points.size());
    const int n = 6 * c.bodies->count();
    most_bodies = std::max(most_bodies, c.bodies->count());
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> Phi(c.Phi.data(), n, n);
    const Matrix J = c.jacobian();
    const Matrix xyz = J * Phi * J.transpose();
    PointSolver solver({.bodies = 4, .points = 4});
    const ContactProblem problem = c.problem();
    solver.load(problem);
    for (int first = 0; first < 5; ++first) {
      std::vector<PointChoice> choices;
      Matrix R = Matrix::Zero(3 * count, 0);  // picks rows; its columns are axes n, t1, t2
      Matrix F = Matrix::Zero(3 * count, 0);  // spreads columns
      const auto pick = [&](Matrix& to, const Vec3& ntt, int i) {
        to.conservativeResize(3 * count, to.cols() + 1);
        to.col(to.cols() - 1).setZero();
        to.col(to.cols() - 1).segment<3>(3 * i) = Vec3(ntt[1], ntt[2], ntt[0]);
      };
      const double lambda = 0.01;  // 1/kg^2
      for (int i = 0; i < count; ++i) {
        const PointChoice choice{
            .mode = kModes[(first + i) % 5], .slip = {0.3, -0.4}, .lambda = lambda};
        choices.push_back(choice);
        for (int k = 0; k < choice.rows(); ++k) pick(R, Mat3::Identity().col(k), i);
        if (choice.has_one_column()) {
          pick(F, Vec3(1.0, 0.3, -0.4), i);
        } else if (choice.mode != PointMode::kNone) {
          const int from = choice.mode == PointMode::kHold ? 0 : 1;
          for (int k = from; k < 3; ++k) pick(F, Mat3::Identity().col(k), i);
        }
      }
      if (R.cols() == 0) continue;
      const Vector b = vector_of(json.at("b"));
      Vector c_ntt(b.size());
      for (int i = 0; i < b.size(); i += 3) c_ntt.segment<3>(i) << b[i + 2], b[i], b[i + 1];
      const Matrix G = R.transpose() * xyz * F;
      const Matrix normal = G.transpose() * G + lambda * Matrix::Identity(F.cols(), F.cols());
      const Vector expected = -F * normal.ldlt().solve(G.transpose() * (R.transpose() * b));
      Vector f(b.size());
      Vector v(b.size());
      solver.solve(choices, c_ntt.data(), 0, f.data(), v.data());
      for (int i = 0; i < b.size(); i += 3) {
        const Vec3 answer(f[i + 1], f[i + 2], f[i]);
        EXPECT_LT((answer - expected.segment<3>(i)).norm(), 1e-9 * (1e-3 + expected.norm()));
      }
    }
  }
  EXPECT_GE(most_bodies, 3);
}

TEST(Relaxed, MinimisesTheOraclesSumOfSquares) {
  for (const nlohmann::json& json : cases()) {
    SCOPED_TRACE(json.at("id"));
    Case c(json);
    ContactSettings settings = wide_open(MethodName::kRelaxed);
    settings.relaxation = json.at("relaxed").at("lam");  // masses are 1 kg here
    settings.rows_of_open = true;
    c.ask_for(vector_of(json.at("b")), settings);
    const auto method = make_contact_method(settings, {});
    const Vector f = impulses(*method, c, ContactStatus::kOk);
    const Vector expected = vector_of(json.at("relaxed").at("impulse"));
    EXPECT_LT((f - expected).norm(), 1e-6 * (expected.norm() + 1e-3));  // N s
  }
}

TEST(ContactMethods, RefuseWhatTheyCannotAnswer) {
  const nlohmann::json all = cases();
  Case c(all.at(1));
  ASSERT_EQ(c.points.size(), 4u);
  std::vector<ContactForce> forces(4);
  forces[0].local.setConstant(7.0);
  SolveReport report;
  for (const MethodName name : {MethodName::kRelaxed, MethodName::kMultipoint}) {
    ContactSettings settings;
    settings.method = name;
    const auto small = make_contact_method(settings, {.bodies = 1, .points = 3});
    EXPECT_EQ(small->solve(c.problem(), forces, report), ContactStatus::kCapacity);
    const auto method = make_contact_method(settings, {.bodies = 1, .points = 4});
    c.points[2].gap = kNaN;
    EXPECT_EQ(method->solve(c.problem(), forces, report), ContactStatus::kNotFinite);
    c.points[2].gap = 0.0;
    EXPECT_EQ(forces[0].local[0], 7.0);  // untouched
    EXPECT_STREQ(method->name(), models::name(name));
  }
}

TEST(ContactMethods, AllocateNothingInASolve) {
  const nlohmann::json all = cases();
  const Case c(all.at(4));
  std::vector<ContactForce> forces(c.points.size());
  SolveReport report;
  for (const MethodName name : {MethodName::kRelaxed, MethodName::kMultipoint}) {
    ContactSettings settings;
    settings.method = name;
    const auto method = make_contact_method(settings, {});
    const test::NoAlloc guard;
    (void)method->solve(c.problem(), forces, report);
    EXPECT_EQ(guard.count(), 0);
  }
}

TEST(ContactSettings, BadOnesAreRefusedByNameAndRange) {
  const auto refused = [](auto change) {
    ContactSettings s;
    change(s);
    EXPECT_THROW(check_settings(s), ConfigError);
  };
  refused([](ContactSettings& s) { s.relaxation = 0.0; });
  refused([](ContactSettings& s) { s.compensation = -1.0; });
  refused([](ContactSettings& s) { s.compensation_speed = kNaN; });
  refused([](ContactSettings& s) { s.friction_smoothing = 0.0; });
  refused([](ContactSettings& s) { s.restitution_speed = -1e-3; });
  refused([](ContactSettings& s) { s.stick_speed = 2.0; });
  refused([](ContactSettings& s) { s.max_iterations = 0; });
  EXPECT_THROW(make_contact_method({}, {.bodies = 0, .points = 1}), ConfigError);
  EXPECT_THROW(contact_method("penalty"), ConfigError);
  EXPECT_EQ(contact_method("multipoint"), MethodName::kMultipoint);
}

TEST(Surfaces, BadOnesAreRefusedAndPairsAreBetween) {
  EXPECT_THROW(check_surface({.mu_static = 0.5, .mu_kinetic = -0.1}, "x"), ConfigError);
  EXPECT_THROW(check_surface({.mu_static = 0.4, .mu_kinetic = 0.5}, "x"), ConfigError);
  EXPECT_THROW(check_surface({.mu_static = kNaN, .mu_kinetic = 0.5}, "x"), ConfigError);
  EXPECT_THROW(check_surface({.mu_static = 0.5, .mu_kinetic = 0.5, .restitution = 1.1}, "x"),
               ConfigError);
  const Surface pair = pair_of({.mu_static = 0.9, .mu_kinetic = 0.4, .restitution = 1.0},
                               {.mu_static = 0.4, .mu_kinetic = 0.1, .restitution = 0.25});
  EXPECT_DOUBLE_EQ(pair.mu_static, 0.6);
  EXPECT_DOUBLE_EQ(pair.mu_kinetic, 0.2);
  EXPECT_DOUBLE_EQ(pair.restitution, 0.5);
}

}  // namespace
}  // namespace kagami::models
