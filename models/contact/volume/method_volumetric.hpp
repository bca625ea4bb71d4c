/// Contact by the overlaps of convex polyhedra [Zhang 2018]: six-axis impulses, one patch at a
/// time.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/method/contact_patch.hpp"
#include "models/contact/method/volumetric_settings.hpp"
#include "models/contact/volume/patch_cone.hpp"

namespace kagami::models {

/// One body under patches; velocities about its system's origin, axes of W.
struct PatchBody {
  int system = 0;                    ///< index into PatchProblem::systems
  int place = 0;                     ///< among PatchSystem::bodies of its system
  Vec3 origin = Vec3::Zero();        ///< p_WO (m)
  Motion V_before = Motion::zero();  ///< at the start of the step
  Motion V_free = Motion::zero();    ///< at its end if nothing touched
};

/// Bodies that react to each other's impulses, and to no others.
struct PatchSystem {
  std::span<const int> bodies;  ///< indices into PatchProblem::bodies: all of it that patches touch
  const double* Phi = nullptr;  ///< 6 n x 6 n for n bodies, row after row, as in ContactProblem
};

struct PatchProblem {
  double step = 0.0;  ///< h (s), > 0
  std::span<const PatchSystem> systems;
  std::span<const PatchBody> bodies;
  std::span<const ContactPatch> patches;
};

/// Projected Gauss-Seidel over the patches, island by island, so that none changes another's
/// result. Made at set-up for a capacity; no call allocates. One thread.
class VolumetricMethod {
 public:
  /// Throws ConfigError for settings that check_settings refuses or a capacity below 1.
  VolumetricMethod(const VolumetricSettings& settings, int bodies, int patches);
  /// Answers forces[i] for problem.patches[i]; untouched on kCapacity and kNotFinite. Cycle code.
  [[nodiscard]] ContactStatus solve(const PatchProblem& problem, std::span<PatchForce> forces,
                                    SolveReport& report) noexcept;

 private:
  struct Work {
    Mat3 R = Mat3::Identity();  // rows t1, t2, n: local from W
    Vec3 r_a = Vec3::Zero();    // m, from the bodies' origins to the centroid
    Vec3 r_b = Vec3::Zero();
    Mat6 X_a = Mat6::Zero();  // velocity of the patch, local, from those of the bodies
    Mat6 X_b = Mat6::Zero();
    Mat6 Y_a = Mat6::Zero();  // velocity of body a per local impulse on it: Phi_aa X_a'
    Mat6 Y_b = Mat6::Zero();
    Mat6 Phi = Mat6::Identity();   // response of the patch, local
    Mat6 to_c = Mat6::Identity();  // velocity error -> c of the cone (kSurface: Phi Q)
    Vec6 target = Vec6::Zero();    // local target velocity
    Vec6 lambda = Vec6::Zero();    // local impulse so far
    Vec6 free = Vec6::Zero();      // local velocity without any impulse
    Vec6 left = Vec6::Zero();      // local velocity error after the last visit
    double change = 0.0;           // m/s, of the last visit
    double tolerance = 0.0;        // m/s, changes that matter
    double taken_back = 0.0;       // m/s, the fastest that penetration is taken back with
    double share = 1.0;            // of the cone's loads that is applied
    int island = 0;
    std::array<double, kMaxOutline> lead = {};  // m/s, corners ahead may come nearer by so much
    bool exact = true;  // the last visit found the best impulse; else the island is not converged
    PatchCone cone;
  };

  void begin_patch(const PatchProblem& problem, int i) noexcept;
  void ask(const PatchProblem& problem, int i) noexcept;
  void respond(const PatchProblem& problem, const ContactPatch& c, Work& w) const noexcept;
  [[nodiscard]] Vec6 velocity(const ContactPatch& c, const Work& w,
                              std::span<const Vec6> V) const noexcept;
  void push(const PatchProblem& problem, const ContactPatch& c, const Work& w,
            const Vec6& local) noexcept;
  void push_body(const PatchProblem& problem, int body, const Mat6& X, const Mat6& Y,
                 const Vec6& local, double sign) noexcept;
  void visit(const PatchProblem& problem, int i) noexcept;
  void limit_work(const PatchProblem& problem, std::span<const int> island) noexcept;
  bool sweep_island(const PatchProblem& problem, std::span<const int> island,
                    SolveReport& report) noexcept;
  void find_islands(const PatchProblem& problem) noexcept;
  int root_of(int system) noexcept;
  void answer(const PatchProblem& problem, std::span<PatchForce> forces) noexcept;

  VolumetricSettings settings_;
  PyramidEdges edges_;
  std::vector<Work> work_;
  std::vector<Vec6> V_;         // per body, with the impulses so far
  std::vector<Vec6> V_free_;    // per body
  std::vector<Vec6> V_before_;  // per body, as the step began
  std::vector<int> parent_;     // union-find over systems
  std::vector<int> order_;      // patches, island after island
};

}  // namespace kagami::models
