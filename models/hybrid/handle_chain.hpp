/// Sub-chains by the terms of their two handles, joined by assembly as written in Takahashi 2012,
/// section 4.3.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "models/base/types.hpp"
#include "models/hybrid/generated_chain.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Forward dynamics of an open chain in sub-chains. Sized in the constructor; run allocates
/// nothing.
class HandleChain {
 public:
  /// Looks for shipped sub-chains of exactly this model.
  explicit HandleChain(const Model& model);
  HandleChain(const Model& model, const hybrid::GeneratedChain* chain);

  [[nodiscard]] bool available() const noexcept { return chain_ != nullptr; }
  [[nodiscard]] int num_segments() const noexcept { return static_cast<int>(parts_.size()); }
  /// vdot from q, v, tau as by aba(). False, and vdot untouched, when a joining inertia is not
  /// positive definite or not finite. Only when available(). Cycle code.
  [[nodiscard]] bool run(const JointVector& q, const JointVector& v, const JointVector& tau,
                         JointVector& vdot) noexcept;

  /// After run: a segment's terms by SegmentLayout, and the force that segment s - 1 exerts on
  /// segment s through their joint, about and in its joint frame J (0 < s).
  [[nodiscard]] const double* terms(int segment) const noexcept {
    return parts_[static_cast<std::size_t>(segment)].h.data();
  }
  [[nodiscard]] const Vec6& joint_force(int segment) const noexcept {
    return parts_[static_cast<std::size_t>(segment)].F;
  }

 private:
  using Mat5 = Eigen::Matrix<double, 5, 5>;
  using Vec5 = Eigen::Matrix<double, 5, 1>;
  /// A sub-chain, and after assembly all from it to the tip.
  struct Part {
    std::vector<double> h;
    std::vector<double> m;
    Vec6 F = Vec6::Zero();    // on its root
    Mat6 phi = Mat6::Zero();  // root handle of all from here on
    Vec6 B = Vec6::Zero();
    Mat6 W = Mat6::Zero();       // joint to the next: T (T' (Phi_Z + Phi_Y) T)^-1 T'
    Vec6 F_free = Vec6::Zero();  // on the next, without a force on this root
  };

  bool join(std::size_t s, const JointVector& v, const JointVector& tau) noexcept;
  void spread(const JointVector& q, const JointVector& v, const JointVector& tau,
              JointVector& vdot) noexcept;

  int num_v_ = 0;
  int base_v_ = 0;  // degrees of freedom before the first column
  Vec3 gravity_J_ = Vec3::Zero();
  const hybrid::GeneratedChain* chain_ = nullptr;
  const hybrid::GeneratedChainForm* form_ = nullptr;
  std::vector<double> x_;
  std::vector<Part> parts_;
};

}  // namespace kagami::models
