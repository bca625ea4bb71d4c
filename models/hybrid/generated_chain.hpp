/// What generated code of a chain in sub-chains offers: their terms, to be joined by assembly.
#pragma once

#include <cstdint>

namespace kagami::models::hybrid {

/// r in, h out as by SegmentLayout (models/hybrid/segment.hpp); x the joint quantities at the
/// segment's first column, m the segment's memory, y its joints' accelerations. Cycle code.
using SegmentFunction = void (*)(const double* r, const double* x, double* m, double* y, double* h);

struct GeneratedSegment {
  SegmentFunction terms = nullptr;   ///< writes h and m
  SegmentFunction motion = nullptr;  ///< reads m, writes y
  int memory = 0;                    ///< doubles
  int column = 0;                    ///< its first column
  int root_axis = -1;                ///< axis of the joint that carries it, -1: none
};

/// Joint quantities into columns: sine, cosine, rate, force, one row each.
using GatherFunction = void (*)(const double* q, const double* v, const double* tau, double* x);

/// One form of a chain's code.
struct GeneratedChainForm {
  GatherFunction gather = nullptr;
  const GeneratedSegment* segments = nullptr;
};

struct GeneratedChain {
  std::uint64_t version = 0;  ///< kGeneratorVersion
  std::uint64_t model_hash = 0;
  const char* name = nullptr;
  int num_segments = 0;
  int num_columns = 0;  ///< length of a row of x
  bool floating = false;
  GeneratedChainForm plain;
  GeneratedChainForm wide;
};

/// The shipped sub-chains of the model of this hash, null when there are none. Any thread.
const GeneratedChain* find_generated_chain(std::uint64_t model_hash) noexcept;

}  // namespace kagami::models::hybrid
