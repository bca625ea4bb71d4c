#include "tools/identify/joint_problem.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>

namespace kagami::tools {
namespace {

constexpr double kStep = 1e-4;  // of an expected deviation, for differences

/// The problem for Ceres.
class Cost : public ceres::CostFunction {
 public:
  Cost(JointProblem& problem, const FitMask& varied) : problem_(problem), varied_(varied) {
    set_num_residuals(static_cast<int>(problem.num_rows()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(kNumFitParameters));
  }
  bool Evaluate(double const* const* y, double* rows, double** jacobian) const override {
    problem_.evaluate(y[0], varied_, rows, jacobian == nullptr ? nullptr : jacobian[0]);
    return true;
  }

 private:
  JointProblem& problem_;
  const FitMask& varied_;
};

}  // namespace

JointProblem::JointProblem(const FitScale& scale, const std::vector<JointData>& data, double noise)
    : scale_(scale), step_(reading_step(*data.front().readings)), noise_(step_, noise) {
  for (const JointData& d : data) informative_.push_back(informative_readings(*d.readings, step_));
  for (std::size_t k = 0; k < data.size(); ++k) {
    const JointDrive& drive = *data[k].drive;
    fits_.emplace_back(drive, informative_[k].readings, GridRange{0, drive.ramp.size()},
                       data[k].step);
    for (std::size_t i = 0; i < fits_.back().num_readings(); ++i) {
      weight_.push_back(informative_[k].weight[fits_.back().reading(i)]);
    }
  }
}

void JointProblem::evaluate(const double* y, const FitMask& varied, double* rows,
                            double* jacobian) {
  std::vector<JointModel> models = {scale_.model(y)};
  std::vector<std::size_t> which;
  std::vector<double> steps;
  for (std::size_t i = 0; i < kNumFitParameters && jacobian != nullptr; ++i) {
    if (!varied[i]) continue;
    FitVector moved;
    std::copy_n(y, kNumFitParameters, moved.begin());
    steps.push_back(y[i] + kStep > scale_.most(i) ? -kStep : kStep);
    which.push_back(i);
    moved[i] += steps.back();
    models.push_back(scale_.model(moved.data()));
  }
  if (jacobian != nullptr) std::fill_n(jacobian, num_rows() * kNumFitParameters, 0.0);

  std::vector<double> rest;
  std::size_t row = 0;
  for (JointFit& fit : fits_) {
    fit.residuals(models, rest);
    const std::size_t n = fit.num_readings();
    for (std::size_t i = 0; i < n; ++i, ++row) {
      rows[row] = weight_[row] * noise_(rest[i]);
      for (std::size_t m = 0; m < which.size(); ++m) {
        const double moved = weight_[row] * noise_(rest[(m + 1) * n + i]);
        jacobian[row * kNumFitParameters + which[m]] = (moved - rows[row]) / steps[m];
      }
    }
  }
  for (std::size_t i = 0; i < kNumFitParameters; ++i, ++row) {
    rows[row] = y[i];
    if (jacobian != nullptr) jacobian[row * kNumFitParameters + i] = 1.0;
  }
}

double JointProblem::solve(FitVector& y, const FitMask& varied, int iterations) {
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(*this, varied), nullptr, y.data());
  std::vector<int> fixed;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::clamp(y[i], scale_.least(i), scale_.most(i));
    const int place = static_cast<int>(i);
    if (!varied[i]) fixed.push_back(place);
    problem.SetParameterLowerBound(y.data(), place, scale_.least(i));
    problem.SetParameterUpperBound(y.data(), place, scale_.most(i));
  }
  if (!fixed.empty()) {
    problem.SetManifold(y.data(),
                        new ceres::SubsetManifold(static_cast<int>(kNumFitParameters), fixed));
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  options.max_num_iterations = iterations;
  options.function_tolerance = 1e-6;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return summary.final_cost;
}

Eigen::VectorXd JointProblem::by_load(const FitVector& y,
                                      const std::vector<const std::vector<float>*>& load) {
  constexpr double kShare = 0.02;
  Eigen::VectorXd rows(static_cast<Eigen::Index>(num_readings()));
  std::vector<double> rest;
  std::size_t row = 0;
  for (std::size_t k = 0; k < fits_.size(); ++k) {
    std::array<JointModel, 2> models = {scale_.model(y.data()), scale_.model(y.data())};
    models[1].more_load = load[k];
    models[1].more_load_scale = kShare;
    fits_[k].residuals(models, rest);
    const std::size_t n = fits_[k].num_readings();
    for (std::size_t i = 0; i < n; ++i, ++row) {
      rows[static_cast<Eigen::Index>(row)] =
          weight_[row] * (noise_(rest[n + i]) - noise_(rest[i])) / kShare;
    }
  }
  return rows;
}

double JointProblem::noise_at(const FitVector& y) {
  const JointModel model = scale_.model(y.data());
  std::vector<double> all;
  std::vector<double> rest;
  for (JointFit& fit : fits_) {
    fit.residuals({&model, 1}, rest);
    all.insert(all.end(), rest.begin(), rest.end());
  }
  return likeliest_sigma(step_, all);
}

std::vector<double> JointProblem::times() const {
  constexpr double kApart = 60.0;  // s
  std::vector<double> times;
  double begin = 0.0;
  for (std::size_t k = 0; k < fits_.size(); ++k) {
    const std::vector<double>& time = informative_[k].readings.time;
    for (std::size_t i = 0; i < fits_[k].num_readings(); ++i) {
      times.push_back(begin + time[fits_[k].reading(i)]);
    }
    if (!times.empty()) begin = times.back() + kApart;
  }
  return times;
}

std::vector<Eigen::Index> places_in(const FitMask& mask) {
  std::vector<Eigen::Index> places;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) places.push_back(static_cast<Eigen::Index>(i));
  }
  return places;
}

LinearProblem::LinearProblem(JointProblem& problem, const FitVector& y, const FitMask& free)
    : rows(static_cast<Eigen::Index>(problem.num_rows())),
      jacobian(rows.size(), static_cast<Eigen::Index>(kNumFitParameters)) {
  problem.evaluate(y.data(), free, rows.data(), jacobian.data());
  normal = jacobian.transpose() * jacobian;
  gradient = jacobian.transpose() * rows;
}

double LinearProblem::decrease(const FitMask& varied) const {
  const std::vector<Eigen::Index> which = places_in(varied);
  const Eigen::MatrixXd H = normal(which, which);
  const Eigen::VectorXd g = gradient(which);
  return 0.5 * g.dot(H.ldlt().solve(g));
}

}  // namespace kagami::tools
