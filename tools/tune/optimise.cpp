#include "tools/tune/optimise.hpp"

#include <nlopt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr double kGlobalShare = 0.5;  // of the evaluations
// of the box, BOBYQA's first trust region; where it is done early it begins again with the next
constexpr std::array<double, 3> kFirstSteps{0.12, 0.06, 0.03};
constexpr double kLastStep = 2e-3;
// NLopt requires finite numbers: what a cost of infinity becomes
constexpr double kVeryMuch = 1e6;

struct Free {
  void operator()(nlopt_opt_s* opt) const { nlopt_destroy(opt); }
};
using Optimiser = std::unique_ptr<nlopt_opt_s, Free>;

/// Coordinates of the search are 0..1 over the box, so that steps mean the same in each.
class Problem {
 public:
  Problem(const std::function<double(const std::vector<double>&)>& cost, const SearchBounds& bounds,
          const std::function<bool()>& go_on)
      : cost_(cost), bounds_(bounds), go_on_(go_on), x_(bounds.lower.size()) {
    result_.cost = std::numeric_limits<double>::infinity();
  }

  double evaluate(const double* z) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double share = std::clamp(z[i], 0.0, 1.0);
      x_[i] = bounds_.lower[i] + share * (bounds_.upper[i] - bounds_.lower[i]);
    }
    const double value = cost_(x_);
    ++result_.evaluations;
    if (value < result_.cost) {
      result_.cost = value;
      result_.best = x_;
      best_z_.assign(z, z + x_.size());
    }
    return std::isfinite(value) ? std::min(value, kVeryMuch) : kVeryMuch;
  }

  void begin(const std::vector<double>& z) {
    result_.aborted = go_on_ && !go_on_();
    if (!result_.aborted) evaluate(z.data());
  }

  void run(nlopt_algorithm algorithm, const std::vector<double>& from, double step,
           int evaluations) {
    if (result_.aborted || failure_ || evaluations < 1) return;
    const Optimiser opt(nlopt_create(algorithm, static_cast<unsigned>(x_.size())));
    opt_ = opt.get();
    nlopt_set_lower_bounds1(opt_, 0.0);
    nlopt_set_upper_bounds1(opt_, 1.0);
    nlopt_set_initial_step1(opt_, step);
    nlopt_set_xtol_abs1(opt_, kLastStep);
    nlopt_set_maxeval(opt_, evaluations);
    nlopt_set_min_objective(opt_, &Problem::call, this);
    std::vector<double> z = from;
    double least = 0.0;
    nlopt_optimize(opt_, z.data(), &least);  // whatever it returns, the best one is kept
    if (failure_) std::rethrow_exception(failure_);
  }

  [[nodiscard]] const std::vector<double>& best_z() const { return best_z_; }
  [[nodiscard]] const SearchResult& result() const { return result_; }

 private:
  static double call(unsigned /*n*/, const double* z, double* /*gradient*/, void* self) {
    auto& problem = *static_cast<Problem*>(self);
    if (problem.go_on_ && !problem.go_on_()) {
      problem.result_.aborted = true;
      nlopt_force_stop(problem.opt_);
      return kVeryMuch;
    }
    try {
      return problem.evaluate(z);
    } catch (...) {
      problem.failure_ = std::current_exception();  // rethrown outside of the library's C code
      nlopt_force_stop(problem.opt_);
      return kVeryMuch;
    }
  }

  const std::function<double(const std::vector<double>&)>& cost_;
  const SearchBounds& bounds_;
  const std::function<bool()>& go_on_;
  std::vector<double> x_;
  std::vector<double> best_z_;
  SearchResult result_;
  nlopt_opt opt_ = nullptr;
  std::exception_ptr failure_;
};

void check(const SearchBounds& bounds, const std::vector<double>& start) {
  bool good =
      !start.empty() && bounds.lower.size() == start.size() && bounds.upper.size() == start.size();
  for (std::size_t i = 0; good && i < start.size(); ++i) {
    good = bounds.lower[i] < bounds.upper[i] && start[i] >= bounds.lower[i] &&
           start[i] <= bounds.upper[i];
  }
  if (!good) throw Error("search: the start is outside the bounds, or their numbers differ");
}

}  // namespace

SearchResult search(const std::function<double(const std::vector<double>&)>& cost,
                    const SearchBounds& bounds, const std::vector<double>& start, int evaluations,
                    const std::function<bool()>& go_on) {
  check(bounds, start);
  Problem problem(cost, bounds, go_on);
  std::vector<double> z(start.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = (start[i] - bounds.lower[i]) / (bounds.upper[i] - bounds.lower[i]);
  }
  problem.begin(z);
  const int global = static_cast<int>(kGlobalShare * evaluations);
  problem.run(NLOPT_GN_DIRECT_L, z, kFirstSteps.front(), global);
  for (const double step : kFirstSteps) {
    problem.run(NLOPT_LN_BOBYQA, problem.best_z().empty() ? z : problem.best_z(), step,
                evaluations - problem.result().evaluations);
  }
  return problem.result();
}

}  // namespace kagami::tools
