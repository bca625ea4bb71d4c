#include "tools/identify/servo_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/angle.hpp"
#include "tools/identify/joint_problem.hpp"

namespace kagami::tools {
namespace {

// rad, before the errors are known: the cost is smooth under much noise
constexpr std::array<double, 2> kFirstNoise = {to_rad(0.3), to_rad(0.1)};
constexpr int kIterations = 40;
constexpr double kClearly = 3.0;
constexpr double kStrong = 2.0;      // expected deviations
constexpr double kAsGood = 2.0;      // of the cost
constexpr double kKnown = 0.1;       // of the expected deviation
constexpr double kClearPart = 0.35;  // of a direction of length 1
constexpr double kBlock = 0.5;       // s, beyond which errors are independent

using Jacobian = JointProblem::Jacobian;

FitMask all_varied() {
  FitMask varied;
  varied.fill(true);
  return varied;
}

FitMask varied_with(const FitScale& scale, const std::array<bool, kNumEffects>& has_effect) {
  FitMask varied{};
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    varied[i] = has_effect[static_cast<std::size_t>(scale.parameter(i).effect)];
  }
  return varied;
}

/// Residuals and derivatives by all parameters at a place.
struct Linear {
  Linear(JointProblem& problem, const FitVector& y)
      : rows(static_cast<Eigen::Index>(problem.num_rows())),
        jacobian(rows.size(), static_cast<Eigen::Index>(kNumFitParameters)) {
    problem.evaluate(y.data(), all_varied(), rows.data(), jacobian.data());
    normal = jacobian.transpose() * jacobian;
    gradient = jacobian.transpose() * rows;
  }
  /// How much less the cost becomes when these parameters move, and their move.
  [[nodiscard]] double decrease(const FitMask& varied, FitVector& move) const {
    std::vector<Eigen::Index> which;
    for (std::size_t i = 0; i < varied.size(); ++i) {
      if (varied[i]) which.push_back(static_cast<Eigen::Index>(i));
    }
    const Eigen::MatrixXd H = normal(which, which);
    const Eigen::VectorXd g = gradient(which);
    const Eigen::VectorXd d = -H.ldlt().solve(g);
    move.fill(0.0);
    for (std::size_t k = 0; k < which.size(); ++k) {
      move[static_cast<std::size_t>(which[k])] = d[static_cast<Eigen::Index>(k)];
    }
    return -0.5 * g.dot(d);
  }

  Eigen::VectorXd rows;
  Jacobian jacobian;
  Eigen::MatrixXd normal;
  Eigen::VectorXd gradient;
};

/// The search: first without effects that the expected model lacks, then with each that pays.
class Search {
 public:
  Search(JointProblem& problem, const FitVector& start) : problem_(problem), y_(start) {
    has_effect_[static_cast<std::size_t>(Effect::kAlways)] = true;
  }

  void run() {
    solve_under_less_noise();
    weigh_again();
    while (add_an_effect()) weigh_again();
    search_with_a_strong_motor();
  }

  [[nodiscard]] const FitVector& y() const { return y_; }
  /// How far another place lies that explains the readings as well, per parameter.
  [[nodiscard]] const FitVector& spread() const { return spread_; }
  [[nodiscard]] const std::array<bool, kNumEffects>& has_effect() const { return has_effect_; }

 private:
  void solve_under_less_noise() {
    for (const double noise : kFirstNoise) {
      problem_.set_noise(noise);
      solve();
    }
  }

  // a motor that is weak enough to saturate and one that never does may explain the same readings;
  // the derivatives at one place do not show the other
  void search_with_a_strong_motor() {
    FitVector y = y_;
    y[kStallTorque] += kStrong;
    const double cost = problem_.solve(y, varied_with(problem_.scale(), has_effect_), kIterations);
    if (cost > cost_ + kAsGood) return;
    for (std::size_t i = 0; i < y.size(); ++i) spread_[i] = std::abs(y[i] - y_[i]);
    if (cost > cost_) return;
    y_ = y;
    cost_ = cost;
  }

  // the errors that are left show how much each weighs
  void weigh_again() {
    problem_.set_noise(problem_.noise_at(y_));
    solve();
  }

  void solve() {
    cost_ = problem_.solve(y_, varied_with(problem_.scale(), has_effect_), kIterations);
  }

  // what another parameter has to gain: several times the Bayesian information criterion, because
  // loads that are a little wrong look like an effect too
  [[nodiscard]] double price(std::size_t effect) const {
    double parameters = 0.0;
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      if (static_cast<std::size_t>(problem_.scale().parameter(i).effect) == effect) ++parameters;
    }
    return 0.5 * kClearly * parameters * std::log(static_cast<double>(problem_.num_readings()));
  }

  // the effect that promises most, if it keeps its promise
  bool add_an_effect() {
    const Linear here(problem_, y_);
    FitVector none;
    const double without = here.decrease(varied_with(problem_.scale(), has_effect_), none);
    std::vector<std::pair<double, std::size_t>> promises;
    for (std::size_t effect = 0; effect < kNumEffects; ++effect) {
      if (has_effect_[effect] || was_tried_[effect]) continue;
      std::array<bool, kNumEffects> with = has_effect_;
      with[effect] = true;
      FitVector move;
      const double promise = here.decrease(varied_with(problem_.scale(), with), move) - without;
      if (promise > price(effect)) promises.emplace_back(promise, effect);
    }
    std::sort(promises.rbegin(), promises.rend());
    for (const auto& [promise, effect] : promises) {
      if (is_worth(effect)) return true;
      was_tried_[effect] = true;
    }
    return false;
  }

