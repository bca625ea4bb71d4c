#include "runtime/threads/row_messages.hpp"

#include <utility>

namespace kagami::runtime {
namespace {

LogLevel log_level(EventCode code) {
  switch (event_level(code)) {
    case EventLevel::kInfo:
      return LogLevel::kInfo;
    case EventLevel::kWarning:
      return LogLevel::kWarning;
    case EventLevel::kError:
      return LogLevel::kError;
  }
  return LogLevel::kUnknown;
}

}  // namespace

std::vector<double> RowMessages::BoardJoints::of(const JointArray<double>& all) const {
  std::vector<double> own;
  for (const std::size_t joint : joints) own.push_back(all[joint]);
  return own;
}

RowMessages::RowMessages(const models::RobotDescription& robot, Send send)
    : joint_names_(robot.joint_names), frames_(robot.model), send_(std::move(send)) {
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    BoardJoints& board = boards_.at(static_cast<std::size_t>(robot.wiring.joints[i].board()));
    board.names.push_back(joint_names_.at(i));
    board.joints.push_back(i);
  }
}

void RowMessages::curves(const CycleOutput& out, std::uint64_t time_ns) {
  const auto all = [&](const JointArray<double>& values) {
    return std::span(values).first(joint_names_.size());
  };
  JointStatesView view{.time_ns = time_ns, .names = joint_names_};
  view.position = all(out.q_ref);
  view.velocity = all(out.qd_ref);
  send_(RowTopic::kReference, time_ns, json_.joint_states(view));
  view.position = all(out.q_simulated);
  view.velocity = all(out.qd_simulated);
  view.effort = all(out.torque_simulated);
  send_(RowTopic::kSimulated, time_ns, json_.joint_states(view));
  send_(RowTopic::kTransforms, time_ns,
        json_.frame_transforms(time_ns, frames_.place(out.q_simulated, out.base)));
  if (out.targets.mode != drivers::TargetMode::kPositions) return;
  view = {.time_ns = time_ns, .names = joint_names_, .position = all(out.targets.angle)};
  send_(RowTopic::kCommanded, time_ns, json_.joint_states(view));
}

void RowMessages::measured(const JointArray<double>& angle, std::size_t board,
                           std::uint64_t time_ns) {
  const std::vector<double> own = boards_.at(board).of(angle);
  send_(
      RowTopic::kMeasured, time_ns,
      json_.joint_states({.time_ns = time_ns, .names = boards_.at(board).names, .position = own}));
}

void RowMessages::residual(const CycleOutput& out, std::uint64_t time_ns) {
  const std::size_t n = joint_names_.size();
  send_(RowTopic::kResidual, time_ns,
        json_.residual({.time_ns = time_ns,
                        .names = joint_names_,
                        .residual = std::span(out.residual).first(n),
                        .residual_naive = std::span(out.residual_naive).first(n)}));
}

void RowMessages::residual(const CycleOutput& out, std::size_t board, std::uint64_t time_ns) {
  const std::vector<double> own = boards_.at(board).of(out.residual);
  const std::vector<double> naive = boards_.at(board).of(out.residual_naive);
  send_(RowTopic::kResidual, time_ns,
        json_.residual({.time_ns = time_ns,
                        .names = boards_.at(board).names,
                        .residual = own,
                        .residual_naive = naive}));
}

void RowMessages::event(const Event& event, const EventNames& names, std::uint64_t time_ns) {
  const std::string sentence = event_sentence(event, joint_names_, names);
  send_(RowTopic::kEvents, time_ns,
        json_.log({.time_ns = time_ns,
                   .level = log_level(event.code),
                   .message = sentence,
                   .name = event_name(event.code)}));
}

}  // namespace kagami::runtime
