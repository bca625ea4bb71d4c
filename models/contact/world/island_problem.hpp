/// The contact problem of an island, or of a part of one: its bodies, their response, its points.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/world/islands.hpp"
#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// What all impulses P of an island, shrunk to a share x, do (J): x linear + x^2 quadratic.
struct IslandWork {
  double linear = 0.0;     ///< P' V_free
  double quadratic = 0.0;  ///< 1/2 P' Phi P

  /// Adds that of the impulses P on some bodies; Phi: their response, row after row. Cycle code.
  void add(const double* Phi, std::span<const Motion> V_free, std::span<const Force> P) noexcept;
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
  /// By a method, in a step of h (s); adds to `iterations`.
  ContactStatus solve(ContactMethod& method, double h, int& iterations) noexcept;

  /// Listed bodies, system after system once they are loaded.
  [[nodiscard]] std::span<TouchingBody> bodies() noexcept { return bodies_; }
  [[nodiscard]] const double* Phi() const noexcept { return Phi_.data(); }
  /// Of the island's contacts, after solve.
  [[nodiscard]] std::span<const ContactForce> forces() const noexcept {
    return {forces_.data(), points_.size()};
  }

 private:
  int& place(int system, int body) noexcept;
  bool list(int system, int body) noexcept;
  void sort_bodies() noexcept;
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
