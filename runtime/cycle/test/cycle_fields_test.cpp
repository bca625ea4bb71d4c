#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/test/support/long_run.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/cycle/cycle_compare.hpp"
#include "runtime/cycle/cycle_fields.hpp"
#include "runtime/test/support/khr1_joints.hpp"

namespace kagami::runtime {
namespace {

using test::kKhr1Joints;

/// Puts random bits into every field, doubles of any kind included.
struct RandomVisitor {
  std::mt19937_64 random;

  template <class T>
  void number(const char*, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = (random() & 1u) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(random() % 4);
    } else if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(random());
    } else {
      value = static_cast<T>(random());
    }
  }
  void joints(const char* name, JointArray<double>& value) {
    for (int i = 0; i < kKhr1Joints; ++i) number(name, value[static_cast<std::size_t>(i)]);
  }
  void bytes(const char* name, drivers::ChannelCounts& value) {
    for (std::uint8_t& count : value) number(name, count);
  }
  void tunables(CycleInput& in) {
    if (!in.tuning_is_new) return;
    in.tuning.num_values = static_cast<std::int32_t>(random() % (kMaxTunables + 1));
    for (int i = 0; i < in.tuning.num_values; ++i) {
      number("", in.tuning.values[static_cast<std::size_t>(i)]);
    }
  }
  void events(CycleOutput& out) {
    out.num_events = static_cast<std::int32_t>(random() % (kMaxEventsPerCycle + 1));
    for (int i = 0; i < out.num_events; ++i) {
      Event& event = out.events[static_cast<std::size_t>(i)];
      event.code = static_cast<EventCode>(random() % kNumEventCodes);
      number("", event.joint);
      number("", event.value);
      number("", event.cycle);
    }
  }
};

CycleRecord random_record(unsigned seed) {
  CycleRecord record;
  RandomVisitor visitor{std::mt19937_64(seed)};
  visit_cycle_fields(visitor, record);
  return record;
}

/// Every bit of every field as one text, by an independent walk: equal texts mean equal bits.
struct BitsVisitor {
  std::ostringstream text;

  template <class T>
  void number(const char* name, const T& value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    text << name << ' ' << bits << '\n';
  }
  void joints(const char* name, const JointArray<double>& value) {
    for (const double v : value) number(name, v);
  }
  void bytes(const char* name, const drivers::ChannelCounts& value) {
    for (const std::uint8_t v : value) number(name, v);
  }
  void tunables(const CycleInput& in) {
    number("num_values", in.tuning.num_values);
    for (const double v : in.tuning.values) number("values", v);
  }
  void events(const CycleOutput& out) {
    number("num_events", out.num_events);
    for (const Event& event : out.events) {
      number("code", event.code);
      number("joint", event.joint);
      number("value", event.value);
      number("cycle", event.cycle);
    }
  }
};

std::string bits_of(const CycleRecord& record) {
  BitsVisitor visitor;
  visit_cycle_fields(visitor, record);
  return visitor.text.str();
}

TEST(CycleCdr, RoundTripKeepsEveryBit) {
  std::vector<std::byte> bytes;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const CycleRecord record = random_record(seed);
    write_cycle_cdr(record, kKhr1Joints, bytes);
    CycleRecord read;
    int joints = 0;
    ASSERT_EQ(read_cycle_cdr(bytes, read, joints), CdrStatus::kOk);
    EXPECT_EQ(joints, kKhr1Joints);
    ASSERT_EQ(bits_of(record), bits_of(read));
    EXPECT_FALSE(first_difference(record.out, read.out, joints));
  }
}

TEST(CycleCdr, KeepsNanPayloadsAndMinusZero) {
  CycleRecord record;
  record.out.q_ref[0] = -0.0;
  record.out.q_ref[1] = std::bit_cast<double>(0x7FF8000000000123u);
  record.out.q_ref[2] = std::bit_cast<double>(0xFFF0000000000001u);  // signalling
  record.out.q_ref[3] = std::numeric_limits<double>::denorm_min();
  std::vector<std::byte> bytes;
  write_cycle_cdr(record, kKhr1Joints, bytes);
  CycleRecord read;
  int joints = 0;
  ASSERT_EQ(read_cycle_cdr(bytes, read, joints), CdrStatus::kOk);
  EXPECT_EQ(bits_of(record), bits_of(read));
}

