#include "models/base/config.hpp"
#include "models/base/text_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "models/base/errors.hpp"
#include "models/base/test/support/long_run.hpp"

namespace kagami {
namespace {

/// The message of the ConfigError that `action` throws; empty when it throws none.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

ConfigDocument parse(std::string_view text) {
  return ConfigDocument::parse(text, "khr1.json");
}

constexpr Range kGain{0.0, 60.0, "1/s"};

TEST(Config, ReadsTypedValues) {
  const ConfigDocument document =
      parse(R"({"kp": 2.5, "n": 3, "on": true, "name": "x", "list": [1, 2]})");
  const ConfigNode root = document.root();
  EXPECT_EQ(root.number("kp", kGain), 2.5);
  EXPECT_EQ(root.integer("n", {0, 10}), 3);
  EXPECT_TRUE(root.boolean("on"));
  EXPECT_EQ(root.text("name"), "x");
  EXPECT_EQ(root.numbers("list", 2, {0, 10}), (std::vector<double>{1, 2}));
  EXPECT_EQ(root.number_or("absent", 7.0, kGain), 7.0);
  root.reject_unknown_keys();
}

TEST(Config, ErrorNamesFilePathValueAndRange) {
  const ConfigDocument document = parse(R"({"control": {"pid": {"kp": -2}}})");
  const ConfigNode pid = document.root().object("control").object("pid");
  EXPECT_EQ(message_of([&] { (void)pid.number("kp", kGain); }),
            "khr1.json: /control/pid/kp: -2 is outside [0, 60] 1/s");
  EXPECT_EQ(message_of([&] { (void)pid.number("ki", kGain); }),
            "khr1.json: /control/pid/ki: is missing");
}

TEST(Config, ErrorsNameTheWrongType) {
  const ConfigDocument document =
      parse(R"({"a": "1", "b": 1.5, "c": {}, "d": [1, "x"], "e": [3]})");
  const ConfigNode root = document.root();
  EXPECT_EQ(message_of([&] { (void)root.number("a", kGain); }),
            "khr1.json: /a: \"1\" is not a number, expected [0, 60] 1/s");
  EXPECT_EQ(message_of([&] {
              (void)root.integer("b", {0, 5});
            }),
            "khr1.json: /b: 1.5 is not a whole number, expected [0, 5]");
  EXPECT_EQ(message_of([&] { (void)root.boolean("b"); }),
            "khr1.json: /b: 1.5 is not true or false");
  EXPECT_EQ(message_of([&] { (void)root.text("c"); }), "khr1.json: /c: {} is not a text");
  EXPECT_EQ(message_of([&] { (void)root.object("b"); }),
            "khr1.json: /b: 1.5 is not an object, expected { ... }");
  EXPECT_EQ(message_of([&] { (void)root.list("c"); }), "khr1.json: /c: {} is not a list");
  EXPECT_EQ(message_of([&] { (void)root.list("e"); }),
            "khr1.json: /e/0: 3 is not an object, expected { ... }");
  EXPECT_EQ(message_of([&] {
              (void)root.numbers("d", 2, {0, 5});
            }),
            "khr1.json: /d/1: \"x\" is not a number, expected [0, 5]");
  EXPECT_EQ(message_of([&] {
              (void)root.numbers("d", 3, {0, 5});
            }),
            "khr1.json: /d: [1,\"x\"] is not a list of 3 numbers");
}

TEST(Config, ChoiceListsItsNames) {
  const ConfigDocument document = parse(R"({"mode": "fly"})");
  constexpr std::string_view kModes[] = {"keyframe", "stream"};
  EXPECT_EQ(message_of([&] { (void)document.root().one_of("mode", kModes); }),
            "khr1.json: /mode: 'fly' is unknown, expected one of: keyframe, stream");
}

TEST(Config, UnknownKeysAreRefused) {
  const ConfigDocument document = parse(R"({"kp": 1, "kq": 2})");
  const ConfigNode root = document.root();
  (void)root.number("kp", kGain);
  EXPECT_EQ(message_of([&] { root.reject_unknown_keys(); }),
            "khr1.json: /: unknown key 'kq', expected: kp");
}

TEST(Config, SyntaxErrorsSayLineAndColumn) {
  const std::string message = message_of([] { (void)parse("{\n  \"a\": ,\n}"); });
  EXPECT_NE(message.find("khr1.json: parse error at line 2, column 8"), std::string::npos)
      << message;
}

TEST(Config, DuplicateKeysAreRefused) {
  EXPECT_EQ(message_of([] { (void)parse(R"({"a": 1, "b": {"a": 2}, "a": 3})"); }),
            "khr1.json: duplicate key 'a' in one object");
  EXPECT_EQ(message_of([] { (void)parse(R"([{"a": 1}, {"a": 2}])"); }), "");
}

TEST(Config, DeepNestingIsRefusedBeforeParsing) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(message_of([&] { (void)parse(deep); }), "khr1.json: nested deeper than 64 levels");
  EXPECT_EQ(message_of([&] { (void)parse("{\"a\": \"" + std::string(100, '[') + "\"}"); }), "");
}

TEST(Config, RootMustBeAnObject) {
  const ConfigDocument document = parse("[1]");
  EXPECT_EQ(message_of([&] { (void)document.root(); }),
            "khr1.json: [1] is not an object, expected { ... }");
}

TEST(Config, MissingFileAndFolderAreNamed) {
  EXPECT_EQ(message_of([] { (void)ConfigDocument::read("/nowhere/a.json"); }),
            "/nowhere/a.json: no such file");
  EXPECT_EQ(message_of([] { (void)ConfigDocument::read("/"); }), "/: not a regular file");
}

TEST(Config, LargeFilesAreRefusedUnread) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "large.json";
  std::ofstream(file) << std::string(200, ' ');
  EXPECT_EQ(message_of([&] { (void)read_text_file(file, 100); }),
            file.string() + ": 200 bytes, expected at most 100");
  std::filesystem::remove(file);
}

TEST(Config, HugeNumbersAreOutOfRangeNotInfinite) {
  // 1e999 is no JSON number for the parser; 1e308 is finite but outside
  EXPECT_NE(message_of([] { (void)parse(R"({"kp": 1e999})"); }), "");
  const ConfigDocument document = parse(R"({"kp": 1e308})");
  EXPECT_NE(message_of([&] { (void)document.root().number("kp", kGain); }).find("outside"),
            std::string::npos);
}

TEST(Config, SurvivesMutatedFiles) {
  const std::string good = R"({"kp": 2.5, "list": [{"name": "left_knee", "on": true}], "n": 3})";
  for (unsigned seed = 0; seed < test::rounds(20'000); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string text = good;
    for (unsigned i = 0; i <= seed % 4; ++i)
      text[random() % text.size()] = static_cast<char>(random());
    const std::string message = message_of([&] {
      const ConfigDocument document = parse(text);
      const ConfigNode root = document.root();
      (void)root.number("kp", kGain);
      for (const ConfigNode& item : root.list("list")) (void)item.text("name");
      root.reject_unknown_keys();
    });
    if (!message.empty()) {
      ASSERT_EQ(message.rfind("khr1.json: ", 0), 0u) << message;
    }
  }
}

}  // namespace
}  // namespace kagami
