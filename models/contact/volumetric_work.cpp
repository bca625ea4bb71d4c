// The volumetric method adds no energy: restitution with friction, and sweeps that were cut off,
// may.
#include <algorithm>

#include "models/contact/method_volumetric.hpp"

namespace kagami::models {

// With x the share of an island's impulses P that is applied, they do x P' V_free + x^2 P' Phi P /
// 2; P in its cones leaves x P in them. x < 1 where P would add more than what takes penetration
// back.
void VolumetricMethod::limit_work(const PatchProblem& problem,
                                  std::span<const int> island) noexcept {
  double linear = 0.0;
  double quadratic = 0.0;
  double allowed = 0.0;
  for (const int i : island) {
    const auto k = static_cast<std::size_t>(i);
    const Work& w = work_[k];
    const Vec6 v = velocity(problem.patches[k], w, V_);
    linear += w.lambda.dot(w.free);
    quadratic += 0.5 * w.lambda.dot(v - w.free);
    allowed += w.lambda[5] * w.taken_back;
  }
  if (linear + quadratic <= allowed || quadratic <= 0.0) return;
  const double x = std::clamp((allowed - linear) / quadratic, 0.0, 1.0);
  for (const int i : island) {
    const auto k = static_cast<std::size_t>(i);
    Work& w = work_[k];
    push(problem, problem.patches[k], w, (x - 1.0) * w.lambda);
    w.lambda *= x;
    w.share = x;
  }
}

}  // namespace kagami::models
