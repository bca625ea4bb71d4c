/// The outline of an overlap, projected onto its contact plane.
#pragma once

#include "models/contact/shape/clip.hpp"
#include "models/contact/shape/patch.hpp"

namespace kagami::models {

/// Fills patch.outline from the overlap's vertices, patch.centroid, n, t1 and t2: the convex hull
/// of their projections, counter-clockwise about n. Corners nearer than `merge` times the hull's
/// diameter to the one before are left out; so are, beyond kMaxOutline, those that add least area.
/// Cycle code.
void fill_outline(const Clipper& overlap, double merge, Patch& patch) noexcept;

}  // namespace kagami::models
