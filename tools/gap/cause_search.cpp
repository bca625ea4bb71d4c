#include "tools/gap/cause_search.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kMostCauses = 4;
constexpr double kLeastRms = to_rad(0.1);  // rad; a gap below it, beyond the resolution, counts not
constexpr double kLeastShare = 0.04;       // of the gap beyond the resolution, for a further cause
constexpr double kLeastExplained = to_rad(0.07);  // rad, RMS that a cause must take away
constexpr double kAlmostAsGood = 0.9;             // of the best one's share
constexpr double kLeastChange = to_rad(0.05);  // rad, RMS; a usual amount of an identifiable cause
constexpr double kCorrelated = 5.0;            // neighbouring readings that count as one
constexpr int kBits = 12;                      // of an amount that is searched

struct Point {
  double amount = 0.0;
  double square = 0.0;  // rad^2
};

/// Least of f near `from`: at amounts that double on both sides, `doublings` times or to a bound,
/// then between the neighbours of the best of them. A cause such as a weak motor changes nothing
/// until its amount is large, so that the next amount being no better ends nothing.
template <class Function>
Point least_of(const Function& f, Point from, double step, double least, double most,
               int doublings) {
  std::vector<Point> tried = {from};
  for (const double direction : {1.0, -1.0}) {
    double size = std::abs(step);
    for (int i = 0; i <= doublings; ++i, size *= 2.0) {
      const double amount = std::clamp(from.amount + direction * size, least, most);
      if (amount == tried.back().amount || amount == from.amount) break;  // at a bound
      tried.push_back({amount, f(amount)});
    }
  }
  std::sort(tried.begin(), tried.end(),
            [](const Point& a, const Point& b) { return a.amount < b.amount; });
  const auto best =
      std::min_element(tried.begin(), tried.end(),
                       [](const Point& a, const Point& b) { return a.square < b.square; });
  const double below = best == tried.begin() ? best->amount : (best - 1)->amount;
  const double above = best + 1 == tried.end() ? best->amount : (best + 1)->amount;
  std::uintmax_t evaluations = 14;
  const auto [amount, square] =
      boost::math::tools::brent_find_minima(f, below, above, kBits, evaluations);
  return square < best->square ? Point{amount, square} : *best;
}

class Search {
 public:
  Search(JointFit& fit, double resolution) : fit_(fit), resolution_(resolution) {}

  std::vector<FoundCause> run() {
    if (fit_.num_readings() == 0) return {};
    square_ = fit_.mean_square({});
    while (found_.size() < kMostCauses && counts(square_)) {
      if (!add_one()) break;
    }
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].uncertainty = uncertainty(i);
    return found_;
  }

 private:
  [[nodiscard]] bool counts(double square) const {
    return square - resolution_ > kLeastRms * kLeastRms;
  }

  // the gap with amount number `index` replaced, or with one more
  double square_with(std::size_t index, CauseAmount amount) {
    std::vector<CauseAmount> all = amounts_;
    if (index == all.size()) all.push_back(amount);
    all[index] = amount;
    return fit_.mean_square(all);
  }

  // in steps of `share` of a usual amount
  Point best_amount(std::size_t index, Cause cause, Point from, double share, int doublings) {
    const CauseScale scale = cause_scale(cause, fit_.servo());
    return least_of(
        [&](double a) {
          return square_with(index, {cause, a});
        },
        from, share * scale.typical, scale.least, scale.most, doublings);
  }

  [[nodiscard]] bool is_found(Cause cause) const {
    return std::any_of(amounts_.begin(), amounts_.end(),
                       [&](const CauseAmount& c) { return c.cause == cause; });
  }

  bool add_one() {
    std::vector<std::pair<double, CauseAmount>> tried;  // gap with it
    for (const Cause cause : kFittedCauses) {
      if (is_found(cause)) continue;
      constexpr int kWide = 6;
      const Point best = best_amount(amounts_.size(), cause, {0.0, square_}, 0.5, kWide);
      tried.push_back({best.square, {cause, best.amount}});
    }
    std::sort(tried.begin(), tried.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    const double explained = square_ - tried.front().first;
    const double least = kLeastExplained * kLeastExplained;
    if (explained < std::max(least, kLeastShare * (square_ - resolution_))) return false;
    FoundCause found;
    found.cause = tried.front().second.cause;
    if (square_ - tried[1].first > kAlmostAsGood * explained) found.or_else = tried[1].second.cause;
    amounts_.push_back(tried.front().second);
    found_.push_back(found);
    const double before = square_;
    square_ = tried.front().first;
    fit_all_again();
    found_.back().square = before - square_;
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].amount = amounts_[i].amount;
    return true;
  }

  void fit_all_again() {
    if (amounts_.size() < 2) return;
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (std::size_t i = 0; i < amounts_.size(); ++i) {
        const Cause cause = amounts_[i].cause;
        constexpr int kNear = 1;
        const Point best = best_amount(i, cause, {amounts_[i].amount, square_}, 0.25, kNear);
        amounts_[i].amount = best.amount;
        square_ = best.square;
      }
    }
  }

  // from the curvature of the gap and the number of independent readings
  double uncertainty(std::size_t index) {
    const CauseAmount at = amounts_[index];
    const double h = 0.5 * cause_scale(at.cause, fit_.servo()).typical;
    const double bend = square_with(index, {at.cause, at.amount + h}) - 2.0 * square_ +
                        square_with(index, {at.cause, at.amount - h});
    const double n = static_cast<double>(fit_.num_readings()) / kCorrelated;
    return bend > 0.0 ? std::abs(h) * std::sqrt(2.0 * square_ / (n * bend)) : 0.0;
  }

  JointFit& fit_;
  double resolution_;
  double square_ = 0.0;  // rad^2, with all amounts
  std::vector<CauseAmount> amounts_;
  std::vector<FoundCause> found_;
};

}  // namespace

std::vector<FoundCause> search_causes(JointFit& fit, double resolution) {
  return Search(fit, resolution).run();
}

std::vector<Cause> not_identifiable_causes(JointFit& fit) {
  std::vector<Cause> causes;
  for (const Cause cause : kFittedCauses) {
    if (fit.change({cause, cause_scale(cause, fit.servo()).typical}) < kLeastChange) {
      causes.push_back(cause);
    }
  }
  return causes;
}

}  // namespace kagami::tools
