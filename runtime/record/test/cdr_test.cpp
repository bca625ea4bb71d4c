#include "runtime/record/cdr.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace kagami::runtime {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// layout by hand from DDS-XTYPES 1.3 section 7.4.1.1
TEST(Cdr, AlignsEachValueToItsSizeFromTheByteAfterTheHeader) {
  std::vector<std::byte> out;
  CdrWriter writer(out);
  writer.put(std::uint8_t{0x11});
  writer.put(std::int32_t{-2});
  writer.put(true);
  writer.put(1.0);
  writer.put(std::uint64_t{0x0102030405060708});
  EXPECT_EQ(out, bytes({0,    1, 0, 0,                          // encapsulation
                        0x11, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF,  // uint8, 3 padding, int32
                        1,    0, 0, 0, 0,    0,    0,    0,     // bool, 7 padding
                        0,    0, 0, 0, 0,    0,    0xF0, 0x3F,  // 1.0
                        8,    7, 6, 5, 4,    3,    2,    1}));
}

TEST(Cdr, WritesSequencesWithTheirCount) {
  std::vector<std::byte> out;
  CdrWriter writer(out);
  writer.put_sequence(std::span("ab"));  // a string of CDR: its closing zero counts
  const std::array<std::uint16_t, 2> shorts{1, 2};
  writer.put_sequence(std::span(shorts));
  writer.put_sequence(std::span<const double>());
  writer.put(std::uint8_t{9});
  EXPECT_EQ(out, bytes({0, 1, 0, 0, 3, 0, 0, 0, 'a', 'b', 0, 0,  // count 3, text, padding
                        2, 0, 0, 0, 1, 0, 2, 0,                  // count 2, two uint16
                        0, 0, 0, 0, 9}));                        // count 0: no padding after it
}

TEST(Cdr, KeepsAllBitsOfDoublesIncludingNan) {
  const std::array<double, 5> values{0.1, -0.0, std::numeric_limits<double>::denorm_min(),
                                     std::numeric_limits<double>::infinity(), std::nan("77")};
  std::vector<std::byte> out;
  CdrWriter writer(out);
  writer.put_array(std::span(values));
  std::array<double, 5> read{};
  CdrReader reader(out);
  ASSERT_TRUE(reader.get_array(std::span(read)));
  EXPECT_TRUE(reader.at_end());
  // equal bits: NaN, too. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  EXPECT_EQ(std::memcmp(values.data(), read.data(), sizeof(values)), 0);
}

TEST(Cdr, ReadsBackWhatItWroteOnRandomMessages) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> doubles(random() % 20);
    for (double& d : doubles) d = std::bit_cast<double>(random());
    const auto number = static_cast<std::int64_t>(random());
    const bool flag = random() % 2 == 0;

    std::vector<std::byte> out;
    CdrWriter writer(out);
    writer.put(flag);
    writer.put_sequence(std::span(doubles));
    writer.put(number);

    CdrReader reader(out);
    bool flag_read = !flag;
    std::uint32_t count = 0;
    std::vector<double> doubles_read(doubles.size());
    std::int64_t number_read = 0;
    EXPECT_TRUE(reader.get(flag_read) && reader.get(count) &&
                reader.get_array(std::span(doubles_read)) && reader.get(number_read));
    EXPECT_TRUE(reader.at_end());
    EXPECT_EQ(flag_read, flag);
    EXPECT_EQ(count, doubles.size());
    if (!doubles.empty()) {
      EXPECT_EQ(std::memcmp(doubles.data(), doubles_read.data(), doubles.size() * 8), 0);
    }
    EXPECT_EQ(number_read, number);
  }
}

TEST(Cdr, RefusesAMessageCutAnywhereAndLeavesTheRestUntouched) {
  std::vector<std::byte> out;
  CdrWriter writer(out);
  writer.put(std::int32_t{7});
  const std::array<double, 3> doubles{1, 2, 3};
  writer.put_array(std::span(doubles));
  writer.put(std::uint8_t{9});
  for (std::size_t size = 0; size < out.size(); ++size) {
    SCOPED_TRACE(size);
    const std::span<const std::byte> whole(out);
    CdrReader reader(whole.first(size));
    std::int32_t a = -1;
    std::array<double, 3> b{};
    std::uint8_t c = 77;
    reader.get(a);
    reader.get_array(std::span(b));
    reader.get(c);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(c, 77);
  }
}

TEST(Cdr, RefusesAForeignHeaderAndABoolOfTwo) {
  EXPECT_FALSE(CdrReader(bytes({0, 0, 0, 0, 1})).ok());  // big-endian
  bool flag = false;
  const std::vector<std::byte> odd = bytes({0, 1, 0, 0, 2});
  CdrReader two(odd);
  EXPECT_FALSE(two.get(flag));
  EXPECT_FALSE(two.ok());
}

}  // namespace
}  // namespace kagami::runtime
