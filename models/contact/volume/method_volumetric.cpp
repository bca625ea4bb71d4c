// [Zhang 2018], symbols and numbers as there, corrected (docs/math/volumetric_contact.md):
//   v+ = v- + Phi i,  Phi = X M^-1 X'                            (16), (18)
//   v* = k Q^-1 C' nu                                            (27)
//   i  = A eps, eps >= 0                                         (23)
// and, in place of steps 2-4 of section 3.2, the i of least
//   kSurface: E = 1/2 (v+ - v*)' Q (v+ - v*)                     (7)
//   kWork:    1/2 (v+ - v*)' Phi^-1 (v+ - v*) + sum_l s_l eps_l  ours
// s_l, mu times the slip of corner l, keeps friction from lifting [De Saxce 1998]: at the optimum a
// loaded corner has the target normal velocity, and its friction opposes its slip.
#include "models/contact/volume/method_volumetric.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/volume/patch_algebra.hpp"

namespace kagami::models {
namespace {

constexpr double kYield = 1e-7;    // of the largest response
constexpr double kStirred = 0.5;   // of the tolerance: others' changes that call for a visit
constexpr double kMatters = 10.0;  // of the tolerance: more in the last sweep is no answer
constexpr double kShare = 1e-3;    // of a load's own cost: corners that slip divide what they bear

void check(const char* key, double value, double min, double max) {
  if (value >= min && value <= max) return;
  std::ostringstream text;
  text << "contact/volumetric: /" << key << ": " << value << " is outside [" << min << ", " << max
       << "]";
  throw ConfigError(text.str());
}

Mat6 turned(const Mat3& R, const Mat6& M) noexcept {
  Mat6 out;
  for (int i = 0; i < 6; i += 3) {
    for (int j = 0; j < 6; j += 3) {
      out.block<3, 3>(i, j) = R * M.block<3, 3>(i, j) * R.transpose();
    }
  }
  return out;
}

// [R, 0; -R r x, R]: velocity at r along the rows of R, from that of a body's origin in W
Mat6 carried(const Mat3& R, const Vec3& r) noexcept {
  Mat6 X = Mat6::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X(i, j) = X(3 + i, 3 + j) = R(i, j);
    // v + w x r: row t gives t . (w x r) = (r x t) . w
    X(3 + i, 0) = r[1] * R(i, 2) - r[2] * R(i, 1);
    X(3 + i, 1) = r[2] * R(i, 0) - r[0] * R(i, 2);
    X(3 + i, 2) = r[0] * R(i, 1) - r[1] * R(i, 0);
  }
  return X;
}

// A X'
Mat6 times_transposed(const Mat6& A, const Mat6& X) noexcept {
  Mat6 out = Mat6::Zero();
  for (int j = 0; j < 6; ++j) {
    Vec6 row;
    for (int k = 0; k < 6; ++k) row[k] = X(j, k);
    Vec6 column = Vec6::Zero();
    add_product(A, row, 1.0, column);
    for (int k = 0; k < 6; ++k) out(k, j) = column[k];
  }
  return out;
}

// out += factor X Y
void add_matrix(const Mat6& X, const Mat6& Y, double factor, Mat6& out) noexcept {
  for (int j = 0; j < 6; ++j) {
    Vec6 from;
    Vec6 column;
    for (int k = 0; k < 6; ++k) from[k] = Y(k, j);
    for (int k = 0; k < 6; ++k) column[k] = out(k, j);
    add_product(X, from, factor, column);
    for (int k = 0; k < 6; ++k) out(k, j) = column[k];
  }
}

Mat6 block_of(const PatchSystem& system, int row, int column) noexcept {
  const int stride = 6 * static_cast<int>(system.bodies.size());
  Mat6 out;
  const double* from = system.Phi + 6 * row * stride + 6 * column;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) out(i, j) = from[i * stride + j];
  }
  return out;
}

// Where a mechanism cannot move (a planar chain sideways) nothing decides between impulses: a small
// body of compliance there has the smallest target.
Mat6 yielding(const Mat6& Phi) noexcept {
  Mat6 out = Phi;
  out.diagonal().head<3>().array() += kYield * Phi.diagonal().head<3>().maxCoeff();
  out.diagonal().tail<3>().array() += kYield * Phi.diagonal().tail<3>().maxCoeff();
  return out;
}

// of the fastest corner, at most
double speed_of(const Vec6& V, double reach) noexcept {
  return std::sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5]) +
         reach * std::sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]);
}

