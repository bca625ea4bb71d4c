/// Solves an island by a method of points.
#pragma once

#include <memory>
#include <vector>

#include "models/contact/world/island_problem.hpp"

namespace kagami::models {

/// An island of more bodies than one problem may have is split: its contacts are solved in parts
/// that fit, one after the other, each with the impulses of all others given (block Gauss-Seidel,
/// there and back), from those of the step before, until none changes. Memory is taken at
/// construction; all else is cycle code.
class IslandSolver {
 public:
  IslandSolver(std::unique_ptr<ContactMethod> method, const ContactSettings& settings,
               std::span<const WorldSystem> systems, const ContactCapacity& capacity);

  /// Sets the forces of the island's contacts and the impulses of its systems. Without an answer
  /// both are zero and its systems are kSolver.
  IslandReport solve(const Island& island, double h) noexcept;
  [[nodiscard]] const char* method() const noexcept { return method_->name(); }

 private:
  // what all impulses P of an island, shrunk to a share x, do (J): x linear + x^2 quadratic
  struct Work {
    double linear = 0.0;     // P' V_free
    double quadratic = 0.0;  // 1/2 P' Phi P
  };

  void solve_split(const Island& island, double h, IslandReport& report) noexcept;
  void make_parts(const Island& island) noexcept;
  void solve_part(const Island& part, double h, IslandReport& report) noexcept;
  void respond(const WorldSystem& system) noexcept;
  Work work_of(const Island& island, bool split) noexcept;
  [[nodiscard]] double admissible_share(const Work& work, const Island& island,
                                        double h) const noexcept;
  void shrink(const Island& island, double share, bool split) noexcept;
  void list_systems(const Island& island) noexcept;
  void clear_impulses(const Island& island) const noexcept;

  std::unique_ptr<ContactMethod> method_;
  double compensation_;        // 1/s
  double compensation_speed_;  // m/s
  IslandProblem problem_;
  std::vector<Force> impulses_;  // scratch, per body of the problem

  // of an island that is split, or has no answer
  std::vector<int> systems_;
  std::vector<int> order_;  // contacts, part after part
  std::vector<std::span<const int>> parts_;
  std::vector<int> bodies_;  // all touching bodies of one system
  std::vector<double> Phi_;  // their response
};

}  // namespace kagami::models
