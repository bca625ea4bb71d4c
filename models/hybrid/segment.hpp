/// Sub-chains of an open chain whose terms are derived in closed form, to be joined by assembly:
/// Takahashi 2012, section 4.3.
#pragma once

#include <vector>

#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// Bodies first .. last of a plan without branches. Its handles: the root, about Jo in the axes of
/// the joint frame J that carries body `first` (a floating base: about Bo in B); the tip, where the
/// next segment's joint frame J stands. The first segment of a fixed base has no root handle, the
/// last segment no tip handle.
struct Segment {
  int first = 0;
  int last = 0;
  bool has_root = true;
  bool has_tip = true;
};

/// Numbers a segment's functions take and give, by position.
struct SegmentLayout {
  /// r of the terms: angular velocity of what carries the root, in J (a floating base: its own).
  static constexpr int kOmega = 0;
  /// r of the motion: root acceleration minus gravity in J, angular first (6); force on the tip,
  /// moment first (6).
  static constexpr int kRootAcceleration = 0;
  static constexpr int kTipForce = 6;
  /// h of the terms: Phi_rr (36, row by row), Phi_tr (36), Phi_tt (36), B_r (6), B_t (6), angular
  /// velocity of the tip (3); accelerations minus gravity, ordinary, angular first.
  static constexpr int kPhiRoot = 0;
  static constexpr int kPhiTipRoot = 36;
  static constexpr int kPhiTip = 72;
  static constexpr int kBiasRoot = 108;
  static constexpr int kBiasTip = 114;
  static constexpr int kTipOmega = 120;
  static constexpr int kSize = 124;
};

/// Splits a plan without branches into segments of `length` bodies (the last may be shorter).
/// Throws ModelError for a branched plan.
std::vector<Segment> split_chain(const Plan& plan, const std::vector<int>& lengths);

/// Two blocks: the terms, Eqs. (4.19), (4.20), (4.27), (4.28), and from the handles' forces the
/// motion, Eqs. (4.32), (4.33). Joint quantities are those of bodies first .. last.
Program derive_segment(const Plan& plan, const Segment& segment);

}  // namespace kagami::models::hybrid
