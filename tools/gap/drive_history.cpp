#include "tools/gap/drive_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "models/dynamics/crba.hpp"
#include "models/robot/state.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

/// A command may become known this long after it took effect (a slow line repeats it).
constexpr std::int64_t kNewsNs = 120'000'000;
/// Over missing samples nothing is known of the load; a clock that was set is no time either.
constexpr std::int64_t kLongestGapNs = 1'000'000'000;

std::vector<int> joints_on(const RobotWiring& wiring, int board) {
  std::vector<int> joints;
  for (int j = 0; j < static_cast<int>(wiring.joints.size()); ++j) {
    if (wiring.joints[idx(j)].board() == board) joints.push_back(j);
  }
  return joints;
}

/// kg m^2, per joint: what it carries, without rotor, in the zero posture.
std::vector<double> carried_inertias(const models::Model& model) {
  models::CrbaWorkspace workspace(model);
  JointMatrix H;
  models::crba(model, models::neutral_state(model).q, workspace, H);
  std::vector<double> inertias;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& body = model.body(i);
    if (body.joint.type != models::JointType::kRevolute) continue;
    inertias.push_back(H(body.v_index, body.v_index) - model.rotor_inertia()[body.v_index]);
  }
  return inertias;
}

double between(double a, double b, double share) {
  return a + share * (b - a);
}

}  // namespace

