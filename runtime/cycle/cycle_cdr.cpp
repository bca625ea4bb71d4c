#include "runtime/cycle/cycle_cdr.hpp"

#include <array>
#include <string_view>
#include <type_traits>

#include "models/base/errors.hpp"
#include "runtime/cycle/cycle_fields.hpp"
#include "runtime/record/cdr.hpp"

namespace kagami::runtime {
namespace {

// --- ranges of enumerations: what a reader accepts
constexpr bool is_possible(drivers::TargetMode m) {
  return m <= drivers::TargetMode::kPlay;
}
constexpr bool is_possible(StopLevel s) {
  return s <= StopLevel::kRelease;
}
constexpr bool is_possible(Phase p) {
  return p <= Phase::kTesting;
}
constexpr bool is_possible(SupervisorState s) {
  return static_cast<int>(s) < kNumSupervisorStates;
}
constexpr bool is_possible(control::TestKind k) {
  return k <= control::TestKind::kChirp;
}
constexpr bool is_possible(JointTestStage s) {
  return s <= JointTestStage::kReturning;
}
constexpr bool is_possible(control::ControlStatus s) {
  return static_cast<int>(s) < control::kNumControlStatuses;
}
constexpr bool is_possible(EventCode c) {
  return static_cast<int>(c) < kNumEventCodes;
}

/// The number that encodes a value in the bytes.
template <class T>
auto plain(T value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::underlying_type_t<T>>(value);
  } else {
    return value;
  }
}

template <class T>
constexpr const char* ros_type() {
  if constexpr (std::is_enum_v<T>) {
    return ros_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_same_v<T, double>) {
    return "float64";
  } else if constexpr (sizeof(T) == 8) {
    return std::is_signed_v<T> ? "int64" : "uint64";
  } else if constexpr (sizeof(T) == 4) {
    return std::is_signed_v<T> ? "int32" : "uint32";
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return "uint8";
  }
}

struct SchemaVisitor {
  std::string text;

  void line(std::string_view type, std::string_view name) {
    text.append(type).append(" ").append(name).append("\n");
  }
  template <class T>
  void number(const char* name, T&) {
    line(ros_type<std::remove_const_t<T>>(), name);
  }
  void joints(const char* name, const JointArray<double>&) { line("float64[]", name); }
  void bytes(const char* name, const drivers::ChannelCounts&) { line("uint8[12]", name); }
  void tunables(const CycleInput&) { line("float64[]", "tuning_values"); }
  void events(const CycleOutput&) {
    line("uint8[]", "event_code");
    line("int16[]", "event_joint");
    line("float64[]", "event_value");
    line("int64[]", "event_cycle");
  }
};

struct PutVisitor {
  CdrWriter& cdr;
  std::size_t num_joints;

  template <class T>
  void number(const char*, const T& value) {
    cdr.put(plain(value));
  }
  void joints(const char*, const JointArray<double>& value) {
    cdr.put_sequence(std::span(value).first(num_joints));
  }
  void bytes(const char*, const drivers::ChannelCounts& value) { cdr.put_array(std::span(value)); }
  // a set that is not new is in an earlier row
  void tunables(const CycleInput& in) {
    const int count = in.tuning_is_new ? in.tuning.num_values : 0;
    cdr.put_sequence(std::span(in.tuning.values).first(static_cast<std::size_t>(count)));
  }
  void events(const CycleOutput& out) {
    const auto count = static_cast<std::size_t>(out.num_events);
    column(count, [&](std::size_t i) { return plain(out.events[i].code); });
    column(count, [&](std::size_t i) { return out.events[i].joint; });
    column(count, [&](std::size_t i) { return out.events[i].value; });
    column(count, [&](std::size_t i) { return out.events[i].cycle; });
  }
  template <class Get>
  void column(std::size_t count, Get get) {
    std::array<decltype(get(0)), kMaxEventsPerCycle> values{};
    for (std::size_t i = 0; i < count; ++i) values[i] = get(i);
    cdr.put_sequence(std::span(values).first(count));
  }
};

struct GetVisitor {
  CdrReader& cdr;
  std::uint32_t num_joints = 0;  // 0 before the first sequence
  bool possible = true;

