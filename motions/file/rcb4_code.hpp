/// Commands of the board RCB-4 as HeartToHeart4 stores them: bytes in hexadecimal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kagami::motions {

inline constexpr int kRcb4Centre = 7500;                        ///< position of 0 deg
inline constexpr double kRcb4CountsPerDegree = 4000.0 / 135.0;  ///< 4000 counts are 135 deg
inline constexpr int kRcb4Furthest = 5334;                      ///< counts from the centre, 180 deg
inline constexpr int kRcb4Channels = 40;                        ///< 2 * servo ID + port

struct Rcb4Command {
  enum class Kind : std::uint8_t {
    kMove,        ///< `positions` in `frames` frames
    kServoValue,  ///< stretch, speed or another value of servos
    kSet,         ///< the memory at `address` becomes `value`
    kSubtract,    ///< `value` is subtracted from the memory at `address`
    kJump,        ///< to `address`
    kJumpIf,      ///< to `address` if the last result fulfils the condition `value`
    kCall,        ///< the motion at `address`, then on
    kEnd,
    kOther,
  };
  Kind kind = Kind::kOther;
  int size = 0;  ///< bytes in the board's memory
  int code = 0;  ///< second byte
  int frames = 0;
  int address = 0;
  int value = 0;
  std::vector<std::pair<int, int>> positions;  ///< channel and position, in order
};

/// A line such as "07 0B 64 24 00 05 9F". Throws ConfigError that begins with `place` for what is
/// no hexadecimal, a wrong size or a wrong sum.
Rcb4Command decode_rcb4(std::string_view hex, const std::string& place);

/// The line of a move. `frames` 1..255; positions in order of their channels.
std::string encode_rcb4_move(const std::vector<std::pair<int, int>>& positions, int frames);
/// The line of any command from its bytes without size and sum.
std::string encode_rcb4(const std::vector<std::uint8_t>& body);

}  // namespace kagami::motions
