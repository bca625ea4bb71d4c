#include "tools/identify/servo_fit.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "models/base/angle.hpp"
#include "tools/gap/joint_fit.hpp"

namespace kagami::tools {
namespace {

constexpr double kNoise = to_rad(0.1);  // rad, of a reading before it is rounded
constexpr double kInside = 0.05;        // weight of an error that rounding can explain
constexpr double kCorrelated = 5.0;     // neighbouring readings that count as one
constexpr int kShortSearch = 12;        // iterations
constexpr int kLongSearch = 60;
constexpr std::size_t kLoopGain = 3;  // places in FitParameters
constexpr std::size_t kPlay = 8;
/// Where further searches begin: at the expected servo, one parameter shifted by expected
/// deviations.
constexpr std::array<std::pair<std::size_t, double>, 4> kStarts = {
    {{kPlay, 0.0}, {kPlay, 1.5}, {kLoopGain, 1.5}, {kLoopGain, -1.5}}};
constexpr double kRounding = 2.887;  // noise of whole degrees in units of kNoise
constexpr double kKnown = 0.1;       // of the expected deviation

/// Ceres varies a parameter by a share of it. All of ours are kept near this number, so that the
/// step is the same for each and does not vanish.
constexpr double kOrigin = 100.0;
constexpr double kStep = 0.02;  // of an expected deviation

/// The servo that the vector y stands for: each parameter in units of its expected deviation, with
/// its expected value at kOrigin. Those that are expected
/// within a share of their value are on a logarithmic scale.
class Scale {
 public:
  explicit Scale(const ServoParameters& expected)
      : expected_(expected), parameters_(fit_parameters(expected)) {}

  /// SI, what one unit of y changes at the expected value, or at `value` on a relative scale.
  [[nodiscard]] double unit(std::size_t i, double value) const {
    const FitParameter& p = parameters_[i];
    return p.relative > 0.0 ? p.relative * value : p.expected;
  }
  [[nodiscard]] double value(std::size_t i, double y) const {
    const FitParameter& p = parameters_[i];
    const double from = expected_.*p.member;
    const double moved = p.relative > 0.0 ? from * std::exp(p.relative * (y - kOrigin))
                                          : from + p.expected * (y - kOrigin);
    return std::clamp(moved, p.least, p.most);
  }
  [[nodiscard]] double y(std::size_t i, double value) const {
    const FitParameter& p = parameters_[i];
    const double from = expected_.*p.member;
    return kOrigin +
           (p.relative > 0.0 ? std::log(value / from) / p.relative : (value - from) / p.expected);
  }
  [[nodiscard]] double least(std::size_t i) const { return y(i, parameters_[i].least); }
  [[nodiscard]] double most(std::size_t i) const { return y(i, parameters_[i].most); }
  [[nodiscard]] ServoParameters servo(const double* y) const {
    ServoParameters s = expected_;
    for (std::size_t i = 0; i < kNumFitParameters; ++i) s.*parameters_[i].member = value(i, y[i]);
    return s;
  }
  [[nodiscard]] std::array<double, kNumFitParameters> vector_of(const ServoParameters& s) const {
    std::array<double, kNumFitParameters> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = y(i, s.*parameters_[i].member);
    return all;
  }

 private:
  ServoParameters expected_;
  FitParameters parameters_;
};

/// An error in units of the reading's noise. A reading in steps says that the joint was within half
/// a step of it, and hardly more. A joint that rests is read with the same error every time; an
/// average over all readings would take that for trim.
double weighted(double error, double step) {
  const double beyond = std::max(0.0, std::abs(error) - 0.5 * step);
  return (std::copysign(beyond, error) + kInside * error) / (kNoise * std::sqrt(kCorrelated));
}

/// All readings, weighted, then the distance of y from what is expected.
struct Residuals {
  const Scale* scale = nullptr;
  std::vector<JointFit>* fits = nullptr;
  double step = 0.0;  ///< rad, of the readings

  bool operator()(double const* const* y, double* out) const {
    const ServoParameters servo = scale->servo(y[0]);
    std::vector<double> rest;
    for (JointFit& fit : *fits) {
      fit.residuals(servo, rest);
      for (const double r : rest) *out++ = weighted(r, step);
    }
    for (std::size_t i = 0; i < kNumFitParameters; ++i) *out++ = y[0][i] - kOrigin;
    return true;
  }
};

/// The least-squares problem of one joint.
class Problem {
 public:
  Problem(const Scale& scale, std::vector<JointFit>& fits, std::size_t readings, double step)
      : scale_(scale) {
    ceres::NumericDiffOptions difference;
    difference.relative_step_size = kStep / kOrigin;
    auto* cost = new ceres::DynamicNumericDiffCostFunction<Residuals, ceres::CENTRAL>(
        new Residuals{&scale, &fits, step}, ceres::TAKE_OWNERSHIP, difference);
    cost->AddParameterBlock(static_cast<int>(kNumFitParameters));
    cost->SetNumResiduals(static_cast<int>(readings + kNumFitParameters));
    problem_.AddResidualBlock(cost, nullptr, y_.data());
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      problem_.SetParameterLowerBound(y_.data(), static_cast<int>(i), scale.least(i));
      problem_.SetParameterUpperBound(y_.data(), static_cast<int>(i), scale.most(i));
    }
  }