bool is_finite(const PatchProblem& problem) noexcept {
  for (const PatchBody& b : problem.bodies) {
    if (!b.V_free.c.allFinite() || !b.V_before.c.allFinite()) return false;
  }
  for (const ContactPatch& c : problem.patches) {
    if (!c.patch.centroid.allFinite() || !c.patch.n.allFinite()) return false;
  }
  return std::isfinite(problem.step) && problem.step > 0.0;
}

}  // namespace

void check_settings(const VolumetricSettings& s) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  check("compensation", s.compensation, 0.0, 1e6);
  check("compensation_speed", s.compensation_speed, 0.0, 1e3);
  check("rest_depth", s.rest_depth, 0.0, 1.0);
  check("skin", s.skin, 0.0, 1.0);
  check("pyramid_edges", s.pyramid_edges, 3, kMaxPyramidEdges);
  check("restitution_speed", s.restitution_speed, 0.0, 1e3);
  check("slip_speed", s.slip_speed, 0.0, 1.0);
  check("accuracy", s.accuracy, kTiny, 1e6);
  check("relative_accuracy", s.relative_accuracy, 0.0, 1.0);
  check("max_sweeps", s.max_sweeps, 1, 100000);
}

VolumetricMethod::VolumetricMethod(const VolumetricSettings& settings, int bodies, int patches)
    : settings_(settings), edges_(settings.pyramid_edges) {
  check_settings(settings);
  check("capacity/bodies", bodies, 1, 1000000);
  check("capacity/patches", patches, 1, 1000000);
  work_.resize(idx(patches));
  order_.resize(idx(patches));
  V_.resize(idx(bodies));
  V_free_.resize(idx(bodies));
  V_before_.resize(idx(bodies));
  parent_.resize(idx(bodies));
}

void VolumetricMethod::respond(const PatchProblem& problem, const ContactPatch& c,
                               Work& w) const noexcept {
  const PatchBody& a = problem.bodies[idx(c.a)];
  const PatchSystem& A = problem.systems[idx(a.system)];
  w.X_a = carried(w.R, w.r_a);
  w.Y_a = times_transposed(block_of(A, a.place, a.place), w.X_a);
  w.Phi.setZero();
  add_matrix(w.X_a, w.Y_a, 1.0, w.Phi);
  if (c.b == kStaticBody) return;
  const PatchBody& b = problem.bodies[idx(c.b)];
  const PatchSystem& B = problem.systems[idx(b.system)];
  w.X_b = carried(w.R, w.r_b);
  w.Y_b = times_transposed(block_of(B, b.place, b.place), w.X_b);
  add_matrix(w.X_b, w.Y_b, 1.0, w.Phi);
  if (&A != &B) return;
  Mat6 cross = Mat6::Zero();
  add_matrix(w.X_a, times_transposed(block_of(A, a.place, b.place), w.X_b), 1.0, cross);
  w.Phi -= cross + cross.transpose();
}

Vec6 VolumetricMethod::velocity(const ContactPatch& c, const Work& w,
                                std::span<const Vec6> V) const noexcept {
  Vec6 local = times(w.X_a, V[idx(c.a)]);
  if (c.b != kStaticBody) add_product(w.X_b, V[idx(c.b)], -1.0, local);
  return local;
}

void VolumetricMethod::push_body(const PatchProblem& problem, int body, const Mat6& X,
                                 const Mat6& Y, const Vec6& local, double sign) noexcept {
  const PatchSystem& system = problem.systems[idx(problem.bodies[idx(body)].system)];
  if (system.bodies.size() == 1) {
    add_product(Y, local, sign, V_[idx(body)]);
    return;
  }
  Vec6 P;
  for (int k = 0; k < 6; ++k) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += X(i, k) * local[i];
    P[k] = sign * sum;
  }
  const int stride = 6 * static_cast<int>(system.bodies.size());
  const double* row = system.Phi + 6 * problem.bodies[idx(body)].place;
  for (const int j : system.bodies) {
    Vec6& V = V_[idx(j)];
    for (int i = 0; i < 6; ++i) {
      V[i] += row[0] * P[0] + row[1] * P[1] + row[2] * P[2] + row[3] * P[3] + row[4] * P[4] +
              row[5] * P[5];
      row += stride;
    }
  }
}

void VolumetricMethod::push(const PatchProblem& problem, const ContactPatch& c, const Work& w,
                            const Vec6& local) noexcept {
  push_body(problem, c.a, w.X_a, w.Y_a, local, 1.0);
  if (c.b != kStaticBody) push_body(problem, c.b, w.X_b, w.Y_b, local, -1.0);
}

