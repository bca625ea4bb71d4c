#include "tools/tune/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "tools/tune/perturbed.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kWarmTicks = 3000;  // with the present gains
constexpr std::int64_t kRowEvery = 10;     // ticks
constexpr double kWidest = 0.8;            // rad, widest band that is still useful

void check(const ForecastSettings& s, const PresentState& now) {
  const auto demand = [](bool good, const std::string& what, double value,
                         const std::string& expected) {
    if (good) return;
    throw ConfigError("try: " + what + " is " + number_text(value) + ", expected " + expected);
  };
  demand(s.seconds >= 0.1 && s.seconds <= 20.0, "seconds", s.seconds, "0.1..20");
  demand(s.twins >= 1 && s.twins <= 32, "twins", s.twins, "1..32");
  demand(s.worse > 0.0, "worse (rad)", s.worse, "more than 0");
  demand(now.motion_time >= 0.0, "motion time (s)", now.motion_time, "at least 0");
}

/// The motion from the warm-up's begin on, or the pose that is held.
class Reference {
 public:
  Reference(const models::RobotDescription& robot, const PresentState& now) : now_(now) {
    first_.q_ref = now.pose;
    if (!now.motion) return;
    make_player(robot);
    // how many ticks the player needs to get to now
    std::int64_t ticks = 0;
    motions::PlayCommand command;
    do {
      player_->step(kLoopPeriod, command);
      if (ticks++ == 0) first_ = command;
    } while (!is_there(command));
    skip_ = ticks - 1 - kWarmTicks;
    make_player(robot);
    for (std::int64_t k = 0; k < skip_; ++k) player_->step(kLoopPeriod, first_);
  }

  void operator()(std::int64_t tick, motions::PlayCommand& command) {
    if (player_ && tick >= -std::min<std::int64_t>(skip_, 0)) {
      player_->step(kLoopPeriod, command);
    } else if (tick == 0) {
      command = first_;
    }
  }
  /// Where the warm-up begins.
  [[nodiscard]] const JointArray<double>& pose() const { return first_.q_ref; }

 private:
  void make_player(const models::RobotDescription& robot) {
    motions::PlayOptions options;
    options.mode = now_.mode;
    options.speed = now_.speed;
    player_.emplace(*now_.motion, robot.wiring, options);
    JointArray<double> start{};
    const std::vector<std::optional<double>>& angle = now_.motion->poses.front().angle;
    for (std::size_t j = 0; j < angle.size(); ++j) start[j] = angle[j].value_or(0.0);
    player_->start(start);
  }
  [[nodiscard]] bool is_there(const motions::PlayCommand& command) const {
    if (command.phase == motions::PlayPhase::kLeadIn) return false;
    return command.phase != motions::PlayPhase::kPlaying || command.motion_time >= now_.motion_time;
  }

  const PresentState& now_;
  std::optional<motions::Player> player_;
  motions::PlayCommand first_;
  std::int64_t skip_ = 0;  // ticks before the warm-up; below 0: the warm-up begins by standing
};

/// One twin's answer.
struct Answer {
  std::vector<std::vector<double>> reference;  // rad, by joint, every kRowEvery ticks
  std::vector<std::vector<double>> angle;
  std::vector<double> rms;  // rad, by joint
  std::string fault;        // empty: none
};

Answer run_twin(const models::RobotDescription& robot, ServoModelLoop& twin,
                control::Controller& controller, const PresentState& now,
                std::span<const control::TunableValue> changes, double seconds) {
  const std::size_t joints = robot.joint_names.size();
  Answer a{std::vector<std::vector<double>>(joints), std::vector<std::vector<double>>(joints),
           std::vector<double>(joints, 0.0), ""};
  const auto ticks = static_cast<std::int64_t>(std::llround(seconds / kLoopPeriod));
  Reference motion(robot, now);
  LoopCore core(robot, &controller);
  std::int64_t seen = 0;
  const LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
    if (tick == kWarmTicks) apply_gains(controller, changes);
    motion(tick, command);
  };
  twin.run(core, motion.pose(), kWarmTicks + ticks + 1, reference, [&](const LoopRow& row) {
    if (row.tick < kWarmTicks) return;
    ++seen;
    for (std::size_t j = 0; j < joints; ++j) {
      const double error = row.command.q_ref[j] - row.angle[j];
      a.rms[j] += error * error;
      if ((row.tick - kWarmTicks) % kRowEvery != 0) continue;
      a.reference[j].push_back(row.command.q_ref[j]);
      a.angle[j].push_back(row.angle[j]);
    }
  });
  for (double& rms : a.rms)
    rms = std::sqrt(rms / static_cast<double>(std::max<std::int64_t>(seen, 1)));
  if (core.status() != control::ControlStatus::kOk) {
    const int joint = core.finding().joint;
    a.fault = std::string("the controller gives up (") + control::name(core.status()) + ")" +
              (joint < 0 ? "" : " by " + robot.joint_names[static_cast<std::size_t>(joint)]);
  }
  return a;
}

