// What the volumetric method answers after its sweeps: impulses that add no energy, as restitution
// with friction and sweeps that were cut off may.
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/volume/method_volumetric.hpp"

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
    const Work& w = work_[idx(i)];
    const Vec6 v = velocity(problem.patches[idx(i)], w, V_);
    linear += w.lambda.dot(w.free);
    quadratic += 0.5 * w.lambda.dot(v - w.free);
    allowed += w.lambda[5] * w.taken_back;
  }
  if (linear + quadratic <= allowed || quadratic <= 0.0) return;
  const double x = std::clamp((allowed - linear) / quadratic, 0.0, 1.0);
  for (const int i : island) {
    Work& w = work_[idx(i)];
    push(problem, problem.patches[idx(i)], w, (x - 1.0) * w.lambda);
    w.lambda *= x;
    w.share = x;
  }
}

void VolumetricMethod::answer(const PatchProblem& problem, std::span<PatchForce> forces) noexcept {
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    const ContactPatch& c = problem.patches[i];
    const Work& w = work_[i];
    PatchForce& out = forces[i];
    out.local = w.lambda;
    out.impulse =
        Force::from(w.R.transpose() * w.lambda.head<3>(), w.R.transpose() * w.lambda.tail<3>());
    out.velocity = velocity(c, w, V_);
    out.velocity_free = w.free;
    out.residual = w.change;
    w.cone.write_loads(c.patch, out.loads);
    for (int l = 0; l < out.loads.count; ++l) out.loads.load[idx(l)].size *= w.share;
    double slip = 0.0;
    for (int l = 0; l < w.cone.corners(); ++l) {
      if (w.cone.load_at(l) > 0.0) slip = std::max(slip, w.cone.slip(l, out.velocity));
    }
    out.motion = out.loads.count == 0          ? ContactMotion::kOpen
                 : slip > settings_.slip_speed ? ContactMotion::kSlide
                                               : ContactMotion::kStick;
  }
}

}  // namespace kagami::models