// target velocity: (27) less what the rest depth leaves, what bounces back
void VolumetricMethod::ask(const PatchProblem& problem, int i) noexcept {
  const ContactPatch& c = problem.patches[idx(i)];
  Work& w = work_[idx(i)];
  w.share = 1.0;
  w.taken_back = 0.0;
  if (c.ahead == c.patch.outline_count) {  // nothing touches yet
    w.target.setZero();
    return;
  }
  const double k = std::min(settings_.compensation, 0.5 / problem.step);
  w.target.head<3>() = k * (w.R * c.drive.head<3>());
  w.target.tail<3>() = k * (w.R * c.drive.tail<3>());
  if (c.kept) {  // of a flat overlap (27) takes half of the depth and of the tilt
    w.target.head<2>() -= 0.5 * k * (w.R.topRows<2>() * c.moved.head<3>());
    w.target[5] -= 0.5 * k * c.patch.n.dot(c.moved.tail<3>());
  }
  w.target[5] -= 0.5 * k * (settings_.rest_depth + settings_.skin);
  w.target[2] -= k * c.patch.n.dot(c.crept.head<3>());
  w.target.segment<2>(3) -= k * (w.R.topRows<2>() * c.crept.tail<3>());
  const double speed = w.target.tail<3>().norm() + w.cone.reach() * w.target.head<3>().norm();
  if (speed > settings_.compensation_speed) w.target *= settings_.compensation_speed / speed;
  w.taken_back = std::min(speed, settings_.compensation_speed);
  const double approach = -velocity(c, w, V_before_)[5];
  if (c.before == ContactMotion::kNew && approach > settings_.restitution_speed) {
    const double rebound = c.surface.restitution * approach;
    if (rebound > w.target[5]) w.taken_back = 0.0;
    w.target[5] = std::max(w.target[5], rebound);
  }
}

void VolumetricMethod::begin_patch(const PatchProblem& problem, int i) noexcept {
  const ContactPatch& c = problem.patches[idx(i)];
  Work& w = work_[idx(i)];
  w.R.row(0) = c.patch.t1.transpose();
  w.R.row(1) = c.patch.t2.transpose();
  w.R.row(2) = c.patch.n.transpose();
  w.r_a = c.patch.centroid - problem.bodies[idx(c.a)].origin;
  if (c.b != kStaticBody) w.r_b = c.patch.centroid - problem.bodies[idx(c.b)].origin;
  respond(problem, c, w);
  const Vec6 before = velocity(c, w, V_before_);
  const bool slides =
      c.before == ContactMotion::kSlide ||
      (c.before == ContactMotion::kNew && before.segment<2>(3).norm() > settings_.slip_speed);
  w.cone.begin(c.patch, slides ? c.surface.mu_kinetic : c.surface.mu_static, edges_);
  if (settings_.metric == PatchMetric::kSurface) {
    const Mat6 Q = turned(w.R, patch_metric(c.patch)) / c.patch.area;
    w.to_c = w.Phi * Q;
    w.cone.set_metric(w.to_c * w.Phi);
  } else {
    w.cone.set_metric(yielding(w.Phi));
  }
  ask(problem, i);
  w.lead.fill(0.0);
  for (int l = w.cone.corners() - c.ahead; l < w.cone.corners(); ++l) {
    w.lead[idx(l)] = c.gap[idx(l)] / problem.step + w.cone.rise(l, w.target);
  }
  w.free = velocity(c, w, V_free_);
  const double met = std::abs(w.free[5]) + w.cone.reach() * w.free.head<2>().norm();
  w.tolerance = std::max(settings_.accuracy * problem.step, settings_.relative_accuracy * met);
  w.cone.start_from(c.loads_before, c.patch, c.kept);
  w.lambda = w.cone.impulse();
  w.change = std::numeric_limits<double>::infinity();  // not visited yet
  push(problem, c, w, w.lambda);
}

// One local problem: the other patches' impulses stand still. Nothing is done where the last visit
// changed little and no body has changed much since.
void VolumetricMethod::visit(const PatchProblem& problem, int i) noexcept {
  const ContactPatch& c = problem.patches[idx(i)];
  Work& w = work_[idx(i)];
  Vec6 now = velocity(c, w, V_);
  for (int k = 0; k < 6; ++k) now[k] -= w.target[k];
  if (w.change <= w.tolerance && speed_of(now - w.left, w.cone.reach()) <= kStirred * w.tolerance) {
    w.change = 0.0;
    return;
  }
  Vec6 error = now;
  add_product(w.Phi, w.lambda, -1.0, error);
  if (settings_.metric == PatchMetric::kWork) {
    double most = 0.0;
    for (int l = 0; l < w.cone.corners(); ++l) {
      const double slip = w.cone.slip(l, now);
      w.cone.s[idx(l)] = w.cone.mu() * slip + w.lead[idx(l)];
      most = std::max(most, slip);
    }
    w.cone.set_share(most > settings_.slip_speed ? kShare : 0.0);
    w.exact = w.cone.solve(error);
  } else {
    w.exact = w.cone.solve(times(w.to_c, error));
  }
  const Vec6 step = w.cone.impulse() - w.lambda;
  w.lambda = w.cone.impulse();
  push(problem, c, w, step);
  const Vec6 change = times(w.Phi, step);
  w.left = now + change;
  w.change = speed_of(change, w.cone.reach());
}

