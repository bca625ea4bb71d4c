// An owner's generated code: compiled, loaded, and refused whenever a hash does not fit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/hybrid/hybrid_algorithm.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/hybrid/owner_code.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/random_tree.hpp"
#include "tools/generator/owner_compiler.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::Model;

Model two_links(double mass) {
  models::ModelBuilder builder;
  models::Joint joint;
  joint.type = models::JointType::kRevolute;
  joint.axis = Vec3(0.6, 0.0, 0.8);  // no coordinate axis
  const models::MassProperties m{mass, Vec3(0.1, 0.02, 0.03), 0.1 * Mat3::Identity()};
  const BodyIndex a = builder.add_body("a", kWorld, "ja", joint, models::Pose{}, m);
  joint.axis = -Vec3::UnitX();
  models::Pose X_PJ;
  X_PJ.p = Vec3(0.3, 0.0, 0.1);
  const BodyIndex b = builder.add_body("b", a, "jb", joint, X_PJ, m);
  builder.set_rotor_inertia(b, 0.05);
  return builder.build();
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

// compiled once for all tests
class OwnerCode : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempFolder;
    model_ = new Model(two_links(1.0));
    library_ = make_owner_code(folder_->path(), *model_, "c++");
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete model_;
  }
  void SetUp() override {
    bytes_ = read(library_);
    note_ = read(note_file());
  }
  void TearDown() override {
    write(library_, bytes_);
    write(note_file(), note_);
  }
  static fs::path note_file() {
    return models::hybrid::owner_note(folder_->path(), models::hybrid::model_hash(*model_));
  }
  // the notice when it is not loaded; empty when it is
  static std::string refusal() {
    std::string notice;
    const auto code = models::hybrid::load_owner_code(folder_->path(), *model_, notice);
    EXPECT_EQ(code == nullptr, !notice.empty());
    return notice;
  }

  static inline test::TempFolder* folder_ = nullptr;
  static inline Model* model_ = nullptr;
  static inline fs::path library_;
  std::string bytes_, note_;
};

TEST_F(OwnerCode, ServesTheModelItWasMadeFor) {
  std::string notice;
  const auto code = models::hybrid::load_owner_code(folder_->path(), *model_, notice);
  ASSERT_NE(code, nullptr) << notice;
  const models::HybridDynamics hybrid(*model_, &code->table());
  ASSERT_TRUE(hybrid.available());
  const JointVector q = Eigen::Vector2d(0.4, -1.2), v = Eigen::Vector2d(2.0, -3.0),
                    tau = Eigen::Vector2d(0.3, 0.7);
  models::AbaWorkspace w(*model_);
  JointVector expected, vdot;
  aba(*model_, q, v, tau, w, expected);
  hybrid.forward(q, v, tau, vdot);
  EXPECT_LT((vdot - expected).norm(), 1e-12 * expected.norm());
}

TEST_F(OwnerCode, OfAChangedModelIsNotFound) {
  std::string notice;
  EXPECT_EQ(models::hybrid::load_owner_code(folder_->path(), two_links(1.1), notice), nullptr);
  EXPECT_NE(notice.find("none for this model"), std::string::npos) << notice;
}

TEST_F(OwnerCode, CutShortIsNotLoaded) {
  write(library_, bytes_.substr(0, bytes_.size() / 2));
  EXPECT_NE(refusal().find("bytes"), std::string::npos);
}

TEST_F(OwnerCode, WithOneOtherByteIsNotLoaded) {
  std::string changed = bytes_;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  write(library_, changed);
  EXPECT_NE(refusal().find("bytes"), std::string::npos);
}

TEST_F(OwnerCode, OfAnotherProgramIsNotLoaded) {
  const std::size_t at = note_.find("program\": \"") + 11;
  std::string other = note_;
  other[at] = other[at] == '0' ? '1' : '0';
  write(note_file(), other);
  EXPECT_NE(refusal().find("another version"), std::string::npos);
}

TEST_F(OwnerCode, WithoutAReadableNoteIsNotLoaded) {
  for (const char* text :
       {"", "{", "[]", "{\"schema\": 3}", "{\"schema\": \"kagami.generated/1\"}"}) {
    write(note_file(), text);
    EXPECT_FALSE(refusal().empty()) << text;
  }
}

TEST_F(OwnerCode, ThatIsNoLibraryIsNotLoadedThoughItsNoteFits) {
  const std::string foreign = "not an object file";
  write(library_, foreign);
  write(note_file(),
        models::hybrid::owner_note_text(models::hybrid::owner_source(*model_), foreign));
  EXPECT_FALSE(refusal().empty());
}

// accelerations of one state by name, as kagami dynamics computes them
JointVector by_name(const Model& model, const fs::path& folder, std::string& notice) {
  models::ForwardDynamics dynamics =
      models::robot_forward_dynamics(model, models::Algorithm::kHybrid, folder);
  notice = dynamics.notice();
  JointVector vdot = JointVector::Zero(2);
  EXPECT_EQ(dynamics.run(Eigen::Vector2d(0.4, -1.2), Eigen::Vector2d(2.0, -3.0),
                         Eigen::Vector2d(0.3, 0.7), vdot),
            models::DynamicsStatus::kOk);
  return vdot;
}

