// Gains of the balance strategies: their slope, their files, what is refused, how they are changed.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "control/balance/balance_gains.hpp"
#include "control/balance/balance_tunables.hpp"
#include "control/balance/test/balance_scene.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using namespace test_scene;

TEST(Strategy, DampingIsTheSlopeOfTheTorques) {
  const BodyTurn turn{0.2, -0.15};
  for (int i = 0; i < kStrategies; ++i) {
    const StrategyGains g = thesis_gains(static_cast<Strategy>(i));
    const std::array<double, kLegJoints> kd = strategy_damping(g, turn);
    LegState legs;
    for (std::size_t j = 0; j < kd.size(); ++j) legs.theta[j] = 0.02 * static_cast<double>(j);
    const std::array<double, kLegJoints> before = strategy_torques(g, thesis_lumps(), legs, turn);
    for (std::size_t j = 0; j < kd.size(); ++j) {
      LegState moved = legs;
      moved.rate[j] = 1.0;  // the torques are linear in the rates
      EXPECT_NEAR(before[j] - strategy_torques(g, thesis_lumps(), moved, turn)[j], kd[j], 1e-12)
          << name(static_cast<Strategy>(i)) << " " << j;
    }
  }
}

TEST(Balance, AnswersBadInputWithAStatusAndAllocatesNothing) {
  const models::Model model = on_both_feet();
  Balance balance(model, robot_of(model), thesis_settings());
  models::State s = models::neutral_state(model);
  JointVector tau = JointVector::Constant(10, 7.0);
  const auto refused = [&](const JointVector& q, const JointVector& v, double dt,
                           BalanceControlStatus status) {
    EXPECT_EQ(balance.update(q, v, dt, tau), status) << name(status);
    EXPECT_EQ((tau - JointVector::Constant(10, 7.0)).norm(), 0.0);
  };
  refused(s.q, s.v, 1e-3, BalanceControlStatus::kNotStarted);
  JointVector bad = s.q;
  bad[3] = std::nan("");
  EXPECT_EQ(balance.start(bad), BalanceControlStatus::kNotFinite);
  ASSERT_EQ(balance.start(s.q), BalanceControlStatus::kOk);
  refused(bad, s.v, 1e-3, BalanceControlStatus::kNotFinite);
  refused(s.q, bad, 1e-3, BalanceControlStatus::kNotFinite);
  refused(s.q, JointVector::Zero(9), 1e-3, BalanceControlStatus::kNotFinite);
  refused(s.q, s.v, 0.0, BalanceControlStatus::kBadStep);
  refused(s.q, s.v, std::nan(""), BalanceControlStatus::kBadStep);
  const test::NoAlloc guard;
  ASSERT_EQ(balance.update(s.q, s.v, 1e-3, tau), BalanceControlStatus::kOk);
  EXPECT_EQ(guard.count(), 0);
}

TEST(Balance, RefusesWhatCannotWork) {
  const models::Model model = on_both_feet();
  const BalanceRobot robot = robot_of(model);
  const auto refused = [&](auto spoil) {
    BalanceRobot r = robot;
    BalanceSettings s = thesis_settings();
    spoil(r, s);
    EXPECT_THROW(Balance(model, r, s), ConfigError);
  };
  refused([](BalanceRobot&, BalanceSettings& s) { s.strategies[2].joints[4].kd.end = -1.0; });
  refused([](BalanceRobot&, BalanceSettings& s) { s.strategies[1].end_turn = 0.0; });
  refused([](BalanceRobot&, BalanceSettings& s) { s.strategies[1].left_ka = std::nan(""); });
  refused([](BalanceRobot&, BalanceSettings& s) { s.start_size = 0.0; });
  refused([](BalanceRobot&, BalanceSettings& s) { s.hold_rate = -1.0; });
  refused([](BalanceRobot&, BalanceSettings& s) { s.again_size = 0.5; });
  refused([](BalanceRobot& r, BalanceSettings&) { r.legs[3].v_index = 77; });
  refused([](BalanceRobot& r, BalanceSettings&) { r.sole_corners.resize(1); });
  refused([](BalanceRobot& r, BalanceSettings&) { r.sole_corners.resize(33, r.trunk); });
  refused([](BalanceRobot&, BalanceSettings& s) { s.large_size = 1e-4; });
  refused([](BalanceRobot&, BalanceSettings& s) { s.settled_time = -1.0; });
  refused([](BalanceRobot& r, BalanceSettings&) { r.lumps.m2 = 0.0; });
  refused([](BalanceRobot& r, BalanceSettings&) { r.trunk.body = 99; });
  refused([&](BalanceRobot& r, BalanceSettings&) { r.support_foot = model.frame("link10"); });
  std::array<std::string_view, kLegJoints> names = kNames;
  std::array<double, kLegJoints> signs;
  signs.fill(1.0);
  names[2] = "joint1";
  EXPECT_THROW(leg_slots(model, names, signs), ConfigError);  // twice
  names[2] = "knee";
  EXPECT_THROW(leg_slots(model, names, signs), ConfigError);  // none
  names[2] = "";
  EXPECT_THROW(leg_slots(model, names, signs), ConfigError);  // a pitch that is needed
  signs[0] = 0.5;
  EXPECT_THROW(leg_slots(model, kNames, signs), ConfigError);
}

