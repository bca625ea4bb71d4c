/// Orders in which an assembly joins the links of a tree.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Joints in the order in which they are joined, each named by its child body.
using AssemblyOrder = std::vector<BodyIndex>;

/// Balanced binary tree, the ground last. Along the heaviest path from each root, on every link its
/// side branches first, those of least height before the others; the path is halved so that its
/// height is the least that its links allow: ceil(log2 n) for a chain of n, one more for the
/// ground. Where the height leaves room, tips go link by link, as one-handle bodies cost least.
/// Set-up: may allocate. docs/math/ada.md.
AssemblyOrder default_order(const Model& model);
/// Every joint from the tips to the root, as the articulated-body algorithm goes.
AssemblyOrder tip_to_base_order(const Model& model);

/// Per body: the first body of the rigid group (link) that it belongs to; kWorld where the world
/// holds it.
std::vector<BodyIndex> first_bodies(const Model& model);

/// Whether the joint of that body moves.
bool moves(const Model& model, BodyIndex i) noexcept;

}  // namespace kagami::models