  bool is_worth(std::size_t effect) {
    std::array<bool, kNumEffects> with = has_effect_;
    with[effect] = true;
    FitVector y = y_;
    const double cost = problem_.solve(y, varied_with(problem_.scale(), with), kIterations);
    if (cost_ - cost < price(effect)) return false;
    has_effect_ = with;
    y_ = y;
    cost_ = cost;
    return true;
  }

  JointProblem& problem_;
  FitVector y_;
  double cost_ = 0.0;
  FitVector spread_{};
  std::array<bool, kNumEffects> has_effect_{};
  std::array<bool, kNumEffects> was_tried_{};
};

using Square =
    Eigen::Matrix<double, static_cast<int>(kNumFitParameters), static_cast<int>(kNumFitParameters)>;

Information information_of(const JointProblem& problem, const Linear& here) {
  Information all;
  Eigen::Map<Square> normal(all.normal.data());
  Eigen::Map<Square> scatter(all.scatter.data());
  normal = here.normal - Square::Identity();
  const std::vector<double> times = problem.times();
  Eigen::VectorXd score = Eigen::VectorXd::Zero(normal.rows());
  double begin = times.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] - begin > kBlock) {
      scatter += score * score.transpose();
      score.setZero();
      begin = times[i];
    }
    const auto row = static_cast<Eigen::Index>(i);
    score += here.rows[row] * here.jacobian.row(row).transpose();
  }
  scatter += score * score.transpose();
  return all;
}

/// Standard deviations of y: what the errors that are left, block by block, would move it. Errors
/// of neighbouring readings are alike, so that their number says little.
Eigen::VectorXd deviations(const Information& all) {
  const Square inverse =
      (Eigen::Map<const Square>(all.normal.data()) + Square::Identity()).inverse();
  const Square scatter = Eigen::Map<const Square>(all.scatter.data()) + Square::Identity();
  return (inverse * scatter * inverse).diagonal().cwiseSqrt();
}

std::vector<OpenDirection> open_directions(const Information& all) {
  const Eigen::SelfAdjointEigenSolver<Square> solver(Eigen::Map<const Square>(all.normal.data()));
  std::vector<OpenDirection> open;
  for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
    const double singular = std::sqrt(std::max(0.0, solver.eigenvalues()[k]));
    if (singular > 1.0 / kKnown) break;
    const Eigen::VectorXd part = solver.eigenvectors().col(k).cwiseAbs();
    OpenDirection direction{singular, {}};
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      if (part[static_cast<Eigen::Index>(i)] > kClearPart) direction.parameters.push_back(i);
    }
    std::sort(direction.parameters.begin(), direction.parameters.end(),
              [&](std::size_t a, std::size_t b) {
                return part[static_cast<Eigen::Index>(a)] > part[static_cast<Eigen::Index>(b)];
              });
    open.push_back(std::move(direction));
  }
  return open;
}

/// Which filter comes first makes no difference to the readings: the order of the expected ones.
void put_filters_in_order(const FitScale& scale, const ServoParameters& expected, FitVector& y) {
  const double first = scale.value(kFilter1, y[kFilter1]);
  const double second = scale.value(kFilter2, y[kFilter2]);
  if ((first < second) == (expected.filter_1 < expected.filter_2)) return;
  y[kFilter1] = scale.y(kFilter1, second);
  y[kFilter2] = scale.y(kFilter2, first);
}

}  // namespace

ServoFit fit_servo(const std::vector<JointData>& data, const ServoParameters& expected,
                   const ServoFit* start) {
  const FitScale scale(expected);
  JointProblem problem(scale, data, kFirstNoise.front());
  ServoFit result;
  result.servo = {expected};
  result.readings = problem.num_readings();
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    const double value = scale.value(i, 0.0);
    result.values[i] = {value, value, scale.unit(i, value), false};
  }
  if (result.readings == 0) return result;

  FitVector y = scale.vector_of(start == nullptr ? result.servo : start->servo);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (scale.parameter(i).effect != Effect::kAlways) y[i] = 0.0;
  }
  Search search(problem, y);
  search.run();
  y = search.y();
  put_filters_in_order(scale, expected, y);
  result.servo = scale.model(y.data());
  result.has_effect = search.has_effect();
  result.noise = problem.noise_at(y);
  const Linear here(problem, y);
  result.information = information_of(problem, here);
  const Eigen::VectorXd sigmas = deviations(result.information);
  result.open = open_directions(result.information);
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    const double sigma = std::hypot(sigmas[static_cast<Eigen::Index>(i)], 0.5 * search.spread()[i]);
    const double value = scale.value(i, y[i]);
    result.values[i].value = value;
    result.values[i].sigma = sigma * scale.unit(i, value);
    result.values[i].is_known = sigma < kKnown;
  }
  return result;
}

std::array<double, kNumFitParameters> sigmas_with(const ServoFit& fit, const JointData& more,
                                                  const ServoParameters& expected) {
  const FitScale scale(expected);
  const FitVector y = scale.vector_of(fit.servo);
  JointProblem problem(scale, {more}, fit.noise);
  Information all = fit.information;
  if (problem.num_readings() > 0) {
    const Information added = information_of(problem, Linear(problem, y));
    for (std::size_t k = 0; k < all.normal.size(); ++k) {
      all.normal[k] += added.normal[k];
      all.scatter[k] += added.scatter[k];
    }
  }
  const Eigen::VectorXd sigmas = deviations(all);
  std::array<double, kNumFitParameters> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = sigmas[static_cast<Eigen::Index>(i)] * scale.unit(i, fit.values[i].value);
  }
  return values;
}

}  // namespace kagami::tools
