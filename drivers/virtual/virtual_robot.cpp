#include "drivers/virtual/virtual_robot.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "drivers/virtual/board_memory.hpp"
#include "drivers/virtual/dice.hpp"
#include "drivers/virtual/plant.hpp"
#include "drivers/virtual/station.hpp"
#include "drivers/virtual/wire.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

// a memory that has not changed for this long is written; a download of many poses is written once
constexpr std::int64_t kSaveAfterNs = 200'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

}  // namespace

struct VirtualRobot::State {
  explicit State(const VirtualRobotConfig& config);

  // one joint's count and shaft: shaft = count + trim of the board; the horn sits so that the
  // joint is at angle 0 when the shaft is at home + trim of robot.json
  double joint_angle(std::size_t joint, double shaft_deg) const noexcept;
  double shaft_deg(std::size_t joint, double angle) const noexcept;

  // boards whose servos stand at these joint angles, in whole degrees
  void settle_boards(const JointArray<double>& angle) noexcept;
  void run_line_to(Ninths to) noexcept;
  void run_plant_to(std::int64_t since_on_ns) noexcept;
  void receive_byte(const WireByte& byte) noexcept;
  void act(Station& station) noexcept;
  ServoPositions positions(const Station& station, std::int64_t at_ns) const noexcept;
  std::int64_t reading_time(std::int64_t at_ns) const noexcept;
  // where checked faults of a board go; throws ConfigError
  FaultSchedule& faults_of(int board, const BoardFaults& faults);
  void save() noexcept;
  void save_when_quiet() noexcept;
  [[nodiscard]] std::optional<Ninths> next_event() const noexcept;

  RobotWiring wiring;
  BoardBehaviour behaviour;
  std::filesystem::path memory_file;
  std::vector<Station> stations;
  Plant plant;
  std::vector<ServoCommand> commands;  // model order, rebuilt for each step
  std::atomic<std::int64_t> disturbed_from_ns{kNever};
  InputWire input;
  OutputWire output;
  Dice dice;
  bool is_on = false;
  std::int64_t on_ns = 0;  // when it was switched on, caller's clock
  std::int64_t now_ns = 0;
  bool dtr_high = false;
  std::optional<std::int64_t> unsaved_since_ns;
  std::string memory_error;
  RobotCounters counters;
};

VirtualRobot::State::State(const VirtualRobotConfig& config)
    : wiring(config.robot.wiring),
      behaviour(config.behaviour),
      memory_file(config.memory_file),
      plant(plant_body(config.robot, config.servos), config.servos, config.floor_friction),
      commands(config.robot.joint_names.size()),
      dice(config.seed),
      dtr_high(config.behaviour.dtr_high) {
  check(behaviour);
  const std::vector<BoardMemory> memory = load_memory(wiring, memory_file);
  for (std::size_t k = 0; k < memory.size(); ++k) {
    stations.emplace_back(
        Rcb1Board(memory[k], wiring.speed, behaviour, wiring.boards[k].knows_free), behaviour);
  }
  if (config.start) settle_boards(config.start->angle);
  // the robot is where its boards are, held or free
  std::vector<double> angles;
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    const auto& board = stations[static_cast<std::size_t>(joint.board())].board;
    angles.push_back(joint_angle(j, board.pulse_deg(joint.slot(), 0)) +
                     config.servos.joints[j].trim);
  }
  plant.disturb({config.robot.model, plant_body(config.robot, config.servos),
                 config.floor_friction.has_value(), config.disturbances});
  plant.place(angles, config.start ? config.start->R_WB : Mat3::Identity());
}

void VirtualRobot::State::settle_boards(const JointArray<double>& angle) noexcept {
  for (std::size_t k = 0; k < stations.size(); ++k) {
    ChannelDegrees degrees{};
    for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
      const JointWiring& joint = wiring.joints[j];
      if (joint.board() != static_cast<int>(k)) continue;
      const double count = std::round(joint.home_deg + joint.sign * to_deg(angle[j]));
      degrees[static_cast<std::size_t>(joint.slot())] = std::clamp(count, 0.0, 180.0);
    }
    stations[k].board.settle(degrees);
  }
}

