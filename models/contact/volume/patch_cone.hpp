/// The local problem of one patch: the best impulse that its friction cones can give.
#pragma once

#include <array>

#include "models/contact/method/contact_patch.hpp"

namespace kagami::models {

/// Edges of the friction pyramids at most.
inline constexpr int kMaxPyramidEdges = 64;

/// Directions of the edges of a regular pyramid, for cones of many patches.
struct PyramidEdges {
  /// 3 <= count <= kMaxPyramidEdges. Edge p is at 2 pi p / count from t1 towards t2.
  explicit PyramidEdges(int count);
  int count = 0;
  double per_radian = 0.0;  ///< edges
  int folds = 0;            ///< edges in an eighth of the circle, if they divide it evenly; else 0
  std::array<double, kMaxPyramidEdges> cos = {};
  std::array<double, kMaxPyramidEdges> sin = {};
};

/// Impulses lambda = A eps, eps >= 0, with one generator a_lp = [r_l x phi_p; phi_p],
/// phi_p = n + mu (cos p t1 + sin p t2), per corner l of the outline and edge p of the pyramid
/// ([Zhang 2018] (23)-(26)); coordinates along t1, t2, n, moment about the centroid first. Finds
/// the lambda of least 1/2 lambda' M lambda + c' lambda + sum of s_l eps_lp, by the active-set
/// method of Lawson and Hanson: six generators or fewer carry load. Keeps them as the start of the
/// next call.
class PatchCone {
 public:
  /// Corners of the patch; no generator carries load. mu >= 0; `edges` must outlive the cone.
  void begin(const Patch& patch, double mu, const PyramidEdges& edges) noexcept;
  /// M: symmetric, positive definite. Loads stay.
  void set_metric(const Mat6& M) noexcept;
  /// Adds `share` times its own square to each load's cost, so that corners which could stand in
  /// for each other divide their load; 0 <= share << 1.
  void set_share(double share) noexcept;
  /// Starts from the generators nearest to these; from these where the patch is the same (`kept`).
  void start_from(const PatchLoads& loads, const Patch& patch, bool kept) noexcept;
  /// False when the last set of generators was not the best one yet; the answer is in the cone.
  [[nodiscard]] bool solve(const Vec6& c) noexcept;

  [[nodiscard]] const Vec6& impulse() const noexcept { return lambda_; }
  /// M lambda + c of the last solve.
  [[nodiscard]] const Vec6& gradient() const noexcept { return w_; }
  [[nodiscard]] double mu() const noexcept { return mu_; }
  /// Velocity-like w at a corner: tangential speed along the steepest edge; >= 0.
  [[nodiscard]] double slip(int corner, const Vec6& w) const noexcept;
  /// The same: how fast the corner leaves along n (m/s).
  [[nodiscard]] double rise(int corner, const Vec6& w) const noexcept;
  [[nodiscard]] int corners() const noexcept { return corners_; }
  [[nodiscard]] double reach() const noexcept { return reach_; }  ///< m, farthest corner
  /// Sum of the loads at a corner (N s).
  [[nodiscard]] double load_at(int corner) const noexcept;
  void write_loads(const Patch& patch, PatchLoads& out) const noexcept;

  std::array<double, kMaxOutline> s = {};  ///< m/s, see above

 private:
  struct Load {
    int corner = 0;
    int edge = 0;
    double eps = 0.0;
    Vec6 a = Vec6::Zero();
    Vec6 Ma = Vec6::Zero();  // valid while factored_ is set
  };

  void find_nearest(const ConeLoad& from, const Patch& patch, int& corner,
                    int& edge) const noexcept;
  [[nodiscard]] Vec6 generator(int corner, int edge) const noexcept;
  void add(int corner, int edge, double eps) noexcept;
  void remove(int i) noexcept;
  bool factorise() noexcept;
  void solve_loads(const Vec6& c, double* z) const noexcept;
  bool settle(const Vec6& c) noexcept;
  void update(const Vec6& c) noexcept;
  bool worst(double least, int& corner, int& edge) const noexcept;
  void slide(int corner, const Vec6& w, double& v1, double& v2) const noexcept;
  [[nodiscard]] double fastest(double v1, double v2) const noexcept;
  int steepest(double v1, double v2, double& value) const noexcept;

  const PyramidEdges* edges_ = nullptr;
  double mu_ = 0.0;
  int corners_ = 0;
  double reach_ = 0.0;
  std::array<double, kMaxOutline> x_ = {};  // m along t1
  std::array<double, kMaxOutline> y_ = {};  // m along t2
  Mat6 M_ = Mat6::Identity();
  std::array<Load, kMaxLoads> load_ = {};
  int loads_ = 0;
  std::array<double, kMaxLoads* kMaxLoads> L_ = {};  // Cholesky factor of A' M A over the loads,
                                                     // the reciprocals on its diagonal
  int factored_ = 0;                                 // rows of L_ that hold
  double share_ = 0.0;
  Vec6 lambda_ = Vec6::Zero();
  Vec6 w_ = Vec6::Zero();
};

}  // namespace kagami::models
