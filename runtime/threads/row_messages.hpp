/// The messages for viewers that rows contain: the same texts for the record and for live viewers,
/// which differ in their clocks and rates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/record/viewer_json.hpp"
#include "runtime/threads/body_frames.hpp"

namespace kagami::runtime {

enum class RowTopic : std::uint8_t {
  kReference,
  kSimulated,
  kTransforms,
  kCommanded,
  kMeasured,
  kResidual,
  kEvents,
};
inline constexpr std::size_t kNumRowTopics = 7;

/// One thread. `time_ns` is the stamp of a message, in the clock of its receiver.
class RowMessages {
 public:
  /// The text holds during the call.
  using Send = std::function<void(RowTopic topic, std::uint64_t time_ns, std::string_view json)>;

  /// The robot must outlive it.
  RowMessages(const models::RobotDescription& robot, Send send);

  /// Reference, simulated angles, the simulated links, and targets where positions are commanded.
  void curves(const CycleOutput& out, std::uint64_t time_ns);
  /// The angles of a board; the time at which that board took them.
  void measured(const JointArray<double>& angle, std::size_t board, std::uint64_t time_ns);
  /// Of all joints, or of those of a board.
  void residual(const CycleOutput& out, std::uint64_t time_ns);
  void residual(const CycleOutput& out, std::size_t board, std::uint64_t time_ns);
  void event(const Event& event, const EventNames& names, std::uint64_t time_ns);

  [[nodiscard]] std::span<const std::string> joint_names() const noexcept { return joint_names_; }

 private:
  struct BoardJoints {
    std::vector<std::string> names;
    std::vector<std::size_t> joints;
    [[nodiscard]] std::vector<double> of(const JointArray<double>& all) const;
  };

  const std::vector<std::string> joint_names_;
  std::array<BoardJoints, kMaxBoards> boards_;
  BodyFrames frames_;
  ViewerJson json_;
  Send send_;
};

}  // namespace kagami::runtime