  template <class T>
  void number(const char*, T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> raw{};
      if (!cdr.get(raw)) return;
      value = static_cast<T>(raw);
      possible = possible && is_possible(value);
    } else {
      cdr.get(value);
    }
  }
  void joints(const char*, JointArray<double>& value) {
    std::uint32_t count = 0;
    if (!possible || !cdr.get(count)) return;
    if (num_joints == 0) num_joints = count;
    possible = count == num_joints && count >= 1 && count <= kMaxJoints;
    if (possible) cdr.get_array(std::span(value).first(count));
  }
  void bytes(const char*, drivers::ChannelCounts& value) { cdr.get_array(std::span(value)); }
  void tunables(CycleInput& in) {
    std::uint32_t count = 0;
    if (!possible || !cdr.get(count)) return;
    possible = count <= kMaxTunables && (in.tuning_is_new || count == 0);  // as it is written
    if (!possible) return;
    in.tuning.num_values = static_cast<std::int32_t>(count);
    cdr.get_array(std::span(in.tuning.values).first(count));
  }
  void events(CycleOutput& out) {
    std::uint32_t count = 0;
    if (!possible || !cdr.get(count)) return;
    possible = count <= kMaxEventsPerCycle;
    if (!possible) return;
    out.num_events = static_cast<std::int32_t>(count);
    std::array<std::uint8_t, kMaxEventsPerCycle> codes{};
    cdr.get_array(std::span(codes).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      out.events[i].code = static_cast<EventCode>(codes[i]);
      possible = possible && is_possible(out.events[i].code);
    }
    column<std::int16_t>(count, [&](std::size_t i, std::int16_t v) { out.events[i].joint = v; });
    column<double>(count, [&](std::size_t i, double v) { out.events[i].value = v; });
    column<std::int64_t>(count, [&](std::size_t i, std::int64_t v) { out.events[i].cycle = v; });
  }
  template <class T, class Set>
  void column(std::uint32_t expected, Set set) {
    std::uint32_t count = 0;
    if (!possible || !cdr.get(count)) return;
    possible = count == expected;
    if (!possible) return;
    std::array<T, kMaxEventsPerCycle> values{};
    if (!cdr.get_array(std::span(values).first(count))) return;
    for (std::size_t i = 0; i < count; ++i) set(i, values[i]);
  }
};

}  // namespace

std::string cycle_schema() {
  SchemaVisitor visitor{
      "# One tick of the control cycle: everything it read, everything it wrote.\n"
      "# SI units: rad, rad/s, N m, s; _ns are nanoseconds of the run's clock.\n"
      "# Joint arrays are in model order; NaN = not known yet. Counts are the boards' degrees.\n"};
  const CycleRecord record;
  visit_cycle_fields(visitor, record);
  return visitor.text;
}

void write_cycle_cdr(const CycleRecord& record, int num_joints, std::vector<std::byte>& bytes) {
  if (num_joints < 1 || num_joints > kMaxJoints) {
    throw RecordError("cycle record with " + std::to_string(num_joints) + " joints, expected 1.." +
                      std::to_string(kMaxJoints));
  }
  if (record.out.num_events < 0 || record.out.num_events > kMaxEventsPerCycle) {
    throw RecordError("cycle record with " + std::to_string(record.out.num_events) +
                      " events, expected 0.." + std::to_string(kMaxEventsPerCycle));
  }
  if (record.in.tuning.num_values < 0 || record.in.tuning.num_values > kMaxTunables) {
    throw RecordError("cycle record with " + std::to_string(record.in.tuning.num_values) +
                      " tunables, expected 0.." + std::to_string(kMaxTunables));
  }
  CdrWriter cdr(bytes);
  PutVisitor visitor{cdr, static_cast<std::size_t>(num_joints)};
  visit_cycle_fields(visitor, record);
}

CdrStatus read_cycle_cdr(std::span<const std::byte> bytes, CycleRecord& record,
                         int& num_joints) noexcept {
  CdrReader cdr(bytes);
  if (!cdr.ok()) return CdrStatus::kTruncated;
  GetVisitor visitor{cdr};
  CycleRecord read;
  visit_cycle_fields(visitor, read);
  if (!visitor.possible) return CdrStatus::kBadValue;
  if (!cdr.ok()) return CdrStatus::kTruncated;
  if (!cdr.at_end()) return CdrStatus::kTrailing;
  record = read;
  num_joints = static_cast<int>(visitor.num_joints);
  return CdrStatus::kOk;
}

}  // namespace kagami::runtime
