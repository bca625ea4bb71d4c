/// Closed chains for the tests of several layers: the oracles' and some of our own.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "models/robot/builder.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::test {

/// One case of O10's loops: any joint type, loop joints included.
models::Model loop_model_from_json(const nlohmann::json& c);

/// Three rods in a row along +z, axes +y (absolute angle from +z, as O03), the last one's tip on a
/// hinge at (ground, 0, 0). Lengths (m), masses (kg).
models::Model four_bar(const std::array<double, 3>& length, const std::array<double, 3>& mass,
                       double ground, models::JointType loop = models::JointType::kRevolute);
/// Four-bar of the comparison with other engines: pivots (0, 0), (0.4, -0.693), (1.45, -0.95),
/// (1.3, 0), 1 kg each, q = 0 there; `parallelogram`: the seed's, 1 m, hanging at 45 degrees.
models::Model peers_four_bar(bool parallelogram);
inline constexpr double kFourBarSwing = 5.7463;  ///< J, energy of its swing: the scale of energies
/// Crank of 0.3 m, rod of 0.8 m, slider along x at height 0; revolute crank and rod, prismatic
/// slider, their pin closes the loop. q = (crank, rod, slider).
models::Model slider_crank();
/// Two four-bars side by side that share the first coupler: 5 rods, 2 loops, 1 degree of freedom,
/// closed at q = 0.
models::Model double_loop();
/// The KHR-1 at home on a floating base, both soles welded to the world where they are: 12
/// equations for 23 degrees of freedom. `state`: that pose, at rest.
models::Model humanoid_on_both_feet(models::State& state);

}  // namespace kagami::test
