#include "runtime/cycle/apply_values.hpp"

#include <array>
#include <bit>

namespace kagami::runtime {
namespace {

int count_of(const ControllerInstance& unit) noexcept {
  return static_cast<int>(unit.robot->tunables().size());
}

bool same_bits(double a, double b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// both controllers or none
bool set(ControllerInstance& unit, int index, double value) noexcept {
  const double before = unit.robot->tunable(index);
  if (!unit.robot->set_tunable(index, value)) return false;
  if (!unit.twin || unit.twin->set_tunable(index, value)) return true;
  static_cast<void>(unit.robot->set_tunable(index, before));
  return false;
}

using Values = std::array<double, kMaxTunables>;

// where values bound each other (a lower and an upper size) the order must not matter: what is
// refused in one round may fit in the next
bool set_all(std::span<const std::unique_ptr<ControllerInstance>> units, const Values& values,
             RefusedValue& refused) noexcept {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    refused = {};
    bool all = true;
    int at = 0;
    for (const auto& unit : units) {
      for (int k = 0; k < count_of(*unit); ++k, ++at) {
        const double value = values[static_cast<std::size_t>(at)];
        if (same_bits(unit->robot->tunable(k), value) || set(*unit, k, value)) continue;
        if (all) refused = {at, value};
        all = false;
      }
    }
    if (all) return true;
  }
  return false;
}

}  // namespace

bool apply_values(std::span<const std::unique_ptr<ControllerInstance>> units, const Tuning& tuning,
                  RefusedValue& refused) noexcept {
  if (tuning.num_values == 0) return true;
  int total = 0;
  for (const auto& unit : units) total += count_of(*unit);
  if (tuning.num_values != total || total > kMaxTunables) {
    refused = {-1, static_cast<double>(tuning.num_values)};
    return false;
  }
  // ranges of all before the first is set
  int at = 0;
  for (const auto& unit : units) {
    for (const control::Tunable& tunable : unit->robot->tunables()) {
      const double value = tuning.values[static_cast<std::size_t>(at)];
      if (!tunable.takes(value)) {
        refused = {at, value};
        return false;
      }
      ++at;
    }
  }
  Values before{};
  at = 0;
  for (const auto& unit : units) {
    for (int k = 0; k < count_of(*unit); ++k, ++at) {
      before[static_cast<std::size_t>(at)] = unit->robot->tunable(k);
    }
  }
  if (set_all(units, tuning.values, refused)) return true;
  // a controller's own objection: all go back
  RefusedValue again;
  static_cast<void>(set_all(units, before, again));
  return false;
}

}  // namespace kagami::runtime