double VirtualRobot::State::joint_angle(std::size_t joint, double shaft_deg) const noexcept {
  const JointWiring& wire = wiring.joints[joint];
  return wire.sign * to_rad(shaft_deg - wire.home_deg - wire.trim_deg);
}

double VirtualRobot::State::shaft_deg(std::size_t joint, double angle) const noexcept {
  const JointWiring& wire = wiring.joints[joint];
  return wire.home_deg + wire.trim_deg + wire.sign * to_deg(angle);
}

// every board receives the byte; one with a complete request checks whether it is addressed
void VirtualRobot::State::receive_byte(const WireByte& byte) noexcept {
  ++counters.bytes_received;
  std::array<Station*, kMaxBoards> addressed{};
  std::size_t addressed_count = 0;
  bool is_bad = false;
  bool is_used = false;
  bool is_echoed = false;
  for (Station& station : stations) {
    const FrameReceiver::Reception reception = station.receive_byte(byte.value, byte.end);
    is_bad = is_bad || reception == FrameReceiver::Reception::kBad;
    is_used = is_used || reception != FrameReceiver::Reception::kNoise;
    if (!is_echoed && station.echoes(byte.end)) {
      is_echoed = true;
      output.put({&byte.value, 1}, byte.end - kByteTime, behaviour.pace_bytes);
    }
    if (reception == FrameReceiver::Reception::kRequest && station.is_addressed()) {
      addressed[addressed_count++] = &station;
    }
  }
  if (is_bad) ++counters.bad_frames;
  if (!is_used) ++counters.bytes_ignored;
  if (addressed_count == 0) return;
  ++counters.requests;
  if (addressed[0]->request().command == rcb1::Command::kGetId && addressed_count > 1) {
    addressed[0] = addressed[dice.below(addressed_count)];
    addressed_count = 1;
  }
  for (std::size_t k = 0; k < addressed_count; ++k) addressed[k]->accept(byte.end);
}

std::int64_t VirtualRobot::State::reading_time(std::int64_t at_ns) const noexcept {
  const std::int64_t age_ns = std::llround(behaviour.reading_age * 1e9);
  const std::int64_t frame_ns = std::llround(behaviour.servo_frame * 1e9);
  if (frame_ns > 0) at_ns -= at_ns % frame_ns;
  return at_ns - age_ns;
}

ServoPositions VirtualRobot::State::positions(const Station& station,
                                              std::int64_t at_ns) const noexcept {
  const auto board = static_cast<int>(&station - stations.data());
  const std::int64_t read_ns = reading_time(at_ns);
  ServoPositions servos;
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    if (joint.board() != board) continue;
    const auto slot = static_cast<std::size_t>(joint.slot());
    const int index = static_cast<int>(j);
    servos.fitted[slot] = true;
    servos.now[slot] = shaft_deg(j, plant.angle_at(index, at_ns));
    servos.reading[slot] = shaft_deg(j, plant.reading_at(index, read_ns));
  }
  return servos;
}

void VirtualRobot::State::act(Station& station) noexcept {
  const std::int64_t at_ns = to_ns(station.act_at()) - on_ns;
  run_plant_to(at_ns);
  station.follow_restart(to_ns(station.act_at()));
  rcb1::Reply reply;
  if (const std::optional<rcb1::Request> request = station.executed()) {
    reply = station.board.execute(*request, at_ns, positions(station, at_ns));
  }
  if (station.board.take_changed()) unsaved_since_ns = to_ns(station.act_at());

  const Answer answer = station.finish(reply);
  if (dtr_high || answer.size == 0) return;
  station.talks_until(output.put(answer.view(), station.answer_at(), behaviour.pace_bytes));
  ++counters.replies;
  counters.bytes_sent += answer.size;
}

