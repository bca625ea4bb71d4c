/// Before a run that moves a real robot: the motion is checked, and a person agrees.
#pragma once

#include "runtime/app/run_config.hpp"
#include "tools/cli/console.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {

/// True when the run may begin: always with the virtual robot. A real one requires a check of its
/// motions that is green, or that --accept covers, or, if it is amber, an answer at a terminal; and
/// --yes or an answer. Verdict and acceptance go to `config`, for the record. False: the reason is
/// printed and the exit code is set. Throws ConfigError or ModelError for a run that cannot be set
/// up.
bool may_move(const ReplayOptions& opt, runtime::RunConfig& config, Console& io);

}  // namespace kagami::tools
