/// Systems and static shapes under contact, stepped together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/contact/world/contact_memory.hpp"
#include "models/contact/world/island_solver.hpp"
#include "models/contact/world/point_contacts.hpp"
#include "models/contact/world/sleepers.hpp"
#include "models/contact/world/volume_step.hpp"

namespace kagami::models {

/// Set-up by a scene; then step. One thread; nothing in a step allocates, waits or throws.
class World {
 public:
  /// Throws ConfigError for bad surfaces, shapes, settings, names that occur twice or capacities
  /// below 1, ModelError for bad start states and models that cannot touch anything. Bodies that
  /// start inside a static shape by more than half their own size are refused.
  World(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity = {});
  World(World&&) noexcept = default;

  [[nodiscard]] int num_systems() const noexcept { return static_cast<int>(systems_.size()); }
  /// 0 <= system < num_systems() here and below.
  [[nodiscard]] const Model& model(int system) const noexcept { return at(system).model(); }
  [[nodiscard]] const std::string& name(int system) const noexcept { return at(system).name; }
  /// May be written between steps; contacts remember where they held until forget().
  [[nodiscard]] State& state(int system) noexcept { return systems_[idx(system)].state; }
  [[nodiscard]] const State& state(int system) const noexcept { return at(system).state; }
  /// Another model of the system, the same but for its masses: with a payload, say. Returns its
  /// number for use_variant, from 1 on. Set-up; throws ModelError for other joints.
  int add_variant(int system, const Model& model) {
    return models::add_variant(systems_[idx(system)], model);
  }
  /// From now on the system has the masses of that variant, 0: those it was made with; other
  /// numbers are ignored. Its state stays as it is: an added mass has the velocity of its place,
  /// and no impulse acts. Wakes all systems. Cycle code.
  void use_variant(int system, int variant) noexcept;
  [[nodiscard]] int variant(int system) const noexcept { return at(system).variant; }
  /// Changes the friction of a static shape of the scene, or of all shapes of a system, against
  /// what it was made with (a default change: back to that). Wakes all systems; a contact that
  /// sticks goes on sticking while its new cone allows it. Cycle code.
  void change_static_friction(int static_shape, const FrictionChange& change) noexcept;
  void change_friction(int system, const FrictionChange& change) noexcept;
  /// What drives it during the next step; zero and the model's rotor inertias at the start.
  [[nodiscard]] Drive& drive(int system) noexcept { return systems_[idx(system)].drive; }
  [[nodiscard]] const Drive& drive(int system) const noexcept { return at(system).drive; }
  /// Mean rate of v over the last step, contact included.
  [[nodiscard]] const JointVector& vdot(int system) const noexcept { return at(system).vdot; }
  [[nodiscard]] SystemStatus status(int system) const noexcept { return at(system).status; }
  /// It rests and is left out of the steps, velocity 0, until its state or drive is changed or
  /// something awake comes near it or what sleeps with it (ContactSettings::sleep).
  [[nodiscard]] bool asleep(int system) const noexcept { return at(system).asleep; }

  /// Moves everything by h (s, > 0; otherwise kNotFinite and nothing happens). Cycle code.
  WorldStatus step(double h) noexcept;
  /// Drops what contacts remember and wakes all systems: after a state was set from outside. Cycle
  /// code.
  void forget() noexcept;

  /// Contacts of the last step in a fixed order: system, shape, vertex, static shape; then those
  /// between shapes that move. Those of sleepers stay as they were when they fell asleep.
  [[nodiscard]] std::span<const WorldContact> contacts() const noexcept { return contacts_.all(); }
  /// The same of the volumetric method, instead of contacts: 0 <= i < num_patches(), by shapes,
  /// those of sleepers after the others.
  [[nodiscard]] int num_patches() const noexcept { return volume_ ? volume_->num_patches() : 0; }
  [[nodiscard]] WorldPatch patch(int i) const noexcept { return volume_->patch(i); }
  /// Sum of what the last step's contacts did (J): their impulses times the mean of the velocities
  /// without and with them. Exact for the step's momenta; above 0 only where restitution exceeds
  /// what it may or penetration is taken back.
  [[nodiscard]] double contact_work() const noexcept { return contact_work_; }
  [[nodiscard]] const WorldCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] const char* method() const noexcept {
    return volume_ ? models::name(MethodName::kVolumetric) : solver_->method();
  }

 private:
  [[nodiscard]] const WorldSystem& at(int system) const noexcept { return systems_[idx(system)]; }
  [[nodiscard]] int first_shape(int system) const noexcept;
  void begin(double h) noexcept;
  void solve_points(double h) noexcept;
  void solve_volumes(double h) noexcept;
  void finish() noexcept;
  void count(long& counter, WorldStatus to) noexcept;
  void count(ContactStatus answer, bool overflowed, int iterations) noexcept;

  std::vector<WorldSystem> systems_;
  std::vector<WorldObstacle> obstacles_;
  NearPairs pairs_;
  Sleepers sleepers_;

  // of a method of points
  PointContacts contacts_;
  ContactMemory memory_;
  Islands islands_;
  std::optional<IslandSolver> solver_;
  // or of volumes
  std::optional<VolumeStep> volume_;

  WorldCounters counters_;
  WorldStatus status_ = WorldStatus::kOk;
  double contact_work_ = 0.0;
  bool overflowed_ = false;  // contacts or patches were left out
};

}  // namespace kagami::models
