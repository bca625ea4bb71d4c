/// What a status bar shows of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// The two named sets of gains.
enum class GainSet : std::uint8_t { kA, kB };

struct LiveStatus {
  bool is_open = false;  ///< a run is in progress
  SupervisorState state = SupervisorState::kIdle;
  Phase phase = Phase::kWaiting;
  std::int64_t tick = -1;       ///< newest that the writer has seen
  std::uint64_t version = 0;    ///< applied
  std::uint64_t requested = 0;  ///< newest ticket
  std::uint64_t written = 0;    ///< newest ticket that changed a gain: the base of the next write
  bool dirty = false;           ///< the values differ from the loaded or last saved gain files
  std::optional<GainSet> set;   ///< whose values were requested
  bool can_undo = false;
  bool can_redo = false;
  std::string controller;                ///< which leads; empty: the motion alone, or none yet
  std::vector<std::string> controllers;  ///< all that can lead
  std::string motion;                    ///< the chosen one
  double speed = 1.0;
  bool paused = false;
  bool loop = false;
  bool reverse = false;  ///< the motion's time runs backwards, or is at its beginning
  std::string reason;    ///< sentence: why it is in a fault, stopped or released; empty: it is not
  bool testing = false;  ///< a test of one joint is requested or under way
};

}  // namespace kagami::runtime
