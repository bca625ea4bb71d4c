/// `kagami compare --history FOLDER`: the health of a robot over its runs.
#pragma once

#include <string>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/gap/health.hpp"

namespace kagami::tools {

struct HistoryOptions {
  std::string folder;  ///< of sessions or records; empty: none is asked for
  std::string csv;     ///< file; empty: none
};

/// Adds --history and --csv.
void add_history_options(Command& command, HistoryOptions& opt);

/// Throws ConfigError where no record can be used.
HealthHistory history_of(const HistoryOptions& opt, Console& io);
/// Prints tables, or one JSON object. Throws ConfigError where no record can be used.
void print_history(const HistoryOptions& opt, Console& io);

}  // namespace kagami::tools
