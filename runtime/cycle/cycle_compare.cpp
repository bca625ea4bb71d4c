#include "runtime/cycle/cycle_compare.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <type_traits>

#include "runtime/cycle/cycle_fields.hpp"

namespace kagami::runtime {
namespace {

template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else {
    return a == b;
  }
}

template <class T>
std::string full_text(T value) {
  if constexpr (std::is_same_v<T, double>) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.17g (0x%016" PRIx64 ")", value,
                  std::bit_cast<std::uint64_t>(value));
    return text.data();
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<int>(value));
  } else {
    return std::to_string(value);
  }
}

struct CompareVisitor {
  std::size_t num_joints;
  std::optional<FieldDifference> found;

  template <class T>
  void number(const char* name, const T& a, const T& b, int index = -1) {
    if (found || same_bits(a, b)) return;
    std::string field = name;
    if (index >= 0) field += "[" + std::to_string(index) + "]";
    found = FieldDifference{std::move(field), full_text(a), full_text(b)};
  }
  template <class Array>
  void places(const char* name, const Array& a, const Array& b, std::size_t count) {
    for (std::size_t i = 0; i < count && !found; ++i) {
      number(name, a[i], b[i], static_cast<int>(i));
    }
  }
  void joints(const char* name, const JointArray<double>& a, const JointArray<double>& b) {
    places(name, a, b, num_joints);
  }
  void bytes(const char* name, const drivers::ChannelCounts& a, const drivers::ChannelCounts& b) {
    places(name, a, b, a.size());
  }
  void events(const CycleOutput& a, const CycleOutput& b) {
    number("num_events", a.num_events, b.num_events);
    if (found) return;
    const auto count = static_cast<std::size_t>(std::clamp(a.num_events, 0, kMaxEventsPerCycle));
    for (std::size_t i = 0; i < count && !found; ++i) {
      const int place = static_cast<int>(i);
      number("event_code", a.events[i].code, b.events[i].code, place);
      number("event_joint", a.events[i].joint, b.events[i].joint, place);
      number("event_value", a.events[i].value, b.events[i].value, place);
      number("event_cycle", a.events[i].cycle, b.events[i].cycle, place);
    }
  }
};

}  // namespace

std::optional<FieldDifference> first_difference(const CycleOutput& first, const CycleOutput& second,
                                                int num_joints) {
  CompareVisitor visitor{static_cast<std::size_t>(std::clamp(num_joints, 0, kMaxJoints)), {}};
  visit_outputs(visitor, first, second);
  return visitor.found;
}

}  // namespace kagami::runtime