void VirtualRobot::State::run_line_to(Ninths to) noexcept {
  while (true) {
    // earliest of: next byte received, next task due; tasks first, boards in order
    Station* due = nullptr;
    for (Station& station : stations) {
      if (station.task() && (due == nullptr || station.act_at() < due->act_at())) due = &station;
    }
    const bool byte_waits = input.size() > 0;
    if (due != nullptr && (!byte_waits || due->act_at() <= input.peek(0).end)) {
      if (due->act_at() > to) return;
      act(*due);
    } else if (byte_waits && input.peek(0).end <= to) {
      receive_byte(input.pop());
    } else {
      return;
    }
  }
}

void VirtualRobot::State::run_plant_to(std::int64_t since_on_ns) noexcept {
  while (plant.time_ns() + kPlantStepNs <= since_on_ns) {
    const std::int64_t end_ns = plant.time_ns() + kPlantStepNs;
    for (Station& station : stations) {
      station.follow_restart(on_ns + end_ns);
      station.board.advance(end_ns);
    }
    for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
      const JointWiring& joint = wiring.joints[j];
      Station& station = stations[static_cast<std::size_t>(joint.board())];
      const double shaft = shaft_deg(j, plant.angle(static_cast<int>(j)));
      const ServoPulse pulse = station.pulse(joint.slot(), on_ns + end_ns, end_ns, shaft);
      commands[j].is_driven = pulse.is_driven;
      commands[j].target = joint_angle(j, pulse.degrees);
    }
    const std::int64_t zero_ns = disturbed_from_ns.load(std::memory_order_relaxed);
    if (zero_ns != kNever) plant.disturb_from(zero_ns - on_ns);
    plant.step(commands);
  }
}

// when a queued byte completes a request at the earliest; gaps and busy boards only delay that
std::optional<Ninths> VirtualRobot::State::next_event() const noexcept {
  std::optional<Ninths> event;
  for (const Station& station : stations) {
    if (input.size() > 0 && station.echoes(input.peek(0).end)) event = input.peek(0).end;
  }
  for (const Station& station : stations) {
    if (station.task() && (!event || station.act_at() < *event)) event = station.act_at();
  }
  const auto consider = [&](std::size_t last) {
    if (last < input.size() && (!event || input.peek(last).end < *event)) {
      event = input.peek(last).end;
    }
  };
  for (const Station& station : stations) {
    if (station.missing() > 0) consider(station.missing() - 1);
  }
  for (std::size_t k = 0; k < input.size(); ++k) {
    const WireByte& byte = input.peek(k);
    if (event && byte.end >= *event) break;
    const std::size_t size = is_command_byte(byte.value) ? rcb1::request_size(byte.value) : 0;
    if (size > 0) consider(k + size - 1);
  }
  return event;
}

FaultSchedule& VirtualRobot::State::faults_of(int board, const BoardFaults& faults) {
  check(faults);
  if (board < 0 || board >= static_cast<int>(stations.size())) {
    throw ConfigError("fault for board " + std::to_string(board) + ", expected 0.." +
                      std::to_string(stations.size() - 1));
  }
  return stations[static_cast<std::size_t>(board)].faults;
}

void VirtualRobot::State::save() noexcept {
  unsaved_since_ns.reset();
  if (memory_file.empty()) return;
  try {
    std::vector<BoardMemory> memory;
    for (const Station& station : stations) memory.push_back(station.board.memory());
    write_memory_file(memory_file, memory);
    memory_error.clear();
  } catch (const std::exception& error) {
    memory_error = error.what();
  }
}

void VirtualRobot::State::save_when_quiet() noexcept {
  if (unsaved_since_ns && now_ns - *unsaved_since_ns >= kSaveAfterNs) save();
}

VirtualRobot::VirtualRobot(const VirtualRobotConfig& config)
    : state_(std::make_unique<State>(config)) {}

