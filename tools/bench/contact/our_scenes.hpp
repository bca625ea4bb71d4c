/// Our worlds of the scenes, one per method.
#pragma once

#include <string>

namespace kagami::bench {

/// Rows of the robot on the ground, "khr1/stand/METHOD" and so on.
void add_our_robot(const std::string& method);
/// "pendulum/1ms/METHOD" and so on.
void add_our_pendulum(const std::string& method);
/// "boxes/10/METHOD" to 50, and "boxes/50/0.1ms/METHOD"; bodies must meet bodies under the method.
void add_our_stack(const std::string& method);

}  // namespace kagami::bench