TEST(CycleCdr, ARowOfTheKhr1IsBetweenOneAndThreeKilobytes) {
  std::vector<std::byte> bytes;
  write_cycle_cdr(CycleRecord{}, kKhr1Joints, bytes);
  EXPECT_GT(bytes.size(), 1000u);
  EXPECT_LT(bytes.size(), 3000u);
  RecordProperty("bytes_per_row", static_cast<int>(bytes.size()));
}

TEST(CycleCdr, RefusesToWriteCountsOutOfRange) {
  std::vector<std::byte> bytes;
  EXPECT_THROW(write_cycle_cdr(CycleRecord{}, 0, bytes), RecordError);
  EXPECT_THROW(write_cycle_cdr(CycleRecord{}, kMaxJoints + 1, bytes), RecordError);
  CycleRecord record;
  record.in.tuning.num_values = kMaxTunables + 1;
  EXPECT_THROW(write_cycle_cdr(record, kKhr1Joints, bytes), RecordError);
  record.in.tuning.num_values = 0;
  record.out.num_events = kMaxEventsPerCycle + 1;
  EXPECT_THROW(write_cycle_cdr(record, kKhr1Joints, bytes), RecordError);
  record.out.num_events = -1;
  EXPECT_THROW(write_cycle_cdr(record, kKhr1Joints, bytes), RecordError);
}

TEST(CycleCdr, RefusesEveryTruncationAndATrailingByteAndKeepsItsOutput) {
  std::vector<std::byte> bytes;
  write_cycle_cdr(random_record(1), kKhr1Joints, bytes);
  CycleRecord untouched = random_record(2);
  const std::string before = bits_of(untouched);
  int joints = -7;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(read_cycle_cdr(std::span(bytes).first(size), untouched, joints),
              CdrStatus::kTruncated)
        << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(read_cycle_cdr(bytes, untouched, joints), CdrStatus::kTrailing);
  EXPECT_EQ(bits_of(untouched), before);
  EXPECT_EQ(joints, -7);
}

TEST(CycleCdr, MutatedBytesAreRefusedOrReadAsAPossibleRow) {
  std::mt19937_64 random(2026);
  std::vector<std::byte> bytes;
  std::vector<std::byte> again;
  int refused = 0;
  for (unsigned round = 0; round < test::rounds(20000); ++round) {
    if (round % 100 == 0) write_cycle_cdr(random_record(random() & 0xFFu), kKhr1Joints, bytes);
    std::vector<std::byte> mutated = bytes;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t k = 0; k < changes; ++k) {
      mutated[random() % mutated.size()] = static_cast<std::byte>(random());
    }
    CycleRecord read;
    int joints = 0;
    if (read_cycle_cdr(mutated, read, joints) != CdrStatus::kOk) {
      ++refused;
      continue;
    }
    // what was accepted is a row that can be written again and has the same meaning
    write_cycle_cdr(read, joints, again);
    CycleRecord reread;
    ASSERT_EQ(read_cycle_cdr(again, reread, joints), CdrStatus::kOk);
    ASSERT_EQ(bits_of(read), bits_of(reread));
  }
  EXPECT_GT(refused, 100);
}

TEST(CycleCdr, RefusesValuesOfATuningThatIsNotNew) {
  CycleRecord row = random_record(7);
  row.in.tuning_is_new = false;
  row.in.tuning.num_values = 0;
  std::vector<std::byte> old;
  write_cycle_cdr(row, kKhr1Joints, old);
  row.in.tuning_is_new = true;
  row.in.tuning.num_values = 3;
  std::vector<std::byte> bytes;
  write_cycle_cdr(row, kKhr1Joints, bytes);
  const auto flag = std::mismatch(old.begin(), old.end(), bytes.begin()).second;  // tuning_is_new
  CycleRecord read;
  int joints = 0;
  ASSERT_EQ(read_cycle_cdr(bytes, read, joints), CdrStatus::kOk);
  *flag = std::byte{0};
  EXPECT_EQ(read_cycle_cdr(bytes, read, joints), CdrStatus::kBadValue);
}

