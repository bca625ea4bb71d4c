/// The KHR-1's wiring as a fixture, from the tables of the public notes (factory home).
#pragma once

#include "models/base/wiring.hpp"

namespace kagami::test {

/// Channels, signs, factory home; soft limits = counts 0..180; the speed table of the RCB-1.
RobotWiring khr1_wiring();

}  // namespace kagami::test