constexpr const char* kGainFile = KAGAMI_SOURCE_DIR "/control/data/gains/hoap2_balance_thesis.json";

TEST(BalanceGainSet, ShipsTheGainsOfTheCode) {
  const BalanceGainSet set = read_balance_gain_set(std::filesystem::path(kGainFile));
  const BalanceSettings want = thesis_settings();
  for (std::size_t s = 0; s < want.strategies.size(); ++s) {
    SCOPED_TRACE(name(static_cast<Strategy>(s)));
    const StrategyGains& a = set.settings.strategies[s];
    const StrategyGains& b = want.strategies[s];
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
      EXPECT_EQ(a.joints[i].kp.start, b.joints[i].kp.start) << i;
      EXPECT_EQ(a.joints[i].kp.end, b.joints[i].kp.end) << i;
      EXPECT_EQ(a.joints[i].kd.start, b.joints[i].kd.start) << i;
      EXPECT_EQ(a.joints[i].kd.end, b.joints[i].kd.end) << i;
    }
    EXPECT_EQ(a.end_turn, b.end_turn);
    EXPECT_EQ(a.by_pitch, b.by_pitch);
    EXPECT_EQ(a.oppose_kp, b.oppose_kp);
    EXPECT_EQ(a.oppose_kd, b.oppose_kd);
    EXPECT_EQ(a.left_ka, b.left_ka);
    EXPECT_EQ(a.right_ka, b.right_ka);
    EXPECT_EQ(a.return_rate, b.return_rate);
  }
  EXPECT_EQ(set.lumps.m2, thesis_lumps().m2);
  EXPECT_EQ(set.lumps.mh1, thesis_lumps().mh1);
  EXPECT_NO_THROW(check_robot(set.head, "hoap2_10dof"));
  EXPECT_THROW(check_robot(set.head, "khr1"), ConfigError);
}

TEST(BalanceGainSet, ReportsFileAndKeyOfTheProblem) {
  const std::string text = read_text_file(kGainFile);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& key) {
    std::string bad = text;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    try {
      read_balance_gain_set(ConfigDocument::parse(bad, "set.json"));
      ADD_FAILURE() << key;
    } catch (const ConfigError& e) {
      EXPECT_NE(std::string(e.what()).find("set.json: /" + key), std::string::npos) << e.what();
    }
  };
  refused("\"left_ka\": 50", "\"left_ka\": -50", "strategies/combined/left_ka");
  refused("\"by\": \"yaw\"", "\"by\": \"roll\"", "strategies/upper-body-rotation/by");
  refused("\"kp_start\": [", "\"kp_start\": [1, ", "strategies/upper-body-rotation/kp_start");
  refused("\"m2\": 4.2", "\"m2\": 0", "lumps");
  refused("\"ankle\"", "\"step\"", "strategies");
  refused("\"lumps\"", "\"choice\": {\"large_size\": 1e-4}, \"lumps\"", "choice/large_size");
  refused("\"controller\": \"balance\"", "\"controller\": \"pid\"", "controller");
}

std::array<std::string, kLegJoints> joint_names() {
  std::array<std::string, kLegJoints> names;
  std::copy(kNames.begin(), kNames.end(), names.begin());
  return names;
}

