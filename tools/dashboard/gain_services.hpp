/// The services that change the gains of a run, undo changes and save them.
#pragma once

#include <filesystem>

#include "runtime/app/live_control.hpp"
#include "tools/dashboard/run_side.hpp"

namespace kagami::tools {

/// `live` outlives `side`. `folder`: saved gain sets go there, made when missing.
void add_gain_services(RunSide& side, runtime::LiveControl& live,
                       const std::filesystem::path& folder);

}  // namespace kagami::tools