  /// The cost at the end; y() holds the place.
  double solve(const std::array<double, kNumFitParameters>& start, int iterations) {
    for (std::size_t i = 0; i < y_.size(); ++i) {
      y_[i] = std::clamp(start[i], scale_.least(i), scale_.most(i));
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_QR;
    options.max_num_iterations = iterations;
    options.function_tolerance = 1e-6;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem_, &summary);
    return summary.final_cost;
  }
  [[nodiscard]] const std::array<double, kNumFitParameters>& y() const { return y_; }

  /// Standard deviations of y at its place, out of the Jacobian.
  [[nodiscard]] Eigen::VectorXd sigmas() {
    ceres::CRSMatrix jacobian;
    problem_.Evaluate({}, nullptr, nullptr, nullptr, &jacobian);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(jacobian.num_rows, jacobian.num_cols);
    for (int row = 0; row < jacobian.num_rows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      for (int k = jacobian.rows[r]; k < jacobian.rows[r + 1]; ++k) {
        const auto place = static_cast<std::size_t>(k);
        J(row, jacobian.cols[place]) = jacobian.values[place];
      }
    }
    return (J.transpose() * J).inverse().diagonal().cwiseSqrt();
  }

 private:
  const Scale& scale_;
  std::array<double, kNumFitParameters> y_{};
  ceres::Problem problem_;
};

}  // namespace

FitParameters fit_parameters(const ServoParameters& expected) {
  constexpr double kDeg = 57.295779513082323;
  using S = ServoParameters;
  const bool has_dead_band = expected.dead_band > 0.0;
  return {{{"delay_s", 1.0, &S::delay, 0.02, 0.0, 0.0, 0.2},
           {"filter_1_s", 1.0, &S::filter_1, 0.05, 0.0, 0.0, 0.5},
           {"filter_2_s", 1.0, &S::filter_2, 0.05, 0.0, 0.0, 0.5},
           {"kp", 1.0, &S::kp, 0.0, 0.3, 1.0, 1000.0},
           {"kde", 1.0, &S::kde, 0.0, 0.3, 1e-3, 20.0},
           {"stall_torque", 1.0, &S::stall_torque, 0.0, 0.3, 0.05, 20.0},
           {"free_speed", 1.0, &S::free_speed, 0.0, 0.3, 0.5, 50.0},
           {"coulomb_friction", 1.0, &S::coulomb_friction, 0.02, 0.0, 0.0, 1.0},
           {has_dead_band ? "dead_band_deg" : "backlash_deg", kDeg,
            has_dead_band ? &S::dead_band : &S::backlash, to_rad(0.5), 0.0, 0.0, to_rad(10.0)},
           {"trim_deg", kDeg, &S::trim, to_rad(5.0), 0.0, to_rad(-20.0), to_rad(20.0)}}};
}

ServoFit fit_servo(const std::vector<JointData>& data, const ServoParameters& expected) {
  std::vector<JointFit> fits;
  ServoFit result;
  ServoParameters start = expected;
  for (const JointData& d : data) {
    fits.emplace_back(*d.drive, *d.readings, GridRange{0, d.drive->ramp.size()}, d.step);
    result.readings += fits.back().num_readings();
    start = d.drive->servo;
  }
  result.servo = start;
  if (result.readings == 0) return result;

  const Scale scale(expected);
  Problem problem(scale, fits, result.readings, reading_step(*data.front().readings));
  // the cost has several valleys: play bends it at 0, and a stiff loop looks like a short filter
  std::vector<std::array<double, kNumFitParameters>> starts = {scale.vector_of(start)};
  for (const auto& [parameter, shift] : kStarts) {
    starts.push_back(scale.vector_of(expected));
    starts.back()[parameter] += shift;
  }
  std::array<double, kNumFitParameters> best = starts.front();
  double least = std::numeric_limits<double>::infinity();
  for (const auto& from : starts) {
    const double cost = problem.solve(from, kShortSearch);
    if (cost < least) {
      least = cost;
      best = problem.y();
    }
  }
  problem.solve(best, kLongSearch);

  result.servo = scale.servo(problem.y().data());
  const Eigen::VectorXd sigmas = problem.sigmas();
  for (std::size_t i = 0; i < kNumFitParameters; ++i) {
    // not less than what readings with the noise of rounding would leave
    const double sigma = kRounding * sigmas[static_cast<Eigen::Index>(i)];
    const double value = scale.value(i, problem.y()[i]);
    result.values[i] = {value, sigma * scale.unit(i, value), sigma < kKnown};
  }
  return result;
}

}  // namespace kagami::tools
