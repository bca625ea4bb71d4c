/// Two boards behind a ScriptedPort, as simple as the tests of the host's side allow. Positions are
/// reached at once; the virtual robot of drivers/virtual is another, independent thing.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "drivers/rcb1/protocol.hpp"
#include "drivers/test/support/scripted_port.hpp"
#include "models/base/wiring.hpp"

namespace kagami::test {

class FakeBoards {
 public:
  using Bytes = std::vector<std::uint8_t>;
  struct Pose {
    std::uint8_t speed = 0;
    drivers::ChannelCounts counts{};
  };
  struct Board {
    std::uint8_t id = 0;
    bool off = false;
    std::uint8_t bits = 0;
    drivers::ChannelCounts positions{};
    drivers::ChannelCounts home{};
    std::array<std::int8_t, kChannelsPerBoard> trim_deg{};
    std::map<int, std::uint8_t> sizes;
    std::map<std::pair<int, int>, Pose> poses;
    std::vector<std::uint8_t> played;
  };
  /// One answer on its way; a test may change every field.
  struct Answer {
    drivers::rcb1::Command command = drivers::rcb1::Command::kGetId;
    int board = 0;  ///< index
    Bytes bytes = {};
    std::int64_t delay_ns = 1'000'000;
  };

  FakeBoards();
  /// Answers what is written to `port`.
  void attach(drivers::ScriptedPort& port);
  [[nodiscard]] int requests(drivers::rcb1::Command command) const;

  std::array<Board, 2> board;
  std::function<void(Answer&)> distort;

 private:
  void receive(drivers::ScriptedPort& port, std::span<const std::uint8_t> bytes,
               std::int64_t complete_ns);
  static drivers::rcb1::Reply apply(const drivers::rcb1::Request& request, Board& board);

  std::map<drivers::rcb1::Command, int> requests_;
};

/// The KHR-1's wiring in small: six joints on two boards, mirrored.
RobotWiring small_wiring();

}  // namespace kagami::test
