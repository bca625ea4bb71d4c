/// `kagami tune [MOTION]`: a run that continues until it is stopped, with its dashboard.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {

struct LiveOptions {
  ReplayOptions run;
  std::uint16_t port = 8765;  ///< 0: any that is free
  std::string listen = "127.0.0.1";
  std::string token;  ///< empty = KAGAMI_TOKEN, or a new one
  std::vector<std::string> allowed_origins;
  double dead_man_s = 0.0;  ///< 0: the writer's silence stops nothing
  int max_clients = 16;
  bool next_port = false;  ///< where that port is taken
  bool no_open = false;
};

/// Adds the options of the server; add_live_run_options adds those of the run.
void add_live_options(Command& command, LiveOptions& opt);

/// Runs until it is stopped and prints what `kagami replay` prints. Throws as `run`, and
/// AddressError for an address of the dashboard that cannot be had.
void tune_live(const LiveOptions& opt, Console& io);

}  // namespace kagami::tools
