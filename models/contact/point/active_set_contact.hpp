/// What the two methods of contact points share: the search for the state of every point.
#pragma once

#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/point/point_solver.hpp"

namespace kagami::models {

/// Where the methods differ.
struct ActiveSetRules {
  MethodName name = MethodName::kRelaxed;
  double relaxation = 1e-3;        ///< lambda times mass^2
  int refine = 0;                  ///< passes that take the relaxation out again
  double fallback = 0.0;           ///< > 0: relaxation that finds the phases where the above fails
  bool hold_reference = true;      ///< offsets from the reference points are taken back
  bool kinetic_hysteresis = true;  ///< what slid must satisfy mu_kinetic to stay
  bool smooth_kinetic = true;      ///< factor 1 - exp(-k_w v) on kinetic friction
  bool rows_of_open = false;
};

/// Finds for every point whether it holds, slips or opens, such that no point pulls, none holds
/// with more than its limit, none slips along its friction and none that is open sinks in.
class ActiveSetContact final : public ContactMethod {
 public:
  ActiveSetContact(const ActiveSetRules& rules, const ContactSettings& settings,
                   const ContactCapacity& capacity);
  [[nodiscard]] const char* name() const noexcept override;
  [[nodiscard]] ContactStatus solve(const ContactProblem& problem, std::span<ContactForce> forces,
                                    SolveReport& report) noexcept override;

 private:
  enum class Phase : std::uint8_t { kOpen, kHold, kLimit, kSlip };
  struct PointState {
    Phase phase = Phase::kOpen;
    bool was_sliding = false;  // before or within this step
    int reversals = 0;
    int openings = 0;
    double u[3] = {};          // m/s, target velocity along n, t1, t2
    double limit = 0.0;        // friction coefficient while it holds
    double slip_speed = 0.0;   // m/s before the step
    double direction[2] = {};  // of friction while it slips
  };

  void guess(const ContactProblem& problem) noexcept;
  int iterate(const ContactProblem& problem, int most, SolveReport& report) noexcept;
  int search(const ContactProblem& problem, SolveReport& report) noexcept;
  int search_softly(const ContactProblem& problem, SolveReport& report) noexcept;
  void start(const ContactProblem& problem, int i) noexcept;
  void choose(const ContactProblem& problem) noexcept;
  [[nodiscard]] bool any_closed(int count) const noexcept;
  int review(const ContactProblem& problem, bool one_at_a_time) noexcept;
  static void close(const double* v, PointState& s) noexcept;
  [[nodiscard]] bool review_point(const ContactPoint& p, int i) noexcept;
  [[nodiscard]] bool review_limit(const double* v, PointState& s) const noexcept;
  [[nodiscard]] double kinetic(const ContactPoint& p, const PointState& s) const noexcept;
  void make_admissible(const ContactProblem& problem) noexcept;
  void answer(const ContactProblem& problem, std::span<ContactForce> forces,
              SolveReport& report) noexcept;

  ActiveSetRules rules_;
  ContactSettings settings_;
  ContactCapacity capacity_;
  PointSolver solver_;
  std::vector<PointState> state_, kept_;
  std::vector<PointSolver::Choice> choice_;
  std::vector<double> c_, f_, v_;  // three per point
  double relaxation_ = 0.0;        // of the present solves
  int refine_ = 0;                 // likewise
  double step_ = 0.0;              // s
  double largest_ = 0.0;           // N s, of the present f
};

}  // namespace kagami::models
