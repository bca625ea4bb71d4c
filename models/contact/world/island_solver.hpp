/// Solves an island by a method of points.
#pragma once

#include <memory>
#include <vector>

#include "models/contact/world/island_problem.hpp"
#include "models/contact/world/split_island.hpp"

namespace kagami::models {

/// How a solve went.
struct IslandReport {
  ContactStatus status = ContactStatus::kOk;
  bool split = false;  ///< the island has more bodies than one problem may have
  int iterations = 0;
  double work = 0.0;  ///< J: impulses times the mean of the velocities without and with them
};

/// Memory is taken at construction; all else is cycle code.
class IslandSolver {
 public:
  IslandSolver(std::unique_ptr<ContactMethod> method, const ContactSettings& settings,
               std::span<const WorldSystem> systems, const ContactCapacity& capacity);

  /// Sets the forces of the island's contacts and the impulses of its systems. Without an answer
  /// its systems are kSolver and have no impulses.
  IslandReport solve(const Island& island, double h) noexcept;
  [[nodiscard]] const char* method() const noexcept { return method_->name(); }

 private:
  [[nodiscard]] bool list_bodies(const Island& island) noexcept;
  ContactStatus solve_whole(const Island& island, double h, int& iterations) noexcept;
  IslandWork work_of_whole(const Island& island) noexcept;
  [[nodiscard]] double admissible_share(const IslandWork& work, const Island& island,
                                        double h) const noexcept;
  void shrink_impulses(const Island& island, double share) noexcept;

  std::unique_ptr<ContactMethod> method_;
  double compensation_;        // 1/s
  double compensation_speed_;  // m/s
  IslandProblem problem_;
  SplitIsland split_;
  std::vector<Motion> V_free_;   // scratch, per body of the problem
  std::vector<Force> impulses_;  // the same
};

}  // namespace kagami::models