TEST(BalanceTunables, NameEveryGainWhereItsFileHasIt) {
  const nlohmann::json file = nlohmann::json::parse(read_text_file(kGainFile));
  const BalanceSettings settings = thesis_settings();
  const BalanceTunables tunables(settings, joint_names());
  int found = 0;
  for (int i = 0; i < static_cast<int>(tunables.list().size()); ++i) {
    const Tunable& t = tunables.list()[static_cast<std::size_t>(i)];
    const double now = tunables.value(settings, i);
    EXPECT_GE(now, t.min) << t.name;
    EXPECT_LE(now, t.max) << t.name;
    EXPECT_EQ(t.default_value, now) << t.name;
    EXPECT_FALSE(t.text.empty()) << t.name;
    const nlohmann::json::json_pointer path(tunables.gain_path(i));
    if (!file.contains(path)) continue;  // a setting that the file leaves to the code
    ++found;
    EXPECT_EQ(file.at(path).get<double>(), now) << t.name;
  }
  EXPECT_GE(found, 4 * 40);  // four strategies of ten joints' four coefficients
}

TEST(BalanceTunables, LeaveOutWhatTheRobotHasNotAndRefuseWhatCannotBe) {
  std::array<std::string, kLegJoints> names = joint_names();
  names[kRightHipYaw] = names[kLeftHipYaw] = "";
  BalanceSettings s = thesis_settings();
  const BalanceTunables tunables(s, names);
  const auto index = [&](const std::string& name) {
    for (std::size_t i = 0; i < tunables.list().size(); ++i) {
      if (tunables.list()[i].name == name) return static_cast<int>(i);
    }
    return -1;
  };
  EXPECT_EQ(index("combined/joint9/kp_end"), -1);
  EXPECT_EQ(index("choice/vertical_share"), -1);
  EXPECT_EQ(index("ankle/left_ka"), -1);  // has none
  const int kp = index("hip/joint8/kp_start");
  ASSERT_GE(kp, 0);
  EXPECT_TRUE(tunables.set(kp, 0.7, s));
  EXPECT_EQ(s.strategies[3].joints[kLeftHipPitch].kp.start, 0.7);
  for (const double bad : {-0.1, 161.0, std::nan("")}) {  // N m/rad; four times 40 is the most
    EXPECT_FALSE(tunables.set(kp, bad, s));
    EXPECT_EQ(s.strategies[3].joints[kLeftHipPitch].kp.start, 0.7);
  }
  EXPECT_FALSE(tunables.set(index("choice/start_size"), 0.02, s));  // above large_start
  EXPECT_FALSE(tunables.set(index("choice/large_start"), 0.002, s));
  EXPECT_EQ(s.start_size, 0.003);
  EXPECT_EQ(s.large_start, 0.015);
}

// two robots in one state, the gains of one changed: equal torques at first, the new law's 50 ms
// later
TEST(Balance, TurnedTheTorquesGoOverWithoutAJump) {
  const models::Model model = on_both_feet();
  const auto settings = [](double kp) {
    BalanceSettings s = thesis_settings();
    s.choose = false;
    s.always = Strategy::kAnkle;
    for (SpringDamper& joint : s.strategies[2].joints) joint.kp = {kp, kp};
    return s;
  };
  Balance old(model, robot_of(model), settings(40.0));
  Balance turned(model, robot_of(model), settings(40.0));
  Balance fresh(model, robot_of(model), settings(10.0));
  models::State s = models::neutral_state(model);
  JointVector tau[3];
  const auto update = [&](double dt) {
    int i = 0;
    for (Balance* balance : {&old, &turned, &fresh}) {
      ASSERT_EQ(balance->update(s.q, s.v, dt, tau[i++]), BalanceControlStatus::kOk);
    }
  };
  for (Balance* balance : {&old, &turned, &fresh}) {
    ASSERT_EQ(balance->start(s.q), BalanceControlStatus::kOk);
  }
  s.q.setConstant(0.02);
  update(0.1);
  const double apart = (tau[0] - tau[2]).norm();
  EXPECT_GT(apart, 0.5);  // N m
  const test::NoAlloc guard;
  turned.turn(settings(10.0));
  EXPECT_EQ(guard.count(), 0);
  update(1e-6);
  EXPECT_LT((tau[1] - tau[0]).norm(), 1e-9);
  update(0.025 - 1e-6);  // half way along the spline
  EXPECT_NEAR((tau[1] - tau[2]).norm(), 0.5 * apart, 1e-9);
  // again, before it is over: no jump either
  const JointVector before = tau[1];
  turned.turn(settings(20.0));
  update(1e-6);
  EXPECT_LT((tau[1] - before).norm(), 1e-9);
  turned.turn(settings(10.0));
  update(Balance::kTurnTime);
  EXPECT_LT((tau[1] - tau[2]).norm(), 1e-12);
}

}  // namespace
}  // namespace kagami::control
