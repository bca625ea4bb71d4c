/// The whole memory of the boards of one robot, as it can be read over the line.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "drivers/virtual/board_memory.hpp"
#include "tools/robot/board_questions.hpp"

namespace kagami::tools {

/// Keys whose number can be sent: a byte of E8 or more would begin a new request.
inline constexpr int kReadableKeys = 232;

/// Three bytes for each key.
using KeyBytes = std::array<std::array<std::uint8_t, 3>, drivers::virtual_robot::kKeys>;

struct BoardImage {
  drivers::virtual_robot::BoardMemory memory;  ///< poses and entries that play; the others are 0
  std::uint8_t switches = 0;                   ///< bits, which no board keeps without power
  int keys_answered = 0;                       ///< keys 0.. that the board answered
  bool has_scenarios = true;                   ///< the board answers the questions about them
};

struct MemoryImage {
  std::vector<BoardImage> boards;  ///< in the order of robot.json
};

/// Share done 0..1, and what is read or written.
using MemoryProgress = std::function<void(double share, const std::string& what)>;

/// The keys from 0 on that the board answers for; returns how many. Throws as read_memory_image.
int read_keys(BoardSession& session, int board, KeyBytes& keys);
/// The board answers the questions about scenarios. Throws as read_memory_image.
bool answers_for_scenarios(BoardSession& session, int board);

/// Reads everything, each value until two answers agree. A board that does not know the questions
/// about scenarios or keys, but answers others, has none. Throws LinkError that names what could
/// not be read, PortError.
MemoryImage read_memory_image(BoardSession& session, const MemoryProgress& progress);

/// What differs, one sentence each, by board, kind, number and channel. Home is among them only
/// with `with_home`.
std::vector<std::string> memory_differences(const BoardSession& session, const MemoryImage& found,
                                            const MemoryImage& expected, bool with_home);
/// The homes alone.
std::vector<std::string> home_differences(const BoardSession& session, const MemoryImage& found,
                                          const MemoryImage& expected);
}  // namespace kagami::tools
