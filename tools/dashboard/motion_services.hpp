/// The services that stop a run, move its robot and choose its controller.
#pragma once

#include "runtime/app/live_control.hpp"
#include "tools/dashboard/run_side.hpp"

namespace kagami::tools {

/// `live` outlives `side`. The server itself answers take_writer and hand_over, which are among
/// them.
void add_motion_services(RunSide& side, runtime::LiveControl& live);

}  // namespace kagami::tools
