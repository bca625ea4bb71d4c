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
constexpr std::size_t kMostTried = 3;
constexpr double kAlike = 0.7;  // share of the best gain
constexpr double kLead = 0.1;   // share of the cost that a model which is a little wrong makes
constexpr std::array<double, 2> kFirstWidths = {1.0, 3.0};  // of play, expected deviations
constexpr double kClearly = 3.0;
constexpr double kStrong = 2.0;      // expected deviations
constexpr double kAsGood = 2.0;      // of the cost
constexpr double kKnown = 0.1;       // of the expected deviation
constexpr double kClearPart = 0.35;  // of a direction of length 1

/// A servo has play or a dead band, never both: the one that takes part or that the model has;
/// without either, readings can say most about a dead band.
Effect absent_one(const Effects& has_effect, const ServoParameters& expected) {
  const bool has_play = has_effect[place_of(Effect::kPlay)] || expected.backlash > 0.0;
  return has_play ? Effect::kDeadBand : Effect::kPlay;
}

FitMask free_with(const Effects& has_effect, const ServoParameters& expected) {
  Effects possible;
  possible.fill(true);
  possible[place_of(Effect::kLoop)] = has_effect[place_of(Effect::kLoop)];
  possible[place_of(absent_one(has_effect, expected))] = false;
  return parameters_of(possible);
}

/// The search: first without effects that the expected model lacks, then with each that pays.
class Search {
 public:
  Search(JointProblem& problem, const FitVector& start, bool with_loop)
      : problem_(problem), y_(start) {
    has_effect_[place_of(Effect::kAlways)] = true;
    has_effect_[place_of(Effect::kLoop)] = with_loop;
  }

  void run() {
    solve_under_less_noise();
    weigh_again();
    for (std::size_t k = 0; k < kNumEffects && add_an_effect(); ++k) {
      if (k > 0) drop_effects();
    }
    exchange_for_dead_band();
    search_with_a_strong_motor();
  }

  [[nodiscard]] const FitVector& y() const { return y_; }
  /// How far another place lies that explains the readings as well, per parameter.
  [[nodiscard]] const FitVector& spread() const { return spread_; }
  [[nodiscard]] const Effects& has_effect() const { return has_effect_; }

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
    const double cost = problem_.solve(y, parameters_of(has_effect_), kIterations);
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

  void solve() { cost_ = problem_.solve(y_, parameters_of(has_effect_), kIterations); }

  // what another parameter has to gain: several times the Bayesian information criterion, because
  // loads that are a little wrong look like an effect too
  [[nodiscard]] double price(std::size_t effect) const {
    double parameters = 0.0;
    for (const FitParameter& p : fit_parameters()) {
      if (place_of(p.effect) == effect) ++parameters;
    }
    return 0.5 * kClearly * parameters * std::log(static_cast<double>(problem_.num_readings()));
  }

  /// A fit with other effects, or without one.
  struct Trial {
    Effects has_effect{};
    FitVector y{};
    std::size_t added = 0;  ///< effect
    double gain = 0.0;      ///< of the cost, less the price
  };

  // of the effects that promise most, the one whose fit gains most
  bool add_an_effect() {
    const std::vector<std::pair<double, std::size_t>> promises = promising_effects();
    std::vector<Trial> trials;
    for (std::size_t k = 0; k < std::min(promises.size(), kMostTried); ++k) {
      const Trial trial = best_with(promises[k].second);
      if (trial.gain > 0.0) trials.push_back(trial);
    }
    if (trials.empty()) return false;
    const auto by_gain = [](const Trial& a, const Trial& b) { return a.gain < b.gain; };
    const Trial most = *std::max_element(trials.begin(), trials.end(), by_gain);
    std::erase_if(trials, [&](const Trial& trial) { return trial.gain < kAlike * most.gain; });
    // effects that look alike differ under the noise that the best one leaves
    if (trials.size() > 1) problem_.set_noise(problem_.noise_at(most.y));
    for (Trial& trial : trials) {
      const double cost = problem_.solve(trial.y, parameters_of(trial.has_effect), kIterations);
      trial.gain = -(trial.added == most.added ? 1.0 - kLead : 1.0) * cost - price(trial.added);
    }
    adopt(*std::max_element(trials.begin(), trials.end(), by_gain));
    return true;
  }

  Trial best_with(std::size_t effect) {
    const bool begins_apart =
        effect == place_of(Effect::kPlay) || effect == place_of(Effect::kDeadBand);
    Trial best;
    for (const double width : kFirstWidths) {
      Trial trial{has_effect_, y_, effect, 0.0};
      trial.has_effect[effect] = true;
      if (begins_apart) set(trial.y, effect, width);
      trial.gain = cost_ - problem_.solve(trial.y, parameters_of(trial.has_effect), kIterations) -
                   price(effect);
      if (trial.gain > best.gain) best = trial;
      if (!begins_apart) break;
    }
    return best;
  }

  [[nodiscard]] std::vector<std::pair<double, std::size_t>> promising_effects() {
    const ServoParameters& expected = problem_.scale().expected();
    FitMask all;
    all.fill(true);
    const LinearProblem here(problem_, y_, all);
    const double without = here.decrease(parameters_of(has_effect_));
    std::vector<std::pair<double, std::size_t>> promises;
    for (std::size_t effect = place_of(Effect::kPlay); effect < kNumEffects; ++effect) {
      Effects with = has_effect_;
      with[effect] = true;
      const bool is_possible = !with[place_of(absent_one(with, expected))];
      if (has_effect_[effect] || !is_possible) continue;
      const double promise = here.decrease(parameters_of(with)) - without;
      if (promise > price(effect)) promises.emplace_back(promise, effect);
    }
    std::sort(promises.rbegin(), promises.rend());
    return promises;
  }

