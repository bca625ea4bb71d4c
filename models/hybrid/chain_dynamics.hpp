/// Hybrid modelling proper: generated sub-chains, each as often as the chain has it, joined by
/// assembly; Takahashi 2012, section 4.3.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/hybrid/generated_blocks.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Forward dynamics of an open chain, O(n). Sized in the constructor; run allocates nothing.
class ChainDynamics {
 public:
  /// Looks for shipped blocks that make up exactly this model; available() returns whether it found
  /// them.
  explicit ChainDynamics(const Model& model);
  /// Blocks of one family alone; null: none.
  ChainDynamics(const Model& model, const hybrid::GeneratedBlocks* family);
  /// The same in the form for any processor, where `wide` is false.
  ChainDynamics(const Model& model, const hybrid::GeneratedBlocks* family, bool wide);

  [[nodiscard]] bool available() const noexcept { return !parts_.empty(); }
  [[nodiscard]] int num_segments() const noexcept { return static_cast<int>(parts_.size()); }
  /// vdot from q, v, tau as by aba(). False, and vdot untouched, when the result is not finite.
  /// Only when available(). Cycle code.
  [[nodiscard]] bool run(const JointVector& q, const JointVector& v, const JointVector& tau,
                         JointVector& vdot) noexcept;

 private:
  struct Part {
    const hybrid::GeneratedBlock* code = nullptr;
    int column = 0;          // its first joint
    std::size_t memory = 0;  // where it starts in memory_
  };

  int num_joints_ = 0;
  int base_q_ = 0;  // coordinates before the joints'
  int base_v_ = 0;
  hybrid::SinesFunction sines_ = nullptr;
  std::vector<Part> parts_;  // from the root
  std::vector<double> s_, c_, memory_, handles_;
  JointVector result_;
};

}  // namespace kagami::models
