/// What an update of a controller came to; light enough for what crosses threads.
#pragma once

#include <array>
#include <cstdint>

namespace kagami::control {

/// Outputs are untouched unless kOk.
enum class ControlStatus : std::uint8_t {
  kOk,
  kBadStep,      ///< dt that is not finite and above 0
  kNotFinite,    ///< a NaN or an infinity in what it was shown; finding: joint and value
  kOld,          ///< a reading is older than the limit; finding: joint and age (s)
  kBadOutput,    ///< the controller answered with a NaN or an infinity; joint and value
  kSaturated,    ///< a joint has been at its limit for too long; joint and time (s)
  kLoopOpen,     ///< the loops of the virtual mechanism cannot be closed; gap (m or rad)
  kFootInAir,    ///< the support foot does not stand; its height (m)
  kNotPossible,  ///< no answer for this state: no inertia, never started, the controller's own
};
inline constexpr int kNumControlStatuses = 9;
/// "ok", "bad step", "not finite", "old reading", ...
inline const char* name(ControlStatus status) noexcept {
  constexpr std::array<const char*, kNumControlStatuses> kStatusNames{
      "ok",        "bad step",  "not finite",  "old reading", "bad output",
      "saturated", "loop open", "foot in air", "not possible"};
  const auto index = static_cast<std::size_t>(status);
  return index < kStatusNames.size() ? kStatusNames[index] : "?";
}

}  // namespace kagami::control