  // an effect that was added early may only have stood for one that was added later
  void drop_effects() {
    for (std::size_t effect = place_of(Effect::kPlay); effect < kNumEffects; ++effect) {
      if (!has_effect_[effect]) continue;
      Trial trial{has_effect_, y_, 0, 0.0};
      trial.has_effect[effect] = false;
      set(trial.y, effect, 0.0);
      trial.gain = cost_ - problem_.solve(trial.y, parameters_of(trial.has_effect), kIterations) +
                   price(effect);
      if (trial.gain > 0.0) adopt(trial);
    }
  }

  // at no dead band the cost is flat, so that another effect may promise more in its place
  void exchange_for_dead_band() {
    const Effects before = has_effect_;
    for (std::size_t effect = place_of(Effect::kPlay); effect < kNumEffects; ++effect) {
      Effects with = has_effect_;
      with[effect] = false;
      with[place_of(Effect::kDeadBand)] = true;
      const bool is_possible = !with[place_of(Effect::kPlay)];
      if (!before[effect] || has_effect_[place_of(Effect::kDeadBand)] || !is_possible) continue;
      for (const double width : kFirstWidths) {
        Trial trial{with, y_, place_of(Effect::kDeadBand), 0.0};
        set(trial.y, effect, 0.0);
        set(trial.y, place_of(Effect::kDeadBand), width);
        trial.gain = cost_ - problem_.solve(trial.y, parameters_of(with), kIterations) +
                     price(effect) - price(place_of(Effect::kDeadBand));
        if (trial.gain > 0.0) adopt(trial);
      }
    }
  }

  static void set(FitVector& y, std::size_t effect, double value) {
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      if (place_of(fit_parameters()[i].effect) == effect) y[i] = value;
    }
  }

  void adopt(const Trial& trial) {
    has_effect_ = trial.has_effect;
    y_ = trial.y;
    weigh_again();
  }

  JointProblem& problem_;
  FitVector y_;
  double cost_ = 0.0;
  FitVector spread_{};
  Effects has_effect_{};
};

using Square =
    Eigen::Matrix<double, static_cast<int>(kNumFitParameters), static_cast<int>(kNumFitParameters)>;

Information information_of(const JointProblem& problem, const LinearProblem& here) {
  Information all;
  Eigen::Map<Square> normal(all.normal.data());
  Eigen::Map<Square> scatter(all.scatter.data());
  normal = here.normal - Square::Identity();
  for_each_block(problem.times(), [&](std::size_t first, std::size_t last) {
    const auto begin = static_cast<Eigen::Index>(first);
    const auto count = static_cast<Eigen::Index>(last - first);
    const Eigen::VectorXd score =
        here.jacobian.middleRows(begin, count).transpose() * here.rows.segment(begin, count);
    scatter += score * score.transpose();
  });
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

std::vector<OpenDirection> open_directions(const Information& all, const FitMask& free) {
  const Eigen::SelfAdjointEigenSolver<Square> solver(Eigen::Map<const Square>(all.normal.data()));
  std::vector<OpenDirection> open;
  for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
    const double singular = std::sqrt(std::max(0.0, solver.eigenvalues()[k]));
    if (singular > 1.0 / kKnown) break;
    const Eigen::VectorXd part = solver.eigenvectors().col(k).cwiseAbs();
    OpenDirection direction{singular, {}};
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      if (free[i] && part[static_cast<Eigen::Index>(i)] > kClearPart)
        direction.parameters.push_back(i);
    }
    std::sort(direction.parameters.begin(), direction.parameters.end(),
              [&](std::size_t a, std::size_t b) {
                return part[static_cast<Eigen::Index>(a)] > part[static_cast<Eigen::Index>(b)];
              });
    if (!direction.parameters.empty()) open.push_back(std::move(direction));
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

bool is_small(std::size_t parameter, const FittedValue& value) {
  const FitParameter& p = fit_parameters()[parameter];
  return value.sigma < kKnown * (p.relative > 0.0 ? p.relative * value.value : p.expected);
}

ServoFit fit_servo(const std::vector<JointData>& data, const ServoParameters& expected,
                   const ServoFit* start, bool with_loop) {
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
    if (is_extra(fit_parameters()[i].effect)) y[i] = 0.0;
  }
  Search search(problem, y, with_loop);
  search.run();
  y = search.y();
  put_filters_in_order(scale, expected, y);
  result.servo = scale.model(y.data());
  result.has_effect = search.has_effect();
  result.free = free_with(result.has_effect, expected);
  result.noise = problem.noise_at(y);
  const LinearProblem here(problem, y, result.free);
  result.information = information_of(problem, here);
  const Eigen::VectorXd sigmas = deviations(result.information);
  result.open = open_directions(result.information, result.free);
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    const double sigma = std::hypot(sigmas[static_cast<Eigen::Index>(i)], 0.5 * search.spread()[i]);
    const double value = scale.value(i, y[i]);
    result.values[i].value = value;
    result.values[i].sigma = sigma * scale.unit(i, value);
    result.values[i].is_known = result.free[i] && sigma < kKnown;
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
    const Information added = information_of(problem, LinearProblem(problem, y, fit.free));
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
