/// Stored motions that another program plays: what is known of the boards' memories, and which pose
/// a board begins by itself when.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/virtual/board_memory.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "tools/board/line_decoder.hpp"

namespace kagami::tools {

/// Poses and sizes are known from the virtual boards' memory, or from what was written and read on
/// the line. One thread.
class StoredPlays {
 public:
  /// `memory`: of the virtual boards, in their order; empty: real boards.
  StoredPlays(const RobotWiring& wiring, std::vector<drivers::virtual_robot::BoardMemory> memory);

  /// Where the boards are at the start, rad, model order.
  void start(const JointArray<double>& angle);
  void take(const LineRequest& line);
  void take(const LineAnswer& answer);
  /// The next pose that a board begins by `until_ns`, as the command that would set it; each is
  /// returned once.
  std::optional<LineRequest> next(std::int64_t until_ns);

  /// Motions and scenarios that were played.
  [[nodiscard]] std::uint64_t played() const { return played_; }
  /// Those of them whose content was not known.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

 private:
  using BoardMemory = drivers::virtual_robot::BoardMemory;
  using StoredPose = drivers::virtual_robot::StoredPose;
  struct Known {
    std::bitset<drivers::virtual_robot::kMotions> sizes;
    std::array<std::bitset<drivers::virtual_robot::kPosesPerMotion>,
               drivers::virtual_robot::kMotions>
        poses;
    std::bitset<drivers::virtual_robot::kScenarios> scenario_sizes;
    std::array<std::bitset<drivers::virtual_robot::kEntriesPerScenario>,
               drivers::virtual_robot::kScenarios>
        entries;
  };
  struct Board {
    BoardMemory memory;
    Known known;
    drivers::ChannelCounts counts{};  // where its channels go; above 180: not known
    bool is_asleep = false;
    std::vector<StoredPose> waiting;  // poses still to begin, the last one first
    std::int64_t next_ns = 0;         // when the next of them begins
  };

  [[nodiscard]] Board* board_of(std::uint8_t id);
  void write(Board& board, const drivers::rcb1::Request& request);
  void play(Board& board, const LineRequest& line);
  /// The poses of a motion behind `poses`. False: they are not known.
  [[nodiscard]] static bool append_motion(const Board& board, int motion,
                                          std::vector<StoredPose>& poses);

  RobotWiring wiring_;
  std::vector<Board> boards_;
  std::uint64_t played_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace kagami::tools
