/// Reads models in the oracles' JSON form: bodies, joints of every type, gravity, loops.
///
/// ```json
/// {"gravity": [0, 0, -9.81],
///  "bodies": [{"name": "arm", "parent": -1, "mass": 1, "com": [0, 0, 0.5],
///              "inertia": [[…], […], […]],
///              "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0],
///                        "xyz": [0, 0, 0], "R": [[…], […], […]]}}],
///  "loops": [{"type": "revolute", "body_a": "arm", "body_b": "world", "point_a": [0, 0, 1],
///             "point_b": [1, 0, 0], "axis_a": [0, 1, 0], "axis_b": [0, 1, 0]}]}
/// ```
/// Bodies stand parents before children; `parent` is an index, -1 the world. `com` (m) is in the
/// body frame, `inertia` (kg m^2) about the mass centre in body axes. Optional: `gravity`, `name`,
/// `note`, `size` of a body, `R`, and of a joint `rotor_inertia` and `limits` {lower, upper,
/// velocity, effort}. Axes of any length above 1e-6.
///
/// Loops: `body_a` and `body_b` are names of bodies or frames, or indices; `body_b` may be -1,
/// "world" or absent. Points in their body's frame. spherical: point_a = point_b; universal: axis_b
/// and then axis_a are its axes; revolute: axis_a = axis_b; prismatic: both orientations agree with
/// `R_b_from_a` (the orientation of a in b, identity when absent), the point moves along axis_b;
/// fixed: orientations and points agree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// The model that `node` holds, its loops included; where it holds none under "bodies" but an
/// object "model", that one, with the loops that stand beside it (a case of the oracles, whose
/// other keys are then not checked here). Unknown keys of models, bodies, joints and loops
/// are refused. `base`, when given, puts the root body on a fixed or a floating joint in place of
/// the file's own. A thin rod, whose moment of inertia about its own axis is 0, gets 1e-3 kg m^2
/// there (no more than its largest) and a notice. Throws ConfigError or ModelError that names file,
/// path, value and what was expected. Set-up.
Model read_model_json(const ConfigNode& node, std::optional<BaseKind> base,
                      std::vector<std::string>& notices);

/// The model with the loops of owner's list "loops" added, none when the key is absent.
Model with_loops(Model model, const ConfigNode& owner);

/// What a file states about a joint: type, axis and axis2 as the type needs them, of unit length.
/// `axis`, when given, replaces the key.
Joint read_joint(const ConfigNode& node, std::optional<Vec3> axis = std::nullopt);

}  // namespace kagami::models
