/// What the derivations share: the current block, inputs by meaning, values handed between blocks.
#pragma once

#include "models/hybrid/algebra.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// Set-up only; the program must outlive it.
class DeriveContext {
 public:
  explicit DeriveContext(Program& program) : p_(program) {}

  [[nodiscard]] const Plan& plan() const { return p_.plan; }
  [[nodiscard]] const LimbUnit& unit(int i) const {
    return p_.plan.units[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Graph& graph() const { return *p_.graph; }
  /// Poses of joints that slide or have a quaternion come with expressions in place of constants;
  /// kDrivenDynamics: so does the value in place of the rotor inertia.
  [[nodiscard]] UnitConstants constants(int i) const;

  /// Starts the next block, which belongs to unit i (in a fused program: continues the same).
  void begin(int i);
  /// A joint quantity of unit i.
  Expr joint(Source source, int i) { return graph().input({source, i, 0}); }
  /// Entry of what the caller gives for the base.
  Expr base(int entry) { return graph().input({Source::kBase, 0, entry}); }
  PlanarRotation turn_of(int i);
  /// What the joint's acceleration in v is more than that of unit i: of three spins in a row, each
  /// turns the axes of those behind it.
  Expr spin_bias(int i);
  /// Gravity (m/s^2) in the base's frame, from its quaternion.
  Vec3e gravity_in_base();

  /// A floating base's acceleration from IA a = tau - pA; gives out vdot, which is a plus R' g - w
  /// x v. kDrivenDynamics: from IA a + J vdot = tau - pA.
  Accel solve_base(InertiaE IA, Wrench pA, const Vec3e& w);

  /// The value for later blocks: stored in the current unit's memory unless it is a constant.
  Expr keep(Expr value);
  Vec3e keep(const Vec3e& v);
  Wrench keep(const Wrench& F);
  /// The same for the parent alone; a pair below a single body hands on the sum of its lanes.
  InertiaE keep_for_parent(const InertiaE& I);
  Wrench keep_for_parent(const Wrench& F);
  /// a_P, or where it is null the acceleration of the world (minus gravity).
  Accel parent_acceleration(const Accel* a_P);
  void output(Sink sink, int slot, Expr value);
  /// The value for a neighbouring sub-chain: an entry of their handle unless it is zero.
  Expr hand(int handle, int entry, Expr value);
  Vec3e hand(int handle, int entry, const Vec3e& v);
  /// Acceleration of unit i's joint, whatever the current unit is.
  void joint_output(int i, Expr value) {
    p_.blocks.back().outputs.push_back({Sink::kJoint, i, value});
  }

 private:
  void add_base_diagonal(const Vec3e& w, InertiaE& IA, Wrench& pA);
  Expr keep_for_parent(Expr value);
  Expr keep_always(Expr value);
  int next_slot() { return p_.slots[static_cast<std::size_t>(current_)]++; }

  Program& p_;
  int current_ = 0;
};

/// Inverse dynamics into an empty program.
void derive_inverse(Program& program);
/// Drops what no later block reads.
void remove_dead_outputs(Program& program);

}  // namespace kagami::models::hybrid
