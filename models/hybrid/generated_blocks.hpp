/// What generated blocks of sub-chains offer: forward dynamics of any open chain that is made of
/// them, however often each occurs.
#pragma once

#include <cstdint>

namespace kagami::models::hybrid {

/// What two neighbouring sub-chains show each other at their joint, in the frame of the body that
/// carries the outer one (P), about Po. Accelerations are ordinary ones minus gravity.
struct ChainHandle {
  static constexpr int kOmega = 0;          ///< angular velocity (3, rad/s)
  static constexpr int kInertia = 3;        ///< A (6), H (9), M (6): articulated inertia beyond
  static constexpr int kBias = 24;          ///< moment, force (6)
  static constexpr int kAcceleration = 30;  ///< angular, linear (6)
  static constexpr int kSize = 36;
};

/// In place of a handle at the root of a floating chain: q (7), v (6), tau (6) of the base; its
/// vdot (6) comes out at kOut.
struct ChainBase {
  static constexpr int kOut = 19;
  static constexpr int kSize = 25;
};

/// s, c, v, f: sine, cosine, rate, force of the block's joints; m its memory; r and h the handles
/// at its root and tip; y its joints' accelerations. No two of them overlap. Cycle code.
using BlockFunction = void (*)(const double* s, const double* c, const double* v, const double* f,
                               double* m, double* r, double* h, double* y);

/// Entries of a handle, a bit each: what neighbours must agree on.
struct HandleEntries {
  std::uint64_t zero = 0;    ///< known to be zero
  std::uint64_t handed = 0;  ///< written by the one, read by the other
  bool operator==(const HandleEntries&) const = default;
};

struct GeneratedBlock {
  std::uint64_t hash = 0;  ///< segment_hash() of the sub-chain it was made from
  int bodies = 0;
  int memory = 0;  ///< doubles
  HandleEntries root;
  HandleEntries tip;
  BlockFunction outward = nullptr;     ///< velocities; null at a chain's end: inward does it
  BlockFunction inward = nullptr;      ///< articulated inertias
  BlockFunction accelerate = nullptr;  ///< accelerations; null at a chain's root: inward does it
};

/// Sines and cosines of n angles; s and c have room for a multiple of four.
using SinesFunction = void (*)(int n, const double* q, double* s, double* c);

/// One form of a family's code.
struct GeneratedBlockForm {
  SinesFunction sines = nullptr;
  const GeneratedBlock* blocks = nullptr;
};

/// Blocks that were made from one chain.
struct GeneratedBlocks {
  std::uint64_t version = 0;  ///< kGeneratorVersion
  const char* name = nullptr;
  int num_blocks = 0;  ///< different ones
  GeneratedBlockForm plain;
  GeneratedBlockForm wide;
};

/// The shipped families, by position, null past the end. Any thread.
const GeneratedBlocks* generated_blocks_at(int index) noexcept;

}  // namespace kagami::models::hybrid
