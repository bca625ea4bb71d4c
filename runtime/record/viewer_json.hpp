/// JSON for people and viewers: joint states, log lines, frames, residuals, each with its schema.
///
/// Field names as in `@foxglove/schemas` 2.1.0 (docs.foxglove.dev/docs/sdk/schemas). A number that
/// is not finite is left out, never printed; texts come out as valid UTF-8. The same texts go into
/// records and to live viewers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kagami::runtime {

/// A channel's schema: what McapWriter::add_schema and a live server's "advertise" take.
/// The schema encoding is "jsonschema", the message encoding "json".
struct ViewerSchema {
  std::string_view name;
  std::string_view text;
};

extern const ViewerSchema kJointStatesSchema;      ///< foxglove.JointStates
extern const ViewerSchema kLogSchema;              ///< foxglove.Log
extern const ViewerSchema kFrameTransformsSchema;  ///< foxglove.FrameTransforms
extern const ViewerSchema kResidualSchema;         ///< kagami.Residual

/// One value per joint; an empty span = none of them. Borrows.
struct JointStatesView {
  std::uint64_t time_ns = 0;
  std::span<const std::string> names{};
  std::span<const double> position{};      ///< rad
  std::span<const double> velocity{};      ///< rad/s
  std::span<const double> acceleration{};  ///< rad/s^2
  std::span<const double> effort{};        ///< N m
};

/// Simulated minus measured angle per joint. Borrows.
struct ResidualView {
  std::uint64_t time_ns = 0;
  std::span<const std::string> names{};
  std::span<const double> residual{};        ///< rad, at the measurement's own time
  std::span<const double> residual_naive{};  ///< rad, at the time of arrival
};

/// foxglove.LogLevel
enum class LogLevel : std::uint8_t { kUnknown, kDebug, kInfo, kWarning, kError, kFatal };

struct LogView {
  std::uint64_t time_ns = 0;
  LogLevel level = LogLevel::kInfo;
  std::string_view message{};
  std::string_view name{};  ///< source of the message
  std::string_view file{};  ///< of the program's source, "" = none
  std::uint32_t line = 0;
};

/// Pose of frame child in frame parent.
struct FrameTransformView {
  std::string_view parent;
  std::string_view child;
  std::array<double, 3> translation{};                 ///< m
  std::array<double, 4> rotation{0.0, 0.0, 0.0, 1.0};  ///< quaternion x, y, z, w
};

/// Prints into a buffer that it keeps. One thread; a text holds until the next call.
class ViewerJson {
 public:
  /// Spans are either empty or as long as names; what is beyond the shorter one is left out.
  std::string_view joint_states(const JointStatesView& view);
  std::string_view residual(const ResidualView& view);
  std::string_view log(const LogView& view);
  /// A transform with a number that is not finite is left out.
  std::string_view frame_transforms(std::uint64_t time_ns,
                                    std::span<const FrameTransformView> transforms);

 private:
  std::string text_;
};

}  // namespace kagami::runtime
