/// What generated code offers and how it is found.
#pragma once

#include <cstdint>
#include <string_view>

namespace kagami::models::hybrid {

/// Changes whenever generated code of an older program may no longer be called.
inline constexpr std::uint64_t kGeneratorVersion = 2;

/// Forward dynamics: q, v, tau give vdot. Inverse dynamics: q, v, vdot give tau. Arrays of the
/// model's num_q or num_v numbers, meanings as everywhere (models/robot/joint.hpp); `out` lies
/// apart from the others. Cycle code.
using GeneratedFunction = void (*)(const double* q, const double* v, const double* in, double* out);

/// Forward dynamics whose diagonal comes with the call: J has num_v numbers (kg m^2, kg) and takes
/// the place of the model's rotor inertias, as ExternalLoads::added_inertia. Cycle code.
using DrivenFunction = void (*)(const double* q, const double* v, const double* tau,
                                const double* J, double* vdot);

/// One function in its two forms with equal bits: for any x86-64, and for AVX2 with FMA.
template <class Function>
struct FormsOf {
  Function plain = nullptr;
  Function wide = nullptr;
};
using GeneratedForms = FormsOf<GeneratedFunction>;
using DrivenForms = FormsOf<DrivenFunction>;

/// The generated code of one model.
struct GeneratedTable {
  std::uint64_t version = 0;     ///< kGeneratorVersion it was made with
  std::uint64_t model_hash = 0;  ///< model_hash() of the model it was made from
  const char* name = nullptr;
  int num_q = 0;
  int num_v = 0;
  GeneratedForms forward_dynamics;
  GeneratedForms inverse_dynamics;
  DrivenForms driven_dynamics;
};

/// The shipped code for the model of this hash, null when there is none. Defined in the library
/// kagami::generated. Any thread.
const GeneratedTable* find_generated(std::uint64_t model_hash) noexcept;
/// The shipped code, by position, null past the end.
const GeneratedTable* generated_at(int index) noexcept;

/// Whether the processor runs the wide forms. Set-up.
bool has_wide_units() noexcept;
/// The faster form that runs here.
template <class Function>
Function best_form(const FormsOf<Function>& forms) noexcept {
  return has_wide_units() && forms.wide != nullptr ? forms.wide : forms.plain;
}

}  // namespace kagami::models::hybrid