VirtualRobot::~VirtualRobot() {
  if (state_ && state_->unsaved_since_ns) state_->save();
}

VirtualRobot::VirtualRobot(VirtualRobot&&) noexcept = default;

void VirtualRobot::begin_at(std::int64_t at_ns) noexcept {
  if (state_->is_on) return;
  state_->is_on = true;
  state_->on_ns = at_ns;
  state_->now_ns = at_ns;
}

void VirtualRobot::disturb_from(std::int64_t zero_ns) noexcept {
  state_->disturbed_from_ns.store(zero_ns, std::memory_order_relaxed);
}

std::size_t VirtualRobot::receive(std::span<const std::uint8_t> bytes,
                                  std::int64_t at_ns) noexcept {
  begin_at(0);
  for (Station& station : state_->stations) station.faults.begin_at(at_ns);
  const std::size_t taken = state_->input.push(bytes, std::max(at_ns, state_->now_ns));
  state_->counters.bytes_refused += bytes.size() - taken;
  return taken;
}

std::size_t VirtualRobot::input_room() const noexcept {
  return state_->input.room();
}

void VirtualRobot::advance_line_to(std::int64_t to_ns) noexcept {
  begin_at(0);
  if (to_ns < state_->now_ns) return;
  state_->run_line_to(to_ninths(to_ns));
  state_->now_ns = to_ns;
}

void VirtualRobot::advance_to(std::int64_t to_ns) noexcept {
  advance_line_to(to_ns);
  state_->run_plant_to(state_->now_ns - state_->on_ns);
  state_->save_when_quiet();
}

std::optional<std::int64_t> VirtualRobot::next_output_ns(std::size_t count) const noexcept {
  if (const auto due = state_->output.due_ns(count)) return due;
  const std::optional<Ninths> event = state_->next_event();
  return event ? std::optional(to_ns(*event)) : std::nullopt;
}

std::size_t VirtualRobot::pending_output() const noexcept {
  return state_->output.size();
}

std::size_t VirtualRobot::take_output(std::span<std::uint8_t> bytes) noexcept {
  return state_->output.take(bytes, state_->now_ns);
}

void VirtualRobot::set_dtr(bool high) noexcept {
  state_->dtr_high = high;
}

void VirtualRobot::inject(int board, const BoardFaults& faults) {
  state_->faults_of(board, faults).replace(faults);
}

void VirtualRobot::add_faults(int board, const BoardFaults& faults) {
  state_->faults_of(board, faults).add(faults);
}

BegunPose VirtualRobot::begun_pose(int board) const noexcept {
  const BegunPose& begun = state_->stations[static_cast<std::size_t>(board)].board.begun();
  return {begun.number, begun.at_ns + state_->on_ns};
}

JointArray<double> VirtualRobot::plant_angles() const noexcept {
  JointArray<double> angles{};
  for (int j = 0; j < joint_count(); ++j) angles[idx(j)] = state_->plant.angle(j);
  return angles;
}

std::int64_t VirtualRobot::plant_time_ns() const noexcept {
  return state_->on_ns + state_->plant.time_ns();
}

int VirtualRobot::joint_count() const noexcept {
  return state_->plant.joint_count();
}

PlantBase VirtualRobot::plant_base() const noexcept {
  const PlantOde& body = state_->plant.body();
  const BasePose base = body.base();
  return {.x = base.x,
          .y = base.y,
          .z = base.z,
          .heading = base.heading,
          .tilt = base.tilt,
          .on_stand = !body.on_floor(),
          .fell = body.fell()};
}

const RobotCounters& VirtualRobot::counters() const noexcept {
  return state_->counters;
}

std::string VirtualRobot::memory_error() const {
  return state_->memory_error;
}

void VirtualRobot::save_memory() noexcept {
  if (state_->unsaved_since_ns || !state_->memory_error.empty()) state_->save();
}

}  // namespace kagami::drivers::virtual_robot