DriveHistoryBuilder::DriveHistoryBuilder(const models::RobotDescription& robot,
                                         const motions::StoredProgram& stored)
    : calibration_(robot.wiring), stored_(stored) {
  for (int b = 0; b < static_cast<int>(robot.wiring.boards.size()); ++b) {
    ramps_.emplace_back(robot.wiring.speed, joints_on(robot.wiring, b));
  }
  const std::vector<double> inertias = carried_inertias(robot.model);
  for (std::size_t j = 0; j < robot.wiring.joints.size(); ++j) {
    history_.names.push_back(robot.wiring.joints[j].joint);
    history_.channels.push_back(robot.wiring.joints[j].channel);
    board_of_.push_back(robot.wiring.joints[j].board());
    JointDrive drive;
    drive.servo = robot.servos.joints[j];
    drive.inertia = inertias[j];
    history_.drive.push_back(std::move(drive));
  }
  history_.readings.resize(history_.num_joints());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

void DriveHistoryBuilder::start(const CycleRecord& row) {
  commanded_ = row.in.sample.angle;
  command_ = row.in.sample.command;
  JointArray<double> settled{};
  for (std::size_t j = 0; j < history_.num_joints(); ++j) {
    settled[j] = row.in.sample.angle[j] - history_.drive[j].servo.trim;
  }
  for (models::BoardRamp& ramp : ramps_) ramp.reset(settled, row.in.now_ns);
  first_ns_ = next_ns_ = row.in.now_ns;
}

void DriveHistoryBuilder::follow_commands(const drivers::ServoSample& sample) {
  for (std::size_t b = 0; b < ramps_.size(); ++b) {
    const drivers::BoardCommand& received = sample.command[b];
    const bool is_known = received.sequence == command_[b].sequence &&
                          received.effective_ns == command_[b].effective_ns;
    if (is_known) continue;
    command_[b] = received;
    stored_.stop(static_cast<int>(b));
    if (received.mode == drivers::TargetMode::kPositions) {
      calibration_.to_angles(static_cast<int>(b), received.counts, commanded_);
      ramps_[b].command(commanded_, received.speed, received.effective_ns);
    } else if (received.mode == drivers::TargetMode::kSleep) {
      ramps_[b].release(received.effective_ns);
    } else if (received.mode == drivers::TargetMode::kPlay) {
      stored_.start(static_cast<int>(b), received.effective_ns);
    }
  }
}

void DriveHistoryBuilder::follow_stored(std::int64_t until_ns) {
  while (const auto begin = stored_.next(until_ns)) {
    ramps_[idx(begin->board)].command(begin->pose->angle, begin->pose->code, begin->at_ns);
  }
}

// a board answers its last count also for what lies beyond it
bool DriveHistoryBuilder::is_at_end(const drivers::ServoSample& sample, std::size_t joint) const {
  constexpr std::uint8_t kLastCount = 180;
  const int slot = (history_.channels[joint] - 1) % kChannelsPerBoard;
  const std::uint8_t count = sample.reading[idx(board_of_[joint])].counts[idx(slot)];
  return count == 0 || count == kLastCount;
}

void DriveHistoryBuilder::add_readings(const CycleRecord& row) {
  for (std::size_t b = 0; b < ramps_.size(); ++b) {
    if (!row.out.residual_is_new[b]) continue;
    const std::int64_t at_ns = row.in.sample.reading[b].sampled_ns;
    if (at_ns < *began_ns_ || at_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = at_ns;
    const Tick then = shadow_at(at_ns);
    for (std::size_t j = 0; j < history_.num_joints(); ++j) {
      if (board_of_[j] != static_cast<int>(b) || is_at_end(row.in.sample, j)) continue;
      const double measured = row.in.sample.angle[j];
      const double simulated = row.out.q_aligned[j];
      if (!std::isfinite(measured) || !std::isfinite(simulated)) continue;
      AlignedReadings& readings = history_.readings[j];
      readings.time.push_back(seconds(at_ns - *first_ns_));
      readings.measured.push_back(static_cast<float>(measured));
      readings.simulated.push_back(static_cast<float>(simulated));
      readings.reference.push_back(static_cast<float>(then.reference[j]));
    }
  }
}

DriveHistoryBuilder::Tick DriveHistoryBuilder::shadow_at(std::int64_t at_ns) const {
  const auto after =
      std::find_if(recent_.begin(), recent_.end(), [&](const Tick& t) { return t.at_ns >= at_ns; });
  if (after == recent_.end()) return recent_.back();
  if (after == recent_.begin() || after->at_ns == at_ns) return *after;
  const Tick& before = *(after - 1);
  const double share =
      static_cast<double>(at_ns - before.at_ns) / static_cast<double>(after->at_ns - before.at_ns);
  Tick tick = *after;
  tick.at_ns = at_ns;
  for (std::size_t j = 0; j < history_.num_joints(); ++j) {
    tick.q[j] = between(before.q[j], after->q[j], share);
    tick.qd[j] = between(before.qd[j], after->qd[j], share);
    tick.torque[j] = between(before.torque[j], after->torque[j], share);
    tick.reference[j] = between(before.reference[j], after->reference[j], share);
  }
  return tick;
}

// the load of a step is known at its end
void DriveHistoryBuilder::add_grid_point(std::int64_t at_ns) {
  const Tick now = shadow_at(at_ns);
  // the mean torque over the step, of the ticks in it
  JointArray<double> torque{};
  int ticks = 0;
  for (const Tick& tick : recent_) {
    const bool is_inside = last_point_ && tick.at_ns > last_point_->at_ns && tick.at_ns <= at_ns;
    if (!is_inside) continue;
    ++ticks;
    for (std::size_t j = 0; j < history_.num_joints(); ++j) torque[j] += tick.torque[j];
  }
  for (std::size_t j = 0; j < history_.num_joints(); ++j) {
    JointDrive& drive = history_.drive[j];
    const models::BoardRamp::Value ramp = ramps_[idx(board_of_[j])].at(static_cast<int>(j), at_ns);
    drive.ramp.push_back(static_cast<float>(ramp.angle));
    drive.driven.push_back(ramp.driven ? 1.0F : 0.0F);
    drive.angle.push_back(static_cast<float>(now.q[j]));
    if (!last_point_) continue;
    const double mean = ticks > 0 ? torque[j] / ticks : now.torque[j];
    const double acceleration = (now.qd[j] - last_point_->qd[j]) / history_.step;
    drive.load.push_back(static_cast<float>(mean - drive.inertia * acceleration));
  }
  last_point_ = now;
}

void DriveHistoryBuilder::add_grid_points(std::int64_t until_ns) {
  const std::int64_t step_ns = std::llround(history_.step / kSecondsPerNs);
  for (; next_ns_ <= until_ns; next_ns_ += step_ns) {
    add_grid_point(next_ns_);
    const std::int64_t oldest = next_ns_ - step_ns;
    while (recent_.size() > 2 && recent_[1].at_ns < oldest) recent_.pop_front();
  }
}

std::string DriveHistoryBuilder::reason_to_end(const CycleRecord& row) const {
  const auto at = [&](std::int64_t ns) {
    return fmt::format("{:.2f} s", seconds(ns - *first_ns_));
  };
  for (int e = 0; e < row.out.num_events; ++e) {
    if (row.out.events[idx(e)].code == runtime::EventCode::kShadowReset) {
      return "the model left its bounds" + (first_ns_ ? " after " + at(row.in.now_ns) : "") +
             " and was restarted; only what came before is explained";
    }
  }
  if (recent_.empty()) return "";
  const std::int64_t missing_ns = row.in.now_ns - recent_.back().at_ns;
  if (missing_ns <= kLongestGapNs) return "";
  return fmt::format("{:.1f} s of samples are missing after ", seconds(missing_ns)) +
         at(recent_.back().at_ns) + "; only what came before is explained";
}

void DriveHistoryBuilder::add(const CycleRecord& row) {
  if (is_over_) return;
  const std::int64_t now_ns = row.in.now_ns;
  if (!recent_.empty() && now_ns <= recent_.back().at_ns) return;
  if (!std::isfinite(row.out.q_simulated[0])) return;  // the shadow has not started yet
  const bool is_asleep = row.out.phase == Phase::kReleasing || row.out.phase == Phase::kReleased;
  history_.ended_early = reason_to_end(row);
  is_over_ = is_asleep || !history_.ended_early.empty();
  if (is_over_) return;
  if (!first_ns_) {
    start(row);
  } else {
    follow_commands(row.in.sample);
  }
  follow_stored(now_ns);
  recent_.push_back(
      {now_ns, row.out.q_simulated, row.out.qd_simulated, row.out.torque_simulated, row.out.q_ref});
  if (!began_ns_ && row.out.phase == Phase::kPlaying) began_ns_ = now_ns;
  if (began_ns_) add_readings(row);
  add_grid_points(now_ns - kNewsNs);
}

DriveHistory DriveHistoryBuilder::take() {
  if (!recent_.empty()) add_grid_points(recent_.back().at_ns);
  for (JointDrive& drive : history_.drive) {
    if (!drive.ramp.empty()) drive.load.push_back(drive.load.empty() ? 0.0F : drive.load.back());
    // a long record leaves little room for what growing vectors hold in reserve
    for (std::vector<float>* curve : {&drive.ramp, &drive.driven, &drive.angle, &drive.load}) {
      curve->shrink_to_fit();
    }
  }
  return std::move(history_);
}

}  // namespace kagami::tools