int VolumetricMethod::root_of(int system) noexcept {
  while (parent_[idx(system)] != system) {
    parent_[idx(system)] = parent_[idx(parent_[idx(system)])];
    system = parent_[idx(system)];
  }
  return system;
}

void VolumetricMethod::find_islands(const PatchProblem& problem) noexcept {
  for (int s = 0; s < static_cast<int>(problem.systems.size()); ++s) parent_[idx(s)] = s;
  for (const ContactPatch& c : problem.patches) {
    if (c.b == kStaticBody) continue;
    const int a = root_of(problem.bodies[idx(c.a)].system);
    const int b = root_of(problem.bodies[idx(c.b)].system);
    parent_[idx(std::max(a, b))] = std::min(a, b);
  }
  const int count = static_cast<int>(problem.patches.size());
  for (int i = 0; i < count; ++i) {
    work_[idx(i)].island = root_of(problem.bodies[idx(problem.patches[idx(i)].a)].system);
    order_[idx(i)] = i;
  }
  std::sort(order_.begin(), order_.begin() + count, [&](int i, int j) {
    const int a = work_[idx(i)].island;
    const int b = work_[idx(j)].island;
    if (a != b) return a < b;
    // from the ground up: loads then come down a stack in one sweep
    const double y = problem.patches[idx(i)].patch.centroid.z();
    const double z = problem.patches[idx(j)].patch.centroid.z();
    return y < z || (y == z && i < j);
  });
}

// there and back in turns; false when the last sweep still changed what matters
bool VolumetricMethod::sweep_island(const PatchProblem& problem, std::span<const int> island,
                                    SolveReport& report) noexcept {
  for (int sweep = 0; sweep < settings_.max_sweeps; ++sweep) {
    double largest = 0.0;
    double worst = 0.0;  // of the tolerance
    bool exact = true;
    for (std::size_t k = 0; k < island.size(); ++k) {
      const int i = sweep % 2 == 0 ? island[k] : island[island.size() - 1 - k];
      visit(problem, i);
      largest = std::max(largest, work_[idx(i)].change);
      worst = std::max(worst, work_[idx(i)].change / work_[idx(i)].tolerance);
      exact &= work_[idx(i)].exact;
    }
    report.iterations = std::max(report.iterations, sweep + 1);
    const bool settled = exact && worst <= 1.0;
    if (settled || sweep + 1 == settings_.max_sweeps) {
      report.residual = std::max(report.residual, largest);
      return exact && worst <= kMatters;
    }
  }
  return false;
}

ContactStatus VolumetricMethod::solve(const PatchProblem& problem, std::span<PatchForce> forces,
                                      SolveReport& report) noexcept {
  report = {};
  if (problem.bodies.size() > V_.size() || problem.systems.size() > V_.size() ||
      problem.patches.size() > work_.size() || forces.size() < problem.patches.size()) {
    return ContactStatus::kCapacity;
  }
  if (!is_finite(problem)) return ContactStatus::kNotFinite;
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    V_[k] = problem.bodies[k].V_free.c;
    V_free_[k] = V_[k];
    V_before_[k] = problem.bodies[k].V_before.c;
  }
  find_islands(problem);
  const std::size_t count = problem.patches.size();
  for (std::size_t i = 0; i < count; ++i) begin_patch(problem, static_cast<int>(i));
  bool converged = true;
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    const int island = work_[idx(order_[first])].island;
    while (last < count && work_[idx(order_[last])].island == island) ++last;
    const std::span<const int> patches(order_.data() + first, last - first);
    converged &= sweep_island(problem, patches, report);
    limit_work(problem, patches);
    first = last;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!work_[i].lambda.allFinite()) return ContactStatus::kNotFinite;
  }
  answer(problem, forces);
  return converged ? ContactStatus::kOk : ContactStatus::kNotConverged;
}

}  // namespace kagami::models