TEST_F(OwnerCode, ServesWhereHybridIsSelectedByName) {
  std::string notice;
  const auto code = models::hybrid::load_owner_code(folder_->path(), *model_, notice);
  ASSERT_NE(code, nullptr) << notice;
  JointVector expected;
  models::HybridDynamics(*model_, &code->table())
      .forward(Eigen::Vector2d(0.4, -1.2), Eigen::Vector2d(2.0, -3.0), Eigen::Vector2d(0.3, 0.7),
               expected);
  EXPECT_EQ(by_name(*model_, folder_->path(), notice), expected);  // every bit
  EXPECT_EQ(notice, "");
}

TEST_F(OwnerCode, ThatIsRefusedLeavesAdaServingWithOneNotice) {
  write(library_, bytes_.substr(0, 1000));
  std::string notice;
  const JointVector vdot = by_name(*model_, folder_->path(), notice);
  EXPECT_NE(notice.find("not loaded, its bytes"), std::string::npos) << notice;
  EXPECT_NE(notice.find("ada serves"), std::string::npos) << notice;
  models::ForwardDynamics ada(*model_, models::Algorithm::kAda);
  JointVector expected = JointVector::Zero(2);
  ASSERT_EQ(ada.run(Eigen::Vector2d(0.4, -1.2), Eigen::Vector2d(2.0, -3.0),
                    Eigen::Vector2d(0.3, 0.7), expected),
            models::DynamicsStatus::kOk);
  EXPECT_EQ(vdot, expected);
}

TEST_F(OwnerCode, BehindALinkIsNotLoaded) {
  const test::TempFolder other;
  fs::copy(library_, other.path() / "elsewhere.so");
  fs::remove(library_);
  fs::create_symlink(other.path() / "elsewhere.so", library_);
  EXPECT_NE(refusal().find("not a regular file"), std::string::npos);
  fs::remove(library_);

  fs::create_symlink(folder_->path() / "generated", other.path() / "generated");
  std::string notice;
  EXPECT_EQ(models::hybrid::load_owner_code(other.path(), *model_, notice), nullptr);
  EXPECT_NE(notice.find("its folder is a link"), std::string::npos) << notice;
}

