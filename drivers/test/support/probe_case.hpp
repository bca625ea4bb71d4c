/// First contact with fake boards on a scripted port, in simulated time.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "drivers/rcb1/probe.hpp"
#include "drivers/test/support/fake_boards.hpp"
#include "drivers/test/support/manual_clock.hpp"
#include "models/base/errors.hpp"
#include "models/base/test/support/milliseconds.hpp"

namespace kagami::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ProbeCase : public ::testing::Test {
 protected:
  ProbeCase() {
    boards_.attach(port_);
    for (const JointWiring& joint : link_.wiring().joints) {
      auto& board = boards_.board[static_cast<std::size_t>(joint.board())];
      board.home[static_cast<std::size_t>(joint.slot())] =
          static_cast<std::uint8_t>(joint.home_deg);
    }
  }
  /// The sentence of the LinkError, or what else happened.
  std::string error() { return error_of(link_); }
  std::string error_of(drivers::Khr1Link& link) {
    try {
      drivers::probe(link, "ttyTEST");
    } catch (const LinkError& e) {
      return e.what();
    } catch (const PortError& e) {
      return std::string("port: ") + e.what();
    }
    return "fine";
  }

  ManualClock clock_{1'000'000'000};
  drivers::ScriptedPort port_{clock_};
  FakeBoards boards_;
  drivers::Khr1Link link_{port_, clock_, small_wiring()};
};

}  // namespace kagami::test
