#include <gtest/gtest.h>

#include <random>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/test/support/long_run.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/import_absolute.hpp"
#include "motions/file/import_kondo.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/test/khr1_wiring.hpp"

namespace kagami::motions {
namespace {

const std::string kJson = R"({"schema": "kagami.motion/1", "name": "x", "joints": ["head_yaw"],
  "poses": [{"speed": 3, "angles_deg": [10]}, {"duration_s": 0.5, "angles_deg": [null]}]})";
const std::string kCsv =
    "No,Name\r\n1,A,3,4,11,0,225,225,0,0,-11,0,225,225,225,0,-35,-52,21,0,225,0,35,52,-21,0,225\r\n"
    "2,\x91\x4F,6,4,11,0,225,225,0,0,-11,0,225,225,225,0,-35,-52,21,0,225,0,35,52,-21,0,225\r\n";
const std::string kTable =
    "pos,speed,c\n0,4,9,11,90,225,225,90,175,169,90,225,225,225,88,80,63,111,92,225,92,100,117,69,"
    "88,225\n";

// a reader may refuse with ConfigError; what it accepts must bind or be refused the same way
template <class Read>
bool is_accepted(Read read) {
  static const RobotWiring wiring = test::khr1_wiring();
  try {
    bind_motion(read(wiring), wiring);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

int accepted_by_all(const std::string& bytes) {
  return is_accepted([&](const RobotWiring&) { return parse_motion_json(bytes, "fuzz"); }) +
         is_accepted([&](const RobotWiring& w) { return parse_kondo_csv(bytes, "fuzz", w); }) +
         is_accepted([&](const RobotWiring& w) { return parse_absolute_csv(bytes, "fuzz", w); });
}

TEST(ReaderFuzz, RandomBytesAreRefused) {
  std::mt19937 random(2026);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<std::size_t> length(0, 600);
  for (unsigned run = 0; run < test::rounds(2000); ++run) {
    SCOPED_TRACE(run);
    std::string bytes(length(random), '\0');
    for (char& c : bytes) c = static_cast<char>(byte(random));
    EXPECT_EQ(accepted_by_all(bytes), 0);
  }
}

TEST(ReaderFuzz, RandomTokensOfTheFormatsAreSurvived) {
  std::mt19937 random(7);
  const std::string alphabet = "{}[]\",:0123456789-+.eE\\u\r\n \xEF\xBB\xBF\x81naltrufs";
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1);
  for (unsigned run = 0; run < test::rounds(2000); ++run) {
    SCOPED_TRACE(run);
    std::string bytes(200, ' ');
    for (char& c : bytes) c = alphabet[pick(random)];
    EXPECT_EQ(accepted_by_all(bytes), 0);
  }
}

TEST(ReaderFuzz, MutatedFilesAreReadOrRefused) {
  std::mt19937 random(99);
  std::uniform_int_distribution<int> byte(0, 255);
  int accepted = 0;
  int runs = 0;
  for (const std::string& original : {kJson, kCsv, kTable}) {
    ASSERT_EQ(accepted_by_all(original), 1);
    std::uniform_int_distribution<std::size_t> place(0, original.size() - 1);
    for (unsigned run = 0; run < test::rounds(2000); ++run, ++runs) {
      SCOPED_TRACE(run);
      std::string bytes = original;
      for (unsigned change = 0; change <= run % 3; ++change) {
        const std::size_t at = place(random) % bytes.size();
        switch (byte(random) % 4) {
          case 0:
            bytes[at] = static_cast<char>(byte(random));
            break;
          case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << (byte(random) % 8)));
            break;
          case 2:
            bytes.erase(at, 1 + static_cast<std::size_t>(byte(random)) % 9);
            break;
          default:
            bytes.insert(at, bytes.substr(at / 2, 5));
        }
        if (bytes.empty()) bytes = " ";
      }
      accepted += accepted_by_all(bytes);
    }
  }
  // some hit a label or leave another valid number (205 measured): the readers are not simply
  // closed
  EXPECT_GT(accepted, runs / 100);
  EXPECT_LT(accepted, runs);
}

}  // namespace
}  // namespace kagami::motions
