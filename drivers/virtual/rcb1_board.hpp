/// One RCB-1: what it does on a request, and the pulses it gives its servos.
///
/// Knows no line and no plant: requests come decoded, positions of the servos come along with
/// them. Where the command reference is silent, docs/virtual_robot.md states what was chosen.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "drivers/rcb1/protocol.hpp"
#include "drivers/virtual/board_behaviour.hpp"
#include "drivers/virtual/board_memory.hpp"
#include "drivers/virtual/board_ramp.hpp"

namespace kagami::drivers::virtual_robot {

/// The pose that a board began last.
struct BegunPose {
  std::uint64_t number = 0;  ///< of all its poses, from 1; 0: none yet
  std::int64_t at_ns = 0;
};

/// What the servos of a board report, in degrees of the shaft: 90 = centre of the pulse range.
struct ServoPositions {
  ChannelDegrees now{};      ///< where a servo without drive would be caught
  ChannelDegrees reading{};  ///< what an FC answer is made of; may be older
  std::bitset<kChannelsPerBoard> fitted;
};

class Rcb1Board {
 public:
  Rcb1Board(const BoardMemory& memory, const SpeedTable& speed, const BoardBehaviour& behaviour,
            bool knows_free);

  /// Its servos stand at `degrees`, trim not included, in the place of home: before the first
  /// request.
  void settle(const ChannelDegrees& degrees) noexcept;
  /// Supply lost: no drive, switch bits 0, what was playing or queued is forgotten.
  void power_off() noexcept;
  /// Supply back: as at the robot's power-on, from what the memory holds.
  void power_on() noexcept;

  [[nodiscard]] std::uint8_t id() const noexcept { return memory_.id; }
  [[nodiscard]] const BoardMemory& memory() const noexcept { return memory_; }
  /// True once after each change of the memory.
  [[nodiscard]] bool take_changed() noexcept;

  /// Executes the request, at a time not before the last call; returns the answer's content.
  rcb1::Reply execute(const rcb1::Request& request, std::int64_t at_ns,
                      const ServoPositions& servos) noexcept;
  /// Starts the poses of stored motions and queued poses that are due by `at_ns`.
  void advance(std::int64_t at_ns) noexcept;

  /// Position of a channel's pulse, degrees, trim included; at a time not before the last advance.
  [[nodiscard]] double pulse_deg(int slot, std::int64_t at_ns) const noexcept;
  /// False: the servo gets no drive (sleep, power-on, code 221).
  [[nodiscard]] bool drives(int slot) const noexcept {
    return driven_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] bool is_playing() const noexcept { return play_.has_value(); }
  [[nodiscard]] const BegunPose& begun() const noexcept { return begun_; }

 private:
  static constexpr std::size_t kQueueDepth = 4;

  // a stored motion that runs, alone or as part of a scenario
  struct Play {
    std::uint8_t motion = 0;
    int pose = 0;       // next one
    int scenario = -1;  // -1: none
    int entry = 0;      // next one of the scenario
  };

  rcb1::Reply store(const rcb1::Request& request, const ServoPositions& servos) noexcept;
  rcb1::Reply recall(const rcb1::Request& request, const ServoPositions& servos) const noexcept;
  void set_positions(const StoredPose& pose, std::int64_t at_ns) noexcept;
  void set_switches(std::uint8_t bits) noexcept;
  void play(const Play& play, std::int64_t at_ns) noexcept;
  bool may_play() const noexcept;
  std::optional<StoredPose> next_pose() noexcept;
  void start_pose(const StoredPose& pose, std::int64_t at_ns) noexcept;
  ChannelCounts counts_of(const ServoPositions& servos) const noexcept;

  BoardMemory memory_;
  BoardBehaviour behaviour_;
  bool knows_free_;
  bool is_changed_ = false;
  std::uint8_t switches_ = 0;
  BoardRamp ramp_;
  std::bitset<kChannelsPerBoard> driven_;
  ChannelDegrees caught_{};  // degrees from which a channel without drive starts again
  BegunPose begun_;
  std::optional<Play> play_;
  std::array<StoredPose, kQueueDepth> queue_{};
  std::size_t queued_ = 0;
};

}  // namespace kagami::drivers::virtual_robot
