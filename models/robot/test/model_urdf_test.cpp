// What urdfdom lets through and we refuse: each bad robot with the message it gets.
#include "models/robot/model_urdf.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "models/base/errors.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/xml_scan.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

constexpr const char* kGood = R"(<?xml version="1.0"?>
<robot name="two">
  <!-- a comment with <tags> in it -->
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="0.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="1" effort="3" velocity="4"/></joint>
  <joint name="tool" type="fixed"><parent link="arm"/><child link="tip"/>
    <origin xyz="0 0 0.2" rpy="0 0 1.5707963267948966"/></joint>
</robot>
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Model read_two_links(const std::string& text) {
  std::vector<std::string> notices;
  return read_urdf(text, "two.urdf", {}, notices);
}

// the message a text is refused with
std::string refusal_of_urdf(const std::string& text) {
  try {
    read_two_links(text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "(accepted)";
}

struct BadText {
  const char* from;
  const char* to;
  const char* message;  // part of it
};

class BadUrdf : public ::testing::TestWithParam<BadText> {};

TEST_P(BadUrdf, IsRefusedByNameAndValue) {
  const std::string message = refusal_of_urdf(with(GetParam().from, GetParam().to));
  EXPECT_EQ(message.rfind("two.urdf: ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadUrdf,
    ::testing::Values(
        BadText{R"(mass value="0.5")", R"(mass value="-0.5")", "link 'arm': mass -0.5 kg"},
        BadText{R"(mass value="0.5")", R"(mass value="0")", "link 'arm': mass 0 kg"},
        BadText{R"(mass value="0.5")", R"(mass value="nan")", "nan"},
        BadText{R"(mass value="0.5")", R"(mass value="1e999")", "1e999"},
        BadText{R"(mass value="0.5")", R"(mass value="heavy")", "heavy"},
        BadText{R"(izz="0.01")", R"(izz="0.05")", "link 'arm': inertia has the principal values"},
        BadText{R"(izz="0.01")", R"(izz="0.05")", "triangle inequality"},
        BadText{R"(izz="0.01")", R"(izz="-0.01")", "expected all above 0"},
        BadText{R"(ixy="0" ixz="0" iyy="0.02")", R"(ixy="0.9" ixz="0" iyy="0.02")", "link 'arm'"},
        BadText{R"(<axis xyz="0 2 0"/>)", R"(<axis xyz="0 0 0"/>)",
                "joint 'shoulder': axis of length 0, expected a direction"},
        BadText{R"(<axis xyz="0 2 0"/>)", R"(<axis xyz="0 2"/>)", "shoulder"},
        BadText{R"(link name="tip")", R"(link name="arm")", "duplicate link 'arm' (lines "},
        BadText{R"(joint name="tool")", R"(joint name="shoulder")",
                "duplicate joint 'shoulder' (lines "},
        BadText{R"(joint name="tool")", R"(joint name="")", "a joint without a name"},
        BadText{R"(<child link="tip"/>)", R"(<child link="hand"/>)",
                "joint 'tool': its parent or child 'hand' is not a link"},
        BadText{R"(<child link="tip"/>)", R"(<child link="arm"/>)",
                "link 'arm' is the child of two joints"},
        BadText{R"(<parent link="base"/>)", R"(<parent link="tip"/>)", "loop"},
        BadText{R"(<link name="tip"/>)", R"(<link name="tip"/><link name="a"/><link name="b"/>
            <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
            <joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint>)",
                "link 'a' is part of a loop"},
        BadText{R"(<link name="tip"/>)", R"(<link name="tip"/><link name="loose"/>)",
                "several roots: links 'base' and 'loose'"},
        BadText{R"(type="revolute")", R"(type="planar")",
                "joint 'shoulder': type 'planar' is not supported"},
        BadText{R"(type="revolute")", R"(type="hinge")", "type 'hinge' is not supported"},
        BadText{R"(lower="-1")", R"(lower="2")", "joint 'shoulder': limits lower 2"},
        BadText{R"(velocity="4")", R"(velocity="-4")", "joint 'shoulder': limits"},
        BadText{R"(<axis xyz="0 2 0"/>)", R"(<axis xyz="0 2 0"/><mimic joint="tool"/>)",
                "joint 'shoulder': mimic is not supported"},
        BadText{"<robot name=\"two\">", "<model name=\"two\">", "closes <model>"},
        BadText{"</robot>", "", "<robot> has no closing tag"},
        BadText{"</robot>", "</robot><robot/>", "second root"},
        BadText{"<robot name=\"two\">", "<!DOCTYPE x><robot name=\"two\">", "DOCTYPE"},
        BadText{"<robot name=\"two\">", "<robot name=\"two\" name=\"three\">",
                "duplicate attribute name"},
        BadText{"<robot name=\"two\">", "<robot name=two>", "is not quoted"},
        BadText{"<robot name=\"two\">", "<robot name>", "has no value"},
        BadText{"<robot name=\"two\">", "<robot>", "two.urdf"},
        BadText{"<!-- a comment", "<!-- a -- > \x01", "control character 1"}));

TEST(ModelUrdf, MergesFixedLinksAndKeepsThemAsFrames) {
  const Model model = read_two_links(kGood);
  ASSERT_EQ(model.num_bodies(), 2);
  EXPECT_EQ(model.body(0).name, "base");
  EXPECT_TRUE(model.body(0).held);
  EXPECT_EQ(model.body(1).joint_name, "shoulder");
  EXPECT_EQ(model.body(1).joint.axis, Vec3::UnitY());  // normalised
  EXPECT_EQ(model.limits(0).q_min, -1.0);
  EXPECT_EQ(model.limits(0).effort, 3.0);
  const Frame tip = model.frame("tip");
  EXPECT_EQ(tip.body, 1);
  EXPECT_LT((tip.X_BF.p - Vec3(0.0, 0.0, 0.2)).norm(), 1e-15);
  EXPECT_LT((tip.X_BF.R * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_THROW(static_cast<void>(model.frame("no_such_frame")), ModelError);
}

TEST(ModelUrdf, AddsTheMassOfFixedLinks) {
  const Model model = read_two_links(with(R"(<link name="tip"/>)", R"(<link name="tip"><inertial>
      <mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
      </inertial></link>)"));
  const SpatialInertia& M = model.body(1).inertia;
  EXPECT_NEAR(M.mass, 1.0, 1e-15);
  EXPECT_NEAR(M.com().z(), 0.15, 1e-15);  // 0.5 kg at 0.1 m, 0.5 kg at 0.2 m
  EXPECT_NEAR(M.about_com()(0, 0), 0.02 + 0.01 + 1.0 * 0.05 * 0.05, 1e-15);
}

TEST(ModelUrdf, IgnoredTagsGiveOneNotice) {
  std::vector<std::string> notices;
  const std::string text =
      with("</robot>", "<gazebo><plugin/></gazebo><transmission/><gazebo/></robot>");
  read_urdf(text, "two.urdf", {}, notices);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0], "two.urdf: ignored tags: gazebo, transmission");
}

TEST(ModelUrdf, RefusesTextsOfMoreThanFourMebibytes) {
  EXPECT_NE(refusal_of_urdf(std::string(5u << 20, ' ')).find("bytes, expected at most"),
            std::string::npos);
}

TEST(ModelUrdf, RefusesDeepNesting) {
  std::string text = "<robot name=\"x\">";
  for (int i = 0; i < 10'000; ++i) text += "<a>";
  EXPECT_NE(refusal_of_urdf(text).find("nests deeper than 32"), std::string::npos);
}

TEST(ModelUrdf, PrintsNothingItself) {
  ::testing::internal::CaptureStderr();
  refusal_of_urdf(with(R"(mass value="0.5")", R"(mass value="heavy")"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ModelUrdf, SurvivesMutatedBytes) {
  test::Random random(17);
  int accepted = 0;
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    std::string text = kGood;
    for (int k = 0; k <= random.index(4); ++k) {
      const auto at = static_cast<std::size_t>(random.index(static_cast<int>(text.size())));
      switch (random.index(3)) {
        case 0:
          text[at] = static_cast<char>(random.index(256));
          break;
        case 1:
          text.erase(at, static_cast<std::size_t>(1 + random.index(20)));
          break;
        default:
          text.insert(
              at, text.substr(static_cast<std::size_t>(random.index(static_cast<int>(text.size()))),
                              15));
      }
    }
    try {
      read_two_links(text);
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 10);    // some mutations do no harm
  EXPECT_LT(accepted, 1400);  // most do
}

}  // namespace
}  // namespace kagami::models
