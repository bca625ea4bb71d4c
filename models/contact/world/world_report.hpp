/// What a world reports of a step: how it went, contacts, patches, counts.
#pragma once

#include <array>
#include <cstdint>

#include "models/contact/method/contact_patch.hpp"
#include "models/contact/method/contact_point.hpp"

namespace kagami::models {

/// How a step went for one system; the others are not touched by it.
enum class SystemStatus : std::uint8_t {
  kOk,
  kNotFinite,  ///< a state, drive or acceleration is not finite: its state stays as it was
  kSolver,     ///< the method gave no answer: it moved without contact forces
};

/// "ok", "not finite", "solver".
inline const char* name(SystemStatus status) noexcept {
  return std::array{"ok", "not finite", "solver"}[static_cast<std::size_t>(status)];
}

/// How a step went as a whole: the worst of what happened, counted since construction beside it.
enum class WorldStatus : std::uint8_t { kOk, kNotConverged, kCapacity, kSolver, kNotFinite };

/// "ok", "not converged", "capacity", "solver", "not finite".
inline const char* name(WorldStatus status) noexcept {
  return std::array{"ok", "not converged", "capacity", "solver",
                    "not finite"}[static_cast<std::size_t>(status)];
}

/// No static shape: the other side moves.
inline constexpr int kNoStatic = -1;

/// One contact of the last step. `point` as the method saw it, a and b as indices into its island.
/// Either `other` names a static shape, or the three after it a shape that moves (which may be of
/// the same system); the force on that one is the reverse.
struct WorldContact {
  ContactPoint point;
  ContactForce force;
  int system = 0;  ///< of the vertex
  int shape = 0;   ///< among the system's shapes
  int vertex = 0;  ///< of its mesh; -1: where an edge of it crosses a side of the other's face
  int body = 0;    ///< touching body of the system
  int other = kNoStatic;           ///< static shape
  int other_system = kStaticBody;  ///< system of the face
  int other_shape = 0;             ///< among that system's shapes
  int other_body = 0;              ///< touching body of that system
};

/// One patch of the last step under the volumetric method. `patch.a` and `patch.b` count touching
/// bodies over all systems.
struct WorldPatch {
  ContactPatch patch;
  PatchForce force;
  int system = 0;           ///< of patch.a
  int other = kStaticBody;  ///< system of patch.b, or kStaticBody
};

struct WorldCounters {
  long steps = 0;
  long iterations = 0;     ///< of the method, all islands
  long not_converged = 0;  ///< islands
  long overflowed = 0;     ///< steps in which contacts were left out
  long failed = 0;         ///< islands without an answer, systems that were not finite
  long asleep = 0;         ///< systems left out of a step, over all steps
};

}  // namespace kagami::models