void widen(Forecast& run, const Answer& a, std::size_t twins_so_far) {
  for (std::size_t j = 0; j < run.joints.size(); ++j) {
    PredictedBand& band = run.joints[j];
    if (twins_so_far == 0) {
      band = {a.angle[j], a.angle[j], a.angle[j]};
      continue;
    }
    const double n = static_cast<double>(twins_so_far);
    for (std::size_t i = 0; i < band.mean.size(); ++i) {
      band.low[i] = std::min(band.low[i], a.angle[j][i]);
      band.high[i] = std::max(band.high[i], a.angle[j][i]);
      band.mean[i] += (a.angle[j][i] - band.mean[i]) / (n + 1.0);
    }
  }
}

// the first reason not to promote, by joint
std::string reason(const Forecast& run, const std::vector<std::string>& names, double worse) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (run.rms_after[j] > run.rms_before[j] + worse) {
      return names[j] + " would follow worse: " +
             number_text(0.01 * std::round(100.0 * to_deg(run.rms_after[j]))) +
             " degrees RMS instead of " +
             number_text(0.01 * std::round(100.0 * to_deg(run.rms_before[j])));
    }
    // where the old gains let the joint swing, where it is when they end is not known: that fades
    for (std::size_t i = run.t.size() / 2; i < run.t.size(); ++i) {
      if (run.joints[j].high[i] - run.joints[j].low[i] > kWidest) {
        return names[j] + ": the twins differ by more than 45 degrees, nothing can be predicted";
      }
    }
  }
  return "";
}

}  // namespace

Forecast forecast(const models::RobotDescription& robot, const PresentState& now,
                  std::span<const control::TunableValue> changes,
                  const ForecastSettings& settings) {
  check(settings, now);
  const std::size_t joints = robot.joint_names.size();
  const auto controller = make_loop_controller(robot, now.gains);
  apply_gains(*controller, now.changed_gains);
  const std::vector<control::TunableValue> present = gains_of(*controller);
  apply_gains(*controller, changes);  // throws before anything runs
  Forecast run;
  run.joints.resize(joints);
  run.rms_before.assign(joints, 0.0);
  run.rms_after.assign(joints, 0.0);
  std::string fault;
  std::size_t answered = 0;
  const LineTiming line = line_timing(static_cast<int>(robot.wiring.boards.size()));
  for (const ServoSet& servos : enclosing_twins(robot.servos, settings.twins, settings.seed)) {
    ServoModelLoop twin(robot, servos, line);
    apply_gains(*controller, present);
    const Answer before = run_twin(robot, twin, *controller, now, {}, settings.seconds);
    apply_gains(*controller, present);
    const Answer after = run_twin(robot, twin, *controller, now, changes, settings.seconds);
    for (std::size_t j = 0; j < joints; ++j) {
      run.rms_before[j] = std::max(run.rms_before[j], before.rms[j]);
      run.rms_after[j] = std::max(run.rms_after[j], after.rms[j]);
    }
    if (!after.fault.empty()) {
      if (fault.empty()) fault = "on one of the twins " + after.fault;
      continue;
    }
    if (answered == 0) run.reference = after.reference;
    widen(run, after, answered++);
  }
  const std::size_t rows = answered == 0 ? 0 : run.joints.front().mean.size();
  for (std::size_t i = 0; i < rows; ++i) {
    run.t.push_back(static_cast<double>(i) * static_cast<double>(kRowEvery) * kLoopPeriod);
  }
  run.why = fault.empty() ? reason(run, robot.joint_names, settings.worse) : fault;
  run.ok = run.why.empty();
  if (run.ok) run.why = "no joint follows worse on any of the twins";
  return run;
}

nlohmann::json side_run_json(const Forecast& run, std::span<const std::string> joint_names) {
  nlohmann::json predicted = nlohmann::json::object();
  nlohmann::json reference = nlohmann::json::object();
  nlohmann::json rms = nlohmann::json::object();
  for (std::size_t j = 0; j < run.joints.size() && j < joint_names.size(); ++j) {
    const PredictedBand& band = run.joints[j];
    predicted[joint_names[j]] = {{"low", band.low}, {"mean", band.mean}, {"high", band.high}};
    if (j < run.reference.size()) reference[joint_names[j]] = run.reference[j];
    rms[joint_names[j]] = {{"before_deg", to_deg(run.rms_before[j])},
                           {"after_deg", to_deg(run.rms_after[j])}};
  }
  return {{"t", run.t}, {"predicted", predicted}, {"reference", reference},
          {"rms", rms}, {"ok", run.ok},           {"why", run.why}};
}

}  // namespace kagami::tools
