#include "runtime/record/viewer_json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace kagami::runtime {
namespace {

using nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ViewerJson, PrintsJointStatesAsFoxgloveHasThem) {
  const std::vector<std::string> names{"left_knee", "neck"};
  const std::vector<double> position{0.5, -1.25};
  const std::vector<double> effort{2.0, 1e-20};
  ViewerJson viewer;
  EXPECT_EQ(viewer.joint_states({.time_ns = 12'000'000'345,
                                 .names = names,
                                 .position = position,
                                 .velocity = {},
                                 .acceleration = {},
                                 .effort = effort}),
            R"({"timestamp":{"sec":12,"nsec":345},"joints":[)"
            R"({"name":"left_knee","position":0.5,"effort":2},)"
            R"({"name":"neck","position":-1.25,"effort":1e-20}]})");
}

TEST(ViewerJson, LeavesOutWhatIsNotFinite) {
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector<double> position{kNan, kInf, 1.0};
  const std::vector<double> shorter{-kInf};
  ViewerJson viewer;
  EXPECT_EQ(viewer.residual(
                {.time_ns = 0, .names = names, .residual = position, .residual_naive = shorter}),
            R"({"timestamp":{"sec":0,"nsec":0},"joints":[)"
            R"({"name":"a"},{"name":"b"},{"name":"c","residual":1}]})");
  const std::vector<FrameTransformView> transforms{
      {"world", "pelvis", {0.0, 0.0, kNan}, {0.0, 0.0, 0.0, 1.0}},
      {"world", "foot", {0.0, 0.0, 0.0}, {0.0, kInf, 0.0, 1.0}}};
  EXPECT_EQ(viewer.frame_transforms(1, transforms), R"({"transforms":[]})");
}

TEST(ViewerJson, PrintsLogLinesAndTransforms) {
  ViewerJson viewer;
  EXPECT_EQ(viewer.log({.time_ns = 1'999'999'999,
                        .level = LogLevel::kWarning,
                        .message = "late \"tick\"",
                        .name = "runner",
                        .file = {}}),
            R"({"timestamp":{"sec":1,"nsec":999999999},"level":3,"message":"late \"tick\"",)"
            R"("name":"runner","file":"","line":0})");
  const std::vector<FrameTransformView> transforms{
      {"world", "pelvis", {0.5, 0.0, 0.25}, {0.0, 0.0, 0.0, 1.0}},
      {"pelvis", "trunk", {0.0, 0.0, 0.125}, {1.0, 0.0, 0.0, 0.0}}};
  const json printed = json::parse(viewer.frame_transforms(5, transforms));
  ASSERT_EQ(printed["transforms"].size(), 2u);
  EXPECT_EQ(printed["transforms"][1],
            json::parse(R"({"timestamp":{"sec":0,"nsec":5},"parent_frame_id":"pelvis",
              "child_frame_id":"trunk","translation":{"x":0.0,"y":0.0,"z":0.125},
              "rotation":{"x":1.0,"y":0.0,"z":0.0,"w":0.0}})"));
}

TEST(ViewerJson, NumbersReadBackToTheSameBits) {
  std::mt19937_64 random(11);
  const std::vector<std::string> names(64, "j");
  ViewerJson viewer;
  for (int round = 0; round < 100; ++round) {
    std::vector<double> values(64);
    for (double& v : values) v = std::bit_cast<double>(random());
    const json printed = json::parse(viewer.joint_states({.time_ns = 0,
                                                          .names = names,
                                                          .position = values,
                                                          .velocity = {},
                                                          .acceleration = {},
                                                          .effort = {}}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const json& joint = printed["joints"][i];
      ASSERT_EQ(joint.contains("position"), std::isfinite(values[i]));
      if (joint.contains("position")) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(joint["position"].get<double>()),
                  std::bit_cast<std::uint64_t>(values[i]));
      }
    }
  }
}

TEST(ViewerJson, TextsComeOutAsValidJsonWhateverTheyHold) {
  ViewerJson viewer;
  const std::string all("\x01\b\t\n\r\x1F\x7F\"\\/ 鏡 \U0001F916");
  EXPECT_EQ(json::parse(viewer.log({.message = all, .name = {}, .file = {}}))["message"], all);
  // what is no UTF-8 becomes U+FFFD; the parser refuses anything else
  const auto printed = [&](std::string_view text) {
    return json::parse(viewer.log({.message = text, .name = {}, .file = {}}))["message"]
        .get<std::string>();
  };
  EXPECT_EQ(printed("a\xFF"
                    "b"),
            "a\uFFFDb");
  EXPECT_EQ(printed("\xE9\x8F"), "\uFFFD\uFFFD");                 // cut
  EXPECT_EQ(printed("\xC0\xAF"), "\uFFFD\uFFFD");                 // overlong
  EXPECT_EQ(printed("\xED\xA0\x80").substr(0, 3), "\uFFFD");      // surrogate
  EXPECT_EQ(printed("\xF4\x90\x80\x80").substr(0, 3), "\uFFFD");  // above U+10FFFF
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string noise(random() % 8, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_TRUE(json::accept(viewer.log({.message = noise, .name = noise, .file = {}})));
  }
}

TEST(ViewerJson, SchemasAreJsonAndNameEveryFieldThatIsPrinted) {
  const std::vector<std::string> names{"a"};
  const std::vector<double> one{1.0};
  ViewerJson viewer;
  const auto check = [](const json& schema, const json& printed, const auto& self) -> void {
    if (printed.is_array()) {
      for (const json& item : printed) self(schema.at("items"), item, self);
    }
    if (!printed.is_object()) return;
    for (const auto& [key, value] : printed.items())
      self(schema.at("properties").at(key), value, self);
    for (const json& key : schema.value("required", json::array())) {
      EXPECT_TRUE(printed.contains(key)) << key;
    }
  };
  const auto all = [&](const ViewerSchema& schema, std::string_view printed) {
    const json parsed = json::parse(schema.text);
    EXPECT_EQ(parsed["title"], schema.name);
    check(parsed, json::parse(printed), check);
  };
  all(kJointStatesSchema, viewer.joint_states({.time_ns = 0,
                                               .names = names,
                                               .position = one,
                                               .velocity = one,
                                               .acceleration = one,
                                               .effort = one}));
  all(kResidualSchema,
      viewer.residual({.time_ns = 0, .names = names, .residual = one, .residual_naive = one}));
  all(kLogSchema, viewer.log({}));
  const std::vector<FrameTransformView> transforms(1);
  all(kFrameTransformsSchema, viewer.frame_transforms(0, transforms));
}

}  // namespace
}  // namespace kagami::runtime
