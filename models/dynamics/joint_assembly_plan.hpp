/// What each join of an assembly produces.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/joint_assembly_order.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// How two articulated bodies A (parent side) and B (child side) meet at a joint.
enum class JoinKind : std::uint8_t {
  kChildInto,  ///< B shows one handle, used up: its reduced inertia is added to A's (or to nothing)
  kParentInto,  ///< the same with A and B exchanged
  kPair,        ///< both show one handle and keep it, one degree of freedom between them
  kGeneral,     ///< any number of handles on either side
};

/// One articulated body. A handle is a link (a rigid group of bodies, named by its first body) that
/// still has joints to be joined or forces to receive from outside.
struct PlannedBody {
  std::vector<BodyIndex> handles;
  bool grounded = false;      ///< its root joint has been joined
  bool inertia_form = false;  ///< one handle, kept as F = IA a + pA; otherwise a = Phi F + B
  int first_slot = 0;         ///< of its handles among all handles of Phi form
  int first_block = 0;        ///< of its blocks Phi_ij, i <= j, among all blocks
};

/// Joint `joint` joins A and B into C.
struct JoinStep {
  BodyIndex joint = 0;
  JoinKind kind = JoinKind::kGeneral;
  int A = kWorld;  ///< index into AssemblyPlan::bodies; kWorld: the ground
  int B = 0;
  int C = 0;
  int a_slot = 0;  ///< the joint's link among the handles of A; of B
  int b_slot = 0;
  bool keeps_a = false;  ///< the link stays a handle of C
  bool keeps_b = false;
  int general = 0;  ///< counts the steps of kind kGeneral
  int first_X = 0;  ///< kGeneral: its first block among all X (one per handle of C)
};

/// Fixed before the first cycle: the shape decides the bits, nothing else does.
class AssemblyPlan {
 public:
  /// `order` holds every moving joint once (fixed joints are welded beforehand and may be listed);
  /// empty: default_order. `handles`: bodies that stay handles to the end, for loops and contacts.
  /// `inertia_form` false: everything in Phi form. Throws ConfigError naming what is wrong with the
  /// order or the handle, ModelError for a link whose inertia has no inverse.
  AssemblyPlan(const Model& model, const AssemblyOrder& order,
               const std::vector<BodyIndex>& handles, bool inertia_form);

  /// First body of the rigid group that a body belongs to; kWorld when the world holds it.
  [[nodiscard]] BodyIndex link(BodyIndex body) const noexcept {
    return link_[static_cast<std::size_t>(body)];
  }
  /// The same of its parent.
  [[nodiscard]] BodyIndex parent_link(const Model& model, BodyIndex body) const noexcept {
    const BodyIndex parent = model.body(body).parent;
    return parent == kWorld ? kWorld : link(parent);
  }
  /// The first num_bodies() are the links alone, at their first body's index.
  [[nodiscard]] const std::vector<PlannedBody>& bodies() const noexcept { return bodies_; }
  [[nodiscard]] const PlannedBody& body(int index) const noexcept {
    return bodies_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<JoinStep>& steps() const noexcept { return steps_; }
  /// Longest chain of joins that wait for each other.
  [[nodiscard]] int height() const noexcept { return height_; }
  /// Every joint is joined after all joints beyond it, so that no body shows two handles.
  [[nodiscard]] bool goes_tip_to_base() const noexcept;
  [[nodiscard]] int num_slots() const noexcept { return num_slots_; }
  [[nodiscard]] int num_blocks() const noexcept { return num_blocks_; }
  [[nodiscard]] int num_general() const noexcept { return num_general_; }
  [[nodiscard]] int num_X() const noexcept { return num_X_; }
  /// Where a lasting handle ended: articulated body and slot in it.
  struct Place {
    int body = 0;
    int slot = 0;
  };
  [[nodiscard]] const std::vector<Place>& places() const noexcept { return places_; }

 private:
  void weld(const Model& model);
  void check_order(const Model& model, const AssemblyOrder& order) const;
  void join(const Model& model, BodyIndex joint, bool inertia_form);
  int add_body(PlannedBody body, int height);
  int find(BodyIndex link) const noexcept;

  std::vector<BodyIndex> link_;
  std::vector<PlannedBody> bodies_;
  std::vector<JoinStep> steps_;
  std::vector<Place> places_;
  std::vector<int> open_;     // per link: joints and lasting handles still to be served
  std::vector<int> owner_;    // per link: articulated body it is a handle of
  std::vector<int> heights_;  // per articulated body
  int height_ = 0;
  int num_slots_ = 0;
  int num_blocks_ = 0;
  int num_general_ = 0;
  int num_X_ = 0;
};

}  // namespace kagami::models