TEST(CycleCdr, RandomBytesAreRefused) {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < test::rounds(20000); ++round) {
    std::vector<std::byte> bytes(random() % 4000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (bytes.size() >= 4) bytes[0] = std::byte{0}, bytes[1] = std::byte{1};
    CycleRecord read;
    int joints = 0;
    ASSERT_NE(read_cycle_cdr(bytes, read, joints), CdrStatus::kOk);
  }
}

TEST(CycleSchema, NamesEveryFieldOnceInTheWayOfRosMessages) {
  std::istringstream schema(cycle_schema());
  std::set<std::string> names;
  const std::set<std::string> types{"bool",      "uint8",   "int32",     "uint32",
                                    "int64",     "uint64",  "float64",   "int16[]",
                                    "float64[]", "uint8[]", "uint8[12]", "int64[]"};
  std::string line;
  while (std::getline(schema, line)) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    std::string type;
    std::string name;
    fields >> type >> name;
    EXPECT_TRUE(types.count(type)) << line;
    EXPECT_TRUE(names.insert(name).second) << line;
    // ROS: lower case, digits, single underscores, a letter first, none at the end
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos);
    EXPECT_EQ(name.find("__"), std::string::npos) << line;
    EXPECT_NE(name.back(), '_') << line;
    EXPECT_TRUE(name[0] >= 'a' && name[0] <= 'z') << line;
  }
  EXPECT_GT(names.size(), 70u);
}

/// Marks the memory of a record that the description covers.
struct CoverVisitor {
  const std::byte* begin;
  std::vector<bool> covered;

  template <class T>
  void number(const char*, const T& value) {
    const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&value) - begin);
    std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(at), sizeof value, true);
  }
  void joints(const char* name, const JointArray<double>& value) { number(name, value); }
  void bytes(const char* name, const drivers::ChannelCounts& value) { number(name, value); }
  void tunables(const CycleInput& in) {
    number("", in.tuning.num_values);
    number("", in.tuning.values);
  }
  void events(const CycleOutput& out) {
    number("", out.num_events);
    number("", out.events);
  }
};

TEST(CycleFields, CoverARecordButForAlignmentGaps) {
  const CycleRecord record;
  CoverVisitor visitor{reinterpret_cast<const std::byte*>(&record),
                       std::vector<bool>(sizeof record)};
  visit_cycle_fields(visitor, record);
  std::size_t gap = 0;
  for (std::size_t at = 0; at < visitor.covered.size(); ++at) {
    gap = visitor.covered[at] ? 0 : gap + 1;
    ASSERT_LT(gap, 8u) << "a member is not described, near byte " << at;
  }
}

TEST(CycleCompare, NamesTheFieldThePlaceAndBothValues) {
  const CycleOutput a = random_record(3).out;
  EXPECT_FALSE(first_difference(a, a, kKhr1Joints));
  CycleOutput b = a;
  b.q_simulated[3] = -0.0;
  CycleOutput c = a;
  c.q_simulated[3] = 0.0;
  const auto difference = first_difference(b, c, kKhr1Joints);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->field, "q_simulated[3]");
  EXPECT_EQ(difference->first, "-0 (0x8000000000000000)");
  EXPECT_EQ(difference->second, "0 (0x0000000000000000)");
}

TEST(CycleCompare, IgnoresPlacesBeyondTheJoints) {
  const CycleOutput a = random_record(4).out;
  CycleOutput b = a;
  b.q_ref[kKhr1Joints] = 1.0;
  EXPECT_FALSE(first_difference(a, b, kKhr1Joints));
  EXPECT_TRUE(first_difference(a, b, kKhr1Joints + 1));
}

TEST(CycleCompare, ComparesEventsAndTheirNumber) {
  CycleOutput a;
  a.num_events = 1;
  a.events[0] = {5, EventCode::kHeld, -1, 0.5};
  CycleOutput b = a;
  b.events[0].value = 0.25;
  EXPECT_EQ(first_difference(a, b, kKhr1Joints)->field, "event_value[0]");
  b.num_events = 0;
  EXPECT_EQ(first_difference(a, b, kKhr1Joints)->field, "num_events");
}

}  // namespace
}  // namespace kagami::runtime
