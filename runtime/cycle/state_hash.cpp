#include "runtime/cycle/state_hash.hpp"

#include <type_traits>

#include "runtime/cycle/cycle_fields.hpp"

namespace kagami::runtime {
namespace {

/// state_hash itself is 0 when the hash is taken: step starts from an empty output.
struct HashVisitor {
  StateHash& hash;
  int num_joints;

  template <class T>
  void number(const char*, const T& value) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      hash.add(value);
    } else {
      hash.add(static_cast<std::uint64_t>(value));
    }
  }
  void joints(const char*, const JointArray<double>& value) noexcept {
    for (int i = 0; i < num_joints; ++i) hash.add(value[static_cast<std::size_t>(i)]);
  }
  void bytes(const char*, const drivers::ChannelCounts& value) noexcept {
    for (const std::uint8_t count : value) hash.add(std::uint64_t{count});
  }
  void events(const CycleOutput& out) noexcept {
    hash.add(std::int64_t{out.num_events});
    for (int i = 0; i < out.num_events; ++i) {
      const Event& event = out.events[static_cast<std::size_t>(i)];
      hash.add(static_cast<std::uint64_t>(event.code));
      hash.add(std::int64_t{event.joint});
      hash.add(event.value);
      hash.add(event.cycle);
    }
  }
};

}  // namespace

void add_to_hash(const CycleOutput& out, int num_joints, StateHash& hash) noexcept {
  HashVisitor visitor{hash, num_joints};
  visit_outputs(visitor, out);
}

}  // namespace kagami::runtime
