/// The contact problem of an island, or of a part of one: its bodies, their response, its points.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/world/islands.hpp"

namespace kagami::models {

/// How a solve went.
struct IslandReport {
  ContactStatus status = ContactStatus::kOk;
  bool split = false;  ///< the island has more bodies than one problem may have
  int iterations = 0;
  double change = 0.0;  ///< N s, largest of the impulse components since it was last set to 0
  double work = 0.0;    ///< J: impulses times the mean of the velocities without and with them
};

/// Memory is taken at construction; all else is cycle code.
class IslandProblem {
 public:
  IslandProblem(std::span<const WorldSystem> systems, const ContactCapacity& capacity);

  /// No body.
  void clear() noexcept;
  /// Lists both bodies of a contact, or none; false when there is no room for them.
  bool list(const WorldContact& contact) noexcept;
  /// Of the contacts whose bodies are listed: sets a and b of their points.
  void load(const Island& island) noexcept;
  /// By a method, in a step of h (s). With an answer sets the forces of the island's contacts and
  /// adds their impulses to its systems. Sets the report's status, adds to iterations and change.
  void solve(const Island& island, double h, ContactMethod& method, IslandReport& report) noexcept;

  /// Listed bodies, system after system once they are loaded.
  [[nodiscard]] std::span<TouchingBody> bodies() noexcept { return bodies_; }
  [[nodiscard]] const double* Phi() const noexcept { return Phi_.data(); }

 private:
  int& place(int system, int body) noexcept { return places_[idx(system)][idx(body)]; }
  void load_response(std::span<const WorldSystem> systems) noexcept;

  std::size_t max_bodies_;
  std::vector<std::vector<int>> places_;  // per system and touching body: in the list, or -1
  std::vector<TouchingBody> bodies_;
  std::vector<double> Phi_;
  std::vector<ContactPoint> points_;
  std::vector<ContactForce> forces_;
  std::vector<int> of_system_;  // touching body numbers, as response takes them
};

}  // namespace kagami::models