TEST_F(OwnerCode, ThatAllUsersMayChangeIsNotLoaded) {
  fs::permissions(library_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(refusal().find("everybody"), std::string::npos);
  fs::permissions(library_, fs::perms::others_write, fs::perm_options::remove);
}

TEST_F(OwnerCode, IsLeftAloneWhenTheCompilerFails) {
  EXPECT_THROW(make_owner_code(folder_->path(), *model_, "false"), ConfigError);
  EXPECT_THROW(make_owner_code(folder_->path(), *model_, "/no/such/compiler"), ConfigError);
  EXPECT_TRUE(refusal().empty());  // the old one remains
}

TEST_F(OwnerCode, NeedsAFolderThatCanBeWritten) {
  const test::TempFolder other;
  write(other.path() / "generated", "a file where the folder should be");
  EXPECT_THROW(make_owner_code(other.path(), *model_, "c++"), ConfigError);
}

// every type of joint; two equal limbs are computed side by side
Model every_joint() {
  models::ModelBuilder builder;
  const models::MassProperties m{1.0, Vec3(0.1, 0.02, 0.03), 0.1 * Mat3::Identity()};
  int count = 0;
  const auto add = [&](BodyIndex parent, models::JointType type, const Vec3& p) {
    models::Joint joint;
    joint.type = type;
    joint.axis = Vec3(0.6, 0.0, 0.8);
    joint.axis2 = Vec3(0.8, 0.0, -0.6);
    models::Pose X_PJ;
    X_PJ.p = p;
    const std::string name = std::to_string(count++);
    return builder.add_body("body" + name, parent, "joint" + name, joint, X_PJ, m);
  };
  using Type = models::JointType;
  const BodyIndex base = add(kWorld, Type::kFloating, Vec3::Zero());
  const BodyIndex ball = add(base, Type::kSpherical, Vec3(0.1, 0.2, 0.3));
  const BodyIndex cross = add(ball, Type::kUniversal, Vec3(0.2, 0.1, 0.1));
  for (const double side : {-1.0, 1.0}) {
    const BodyIndex rail = add(cross, Type::kPrismatic, Vec3(0.1, 0.3 * side, 0.2));
    const BodyIndex hand = add(rail, Type::kSpherical, Vec3(0.2, 0.1 * side, 0.1));
    builder.set_rotor_inertia(rail, 0.2);
    add(hand, Type::kRevolute, Vec3(0.0, 0.1, 0.1));
  }
  return builder.build();
}

TEST(OwnerCodeOfEveryJoint, IsTheRunTimeAlgorithmsDynamics) {
  const test::TempFolder folder;
  const Model model = every_joint();
  make_owner_code(folder.path(), model, "c++");
  std::string notice;
  const auto code = models::hybrid::load_owner_code(folder.path(), model, notice);
  ASSERT_NE(code, nullptr) << notice;
  const models::HybridDynamics hybrid(model, &code->table());
  test::Random random(3);
  for (int n = 0; n < 20; ++n) {
    const models::State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    models::AbaWorkspace w(model);
    models::RneaWorkspace w_inverse(model);
    JointVector expected, vdot, back, plain = tau, wide = tau;
    aba(model, s.q, s.v, tau, w, expected);
    hybrid.forward(s.q, s.v, tau, vdot);
    EXPECT_LT((vdot - expected).norm(),
              1e-10 * expected.norm());  // of the acceleration's norm
    rnea(model, s.q, s.v, vdot, w_inverse, expected);
    hybrid.inverse(s.q, s.v, vdot, back);
    EXPECT_LT((back - expected).norm(), 1e-11 * expected.norm());
    if (!models::hybrid::has_wide_units()) continue;
    const models::hybrid::GeneratedForms& forms = code->table().forward_dynamics;
    forms.plain(s.q.data(), s.v.data(), tau.data(), plain.data());
    forms.wide(s.q.data(), s.v.data(), tau.data(), wide.data());
    EXPECT_EQ(plain, wide);
  }
}

TEST(OwnerCodeFolder, WithoutGeneratedCodeGivesNoNotice) {
  const test::TempFolder folder;
  std::string notice = "before";
  EXPECT_EQ(models::hybrid::load_owner_code(folder.path(), two_links(1.0), notice), nullptr);
  EXPECT_TRUE(notice.empty());
}

// the commands in a row, on a robot folder that holds one model JSON
class OwnerCommands : public ::testing::Test {
 protected:
  OwnerCommands() {
    write(folder_.path() / "robot.model.json", R"({"gravity": [0, 0, -9.81], "bodies": [
      {"name": "rod", "parent": -1, "mass": 1, "com": [0, 0, -1],
       "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
       "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0], "xyz": [0, 0, 0]}}]})");
    write(folder_.path() / "states.json", R"({"states": [{"q": [0.5], "v": [0], "tau": [2]}]})");
  }
  // acceleration that `kagami dynamics` prints
  double acceleration(const std::string& algorithm) {
    EXPECT_EQ(dynamics_.run({"dynamics", folder_.path().string(), folder_.file("states.json"),
                             "--algorithm", algorithm, "--json"}),
              0)
        << dynamics_.err;
    return dynamics_.json().at("states").at(0).at("vdot").at(0).get<double>();
  }
  static constexpr double kExpected = (2.0 - 9.81 * 0.479425538604203) / 1.1;  // closed form
  test::TempFolder folder_;
  test::CliCase run_;
  test::CommandCase<tools::add_dynamics> dynamics_;
};

TEST_F(OwnerCommands, GenerateThenDynamicsUseTheFoldersCode) {
  ASSERT_EQ(run_.run({"robot", "generate", folder_.path().string()}), 0) << run_.err;
  EXPECT_TRUE(fs::exists(run_.out.substr(0, run_.out.find('\n'))));
  EXPECT_NEAR(acceleration("hybrid"), kExpected, 1e-14);  // rad/s^2
  EXPECT_EQ(dynamics_.err, "");

  write(folder_.path() / "generated" / "more.txt", "whatever else lies there is no matter");
  for (const fs::directory_entry& e : fs::directory_iterator(folder_.path() / "generated"))
    if (e.path().extension() == ".so") write(e.path(), read(e.path()).substr(0, 100));
  EXPECT_NEAR(acceleration("hybrid"), kExpected, 1e-14);
  EXPECT_NE(dynamics_.err.find("not loaded"), std::string::npos) << dynamics_.err;
  EXPECT_EQ(dynamics_.err.find("warning"), dynamics_.err.rfind("warning"));  // reported once
}

TEST_F(OwnerCommands, WithoutACompilerGenerateFailsAndTheRunTimeAlgorithmServes) {
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  setenv("PATH", folder_.path().c_str(), 1);
  const int code = run_.run({"robot", "generate", folder_.path().string()});
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(code, 2);
  EXPECT_NE(run_.err.find("c++ cannot be started"), std::string::npos) << run_.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "generated"));
  EXPECT_NEAR(acceleration("hybrid"), kExpected, 1e-13);
  EXPECT_NE(dynamics_.err.find("no generated code for this robot, ada serves"), std::string::npos);
}

TEST_F(OwnerCommands, GenerateRefusesWhatItCannotDerive) {
  std::string text = read(folder_.path() / "robot.model.json");
  text.insert(text.rfind(']'),
              R"(, {"name": "free", "parent": -1, "mass": 1, "com": [0, 0, 0],
    "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
    "joint": {"name": "none", "type": "floating", "xyz": [0, 0, 0]}})");
  write(folder_.path() / "robot.model.json", text);
  EXPECT_EQ(run_.run({"robot", "generate", folder_.path().string()}), 2);
  EXPECT_NE(run_.err.find("'none'"), std::string::npos) << run_.err;
}

}  // namespace
}  // namespace kagami::tools
