/// What an RCB-1 keeps when the power is off.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/link/samples.hpp"
#include "models/base/config_fwd.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers::virtual_robot {

inline constexpr int kMotions = 40;
inline constexpr int kPosesPerMotion = 100;
inline constexpr int kScenarios = 4;
inline constexpr int kEntriesPerScenario = 200;
inline constexpr int kKeys = 256;  // the command reference gives no range for a key's number

struct StoredPose {
  std::uint8_t speed = 0;  ///< 0..7
  ChannelCounts counts{};  ///< degrees or special codes
  bool operator==(const StoredPose&) const = default;
};

/// s that a board needs for the pose when its channels are at `at`, which becomes the pose. A count
/// above 180 of the pose leaves its channel; one of `at` is not known and counts for nothing.
double take_pose(const SpeedTable& speed, const StoredPose& pose, ChannelCounts& at) noexcept;

struct StoredMotion {
  std::uint8_t count = 0;  ///< poses that are played, 0..100
  std::array<StoredPose, kPosesPerMotion> poses{};
  bool operator==(const StoredMotion&) const = default;
};

struct StoredScenario {
  std::uint8_t count = 0;  ///< motions that are played, 0..200
  std::array<std::uint8_t, kEntriesPerScenario> motions{};
  bool operator==(const StoredScenario&) const = default;
};

/// One board's memory. The switch bits are not in it: they are 0 at power-on.
struct BoardMemory {
  std::uint8_t id = 0;                                    ///< 0..31
  ChannelCounts home{};                                   ///< degrees
  std::array<std::int8_t, kChannelsPerBoard> trim_deg{};  ///< -20..19
  std::array<std::array<std::uint8_t, 3>, kKeys> keys{};
  std::array<StoredMotion, kMotions> motions{};
  std::array<StoredScenario, kScenarios> scenarios{};
  bool operator==(const BoardMemory&) const = default;
};

/// One board in a file: only what differs from an empty memory.
nlohmann::json board_memory_json(const BoardMemory& board);
/// Reads such an object. A real board may hold a home above 180 where it has no servo. Throws
/// ConfigError that names the place.
BoardMemory read_board_memory(const ConfigNode& node, int largest_home = 180);

/// Text of a memory file, schema kagami.board_memory/1: only what differs from an empty memory.
std::string memory_text(const std::vector<BoardMemory>& boards);
/// Reads such a text; `file` is the name that errors show. Throws ConfigError that names the place,
/// also when the number of boards is not `boards`.
std::vector<BoardMemory> parse_memory(std::string_view text, const std::string& file,
                                      std::size_t boards);

/// Replaces the file as a whole: old or new after a crash, never half. Throws RecordError.
void write_memory_file(const std::filesystem::path& file, const std::vector<BoardMemory>& boards);

/// The memories in `file`, or those of new boards of this robot when there is no such file (or its
/// name is empty). Throws ConfigError for a file that is none of this robot's.
std::vector<BoardMemory> load_memory(const RobotWiring& wiring, const std::filesystem::path& file);

}  // namespace kagami::drivers::virtual_robot
