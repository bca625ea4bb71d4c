/// An island of more bodies than one problem may have: its contacts in parts that fit, one after
/// the other, each with the impulses of all others given (block Gauss-Seidel, there and back), from
/// those of the step before, until none changes.
#pragma once

#include <span>
#include <vector>

#include "models/contact/world/island_problem.hpp"

namespace kagami::models {

/// Memory is taken at construction; all else is cycle code.
class SplitIsland {
 public:
  SplitIsland(std::span<const WorldSystem> systems, const ContactCapacity& capacity);

  /// Sets the forces of the island's contacts and the impulses of its systems, both zero without an
  /// answer. `problem` is a workspace; adds to `iterations`.
  ContactStatus solve(const Island& island, double h, ContactMethod& method, IslandProblem& problem,
                      int& iterations) noexcept;
  /// Of the impulses of the systems of that island.
  IslandWork work_of(const Island& island) noexcept;
  /// Sets their impulses anew from the forces of the contacts, without what came and went.
  void sum_impulses(const Island& island) const noexcept;

 private:
  void list_systems(const Island& island) noexcept;
  void make_parts(const Island& island, IslandProblem& problem) noexcept;
  void respond(const WorldSystem& system) noexcept;
  void shift(const Island& part, IslandProblem& problem) noexcept;
  ContactStatus solve_part(const Island& part, double h, ContactMethod& method,
                           IslandProblem& problem, int& iterations, double& change) noexcept;
  ContactStatus sweep(const Island& island, double h, ContactMethod& method, IslandProblem& problem,
                      int& iterations) noexcept;

  std::vector<int> systems_;  // of the island
  std::vector<int> order_;    // contacts, part after part
  std::vector<std::span<const int>> parts_;
  std::vector<int> bodies_;  // all touching bodies of one system
  std::vector<double> Phi_;  // their response
};

}  // namespace kagami::models
