/// Rows of kagami-bench-dynamics that have a file of their own.
#pragma once

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// "MODEL/forward_dynamics/NAME" of an algorithm by name.
void add_forward_by_name(const ModelDef& def, const char* algorithm);
/// "MODEL/forward_dynamics/ada_tips_first": ada, every joint joined after those beyond it, where
/// the default is a balanced tree.
void add_ada_tips_first(const ModelDef& def);
/// "MODEL/forward_dynamics/ada_forces": ada, and the forces of all joints fetched from it.
void add_ada_with_forces(const ModelDef& def);
/// "MODEL/joint_jacobians", "MODEL/com_jacobian", "MODEL/centroidal_momentum_matrix".
void add_jacobian_rows(const ModelDef& def);
/// "four_bar/semi_implicit", "four_bar/fourth_order".
void add_four_bar_rows();

}  // namespace kagami::bench
