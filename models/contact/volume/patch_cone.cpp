// Lawson & Hanson 1974, ch. 23, in its normal equations: P, the set of generators that carry load,
// grows by the one whose gradient is lowest and loses those that would have to pull.
//   A_P' M A_P z = -s_P - A_P' c         over P
//   g_lp = a_lp' (M lambda + c) + s_l    outside P: >= 0 at the optimum
// Generators live in six dimensions: P has six members or fewer unless its loads share, and one
// that depends on the others goes.
#include "models/contact/volume/patch_cone.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/base/trig.hpp"
#include "models/contact/volume/patch_algebra.hpp"

namespace kagami::models {
namespace {

constexpr int kMostRounds = 40;
constexpr double kGradient = 1e-11;   // of c: lower gradients ask for nothing
constexpr double kDependent = 1e-10;  // of the diagonal: what a generator must add to the others

// no direction is faster than this; 8 % above the speed itself or less
double at_most(double v1, double v2) noexcept {
  const double x = std::abs(v1);
  const double y = std::abs(v2);
  return std::max(x, y) + 0.4143 * std::min(x, y);
}

}  // namespace

PyramidEdges::PyramidEdges(int n) : count(std::clamp(n, 3, kMaxPyramidEdges)) {
  per_radian = count / (2.0 * M_PI);
  folds = count % 8 == 0 ? count / 8 : 0;
  for (int p = 0; p < count; ++p) {
    cos[idx(p)] = trig::cos(2.0 * M_PI * p / count);
    sin[idx(p)] = trig::sin(2.0 * M_PI * p / count);
  }
}

void PatchCone::begin(const Patch& patch, double mu, const PyramidEdges& edges) noexcept {
  edges_ = &edges;
  mu_ = mu;
  corners_ = patch.outline_count;
  reach_ = 0.0;
  loads_ = 0;
  factored_ = 0;
  share_ = 0.0;
  lambda_.setZero();
  for (int l = 0; l < corners_; ++l) {
    x_[idx(l)] = patch.t1.dot(patch.outline[idx(l)]);
    y_[idx(l)] = patch.t2.dot(patch.outline[idx(l)]);
    s[idx(l)] = 0.0;
    reach_ = std::max(reach_, std::sqrt(x_[idx(l)] * x_[idx(l)] + y_[idx(l)] * y_[idx(l)]));
  }
}

void PatchCone::set_metric(const Mat6& M) noexcept {
  M_ = M;
  factored_ = 0;
}

void PatchCone::set_share(double share) noexcept {
  if (share == share_) return;
  share_ = share;
  factored_ = 0;
}

void PatchCone::find_nearest(const ConeLoad& from, const Patch& patch, int& corner,
                             int& edge) const noexcept {
  const double x = patch.t1.dot(from.r);
  const double y = patch.t2.dot(from.r);
  corner = 0;
  double nearest = 0.0;
  for (int l = 0; l < corners_; ++l) {
    const double d = (x - x_[idx(l)]) * (x - x_[idx(l)]) + (y - y_[idx(l)]) * (y - y_[idx(l)]);
    if (l == 0 || d < nearest) {
      corner = l;
      nearest = d;
    }
  }
  double along = 0.0;
  edge = steepest(-patch.t1.dot(from.tangent), -patch.t2.dot(from.tangent), along);
}

void PatchCone::start_from(const PatchLoads& loads, const Patch& patch, bool kept) noexcept {
  loads_ = 0;
  for (int i = 0; i < loads.count; ++i) {
    const ConeLoad& from = loads.load[idx(i)];
    int corner = from.corner;
    int edge = from.edge;
    if (!kept) find_nearest(from, patch, corner, edge);
    const auto end = load_.begin() + loads_;
    const auto known = std::find_if(load_.begin(), end, [&](const Load& load) {
      return load.corner == corner && load.edge == edge;
    });
    if (known != end) {
      known->eps += from.size;
    } else {
      add(corner, edge, from.size);
    }
  }
  lambda_.setZero();
  for (int i = 0; i < loads_; ++i) lambda_ += load_[idx(i)].eps * load_[idx(i)].a;
}

Vec6 PatchCone::generator(int l, int p) const noexcept {
  const double f1 = mu_ * edges_->cos[idx(p)];
  const double f2 = mu_ * edges_->sin[idx(p)];
  Vec6 a;
  a << y_[idx(l)], -x_[idx(l)], x_[idx(l)] * f2 - y_[idx(l)] * f1, f1, f2, 1.0;
  return a;
}

void PatchCone::add(int corner, int edge, double eps) noexcept {
  Load& load = load_[idx(loads_++)];
  load.corner = corner;
  load.edge = edge;
  load.eps = eps;
  load.a = generator(corner, edge);
}

void PatchCone::remove(int i) noexcept {
  for (int k = i; k + 1 < loads_; ++k) load_[idx(k)] = load_[idx(k + 1)];
  --loads_;
  factored_ = std::min(factored_, i);
}

// False when the newest generator depends on the others. One that does carries nothing they could
// not: it goes, and the others take its share when they are solved for. Those that share
// (set_share) never do.
bool PatchCone::factorise() noexcept {
  bool newest_stays = true;
  for (int i = factored_; i < loads_;) {
    Load& load = load_[idx(i)];
    load.Ma = times(M_, load.a);
    double* row = L_.data() + i * kMaxLoads;
    const double full = dot(load.a, load.Ma) * (1.0 + share_);
    double rest = full;
    for (int j = 0; j < i; ++j) {
      const double* other = L_.data() + j * kMaxLoads;
      double sum = dot(load_[idx(j)].a, load.Ma);
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum * other[j];
      rest -= row[j] * row[j];
    }
    if (rest > kDependent * full) {
      row[i] = 1.0 / std::sqrt(rest);
      factored_ = ++i;
      continue;
    }
    newest_stays = i + 1 < loads_;
    remove(i);
  }
  return newest_stays;
}

void PatchCone::solve_loads(const Vec6& c, double* z) const noexcept {
  for (int i = 0; i < loads_; ++i) {
    const double* row = L_.data() + i * kMaxLoads;
    double sum = -s[idx(load_[idx(i)].corner)] - dot(load_[idx(i)].a, c);
    for (int k = 0; k < i; ++k) sum -= row[k] * z[k];
    z[i] = sum * row[i];
  }
  for (int i = loads_ - 1; i >= 0; --i) {
    double sum = z[i];
    for (int k = i + 1; k < loads_; ++k) sum -= L_[idx(k * kMaxLoads + i)] * z[k];
    z[i] = sum * L_[idx(i * kMaxLoads + i)];
  }
}

// the best loads over P, losing those that would pull; false when the newest was of no use
bool PatchCone::settle(const Vec6& c) noexcept {
  std::array<double, kMaxLoads> z = {};
  while (loads_ > 0) {
    if (factored_ < loads_ && !factorise()) return false;
    solve_loads(c, z.data());
    double step = 1.0;
    int first = -1;
    for (int i = 0; i < loads_; ++i) {
      if (z[idx(i)] > 0.0) continue;
      const double eps = load_[idx(i)].eps;
      const double share = eps > 0.0 ? eps / (eps - z[idx(i)]) : 0.0;
      if (first >= 0 && share >= step) continue;
      first = i;
      step = share;
    }
    for (int i = 0; i < loads_; ++i) {
      load_[idx(i)].eps += step * (z[idx(i)] - load_[idx(i)].eps);
    }
    if (first < 0) return true;
    const bool newest = first == loads_ - 1 && step == 0.0;
    remove(first);
    if (newest) return false;
  }
  return true;
}

void PatchCone::update(const Vec6& c) noexcept {
  lambda_.setZero();
  w_ = c;
  for (int i = 0; i < loads_; ++i) {
    const Load& load = load_[idx(i)];
    for (int k = 0; k < 6; ++k) lambda_[k] += load.eps * load.a[k];
    for (int k = 0; k < 6; ++k) w_[k] += load.eps * load.Ma[k];
  }
}

// how w moves corner l along t1 and t2
void PatchCone::slide(int l, const Vec6& w, double& v1, double& v2) const noexcept {
  v1 = w[3] - w[2] * y_[idx(l)];
  v2 = w[4] + w[2] * x_[idx(l)];
}

// edge along which v falls fastest, and by how much: the nearer of the two on either side of -v,
// whose angle is taken to 0.005 rad
int PatchCone::steepest(double v1, double v2, double& value) const noexcept {
  const double x = std::abs(v1);
  const double y = std::abs(v2);
  value = 0.0;
  if (!(x + y > 0.0)) return 0;
  const double q = std::min(x, y) / std::max(x, y);
  double angle = q * (0.9724 - 0.1919 * q * q);
  if (y > x) angle = 0.5 * M_PI - angle;
  if (v1 > 0.0) angle = M_PI - angle;
  if (v2 > 0.0) angle = 2.0 * M_PI - angle;
  const int count = edges_->count;
  int edge = std::min(static_cast<int>(angle * edges_->per_radian), count - 1);
  value = edges_->cos[idx(edge)] * v1 + edges_->sin[idx(edge)] * v2;
  const int next = edge + 1 < count ? edge + 1 : 0;
  const double other = edges_->cos[idx(next)] * v1 + edges_->sin[idx(next)] * v2;
  if (other < value) {
    edge = next;
    value = other;
  }
  return edge;
}

// what steepest finds, with the sign turned: within an eighth of the circle where that is enough
double PatchCone::fastest(double v1, double v2) const noexcept {
  if (edges_->folds == 0) {
    double value = 0.0;
    steepest(v1, v2, value);
    return std::max(-value, 0.0);
  }
  const double x = std::max(std::abs(v1), std::abs(v2));
  const double y = std::min(std::abs(v1), std::abs(v2));
  double most = x;  // edge 0
  for (int p = 1; p <= edges_->folds; ++p) {
    most = std::max(most, edges_->cos[idx(p)] * x + edges_->sin[idx(p)] * y);
  }
  return most;
}

double PatchCone::slip(int corner, const Vec6& w) const noexcept {
  double v1 = 0.0;
  double v2 = 0.0;
  slide(corner, w, v1, v2);
  return fastest(v1, v2);
}

double PatchCone::rise(int l, const Vec6& w) const noexcept {
  return w[5] + w[0] * y_[idx(l)] - w[1] * x_[idx(l)];
}

bool PatchCone::worst(double least, int& corner, int& edge) const noexcept {
  bool found = false;
  for (int l = 0; l < corners_; ++l) {
    double v1 = 0.0;
    double v2 = 0.0;
    slide(l, w_, v1, v2);
    const double open = rise(l, w_) + s[idx(l)];
    if (open - mu_ * at_most(v1, v2) >= least) continue;
    const double g = open - mu_ * fastest(v1, v2);
    if (g >= least) continue;
    double along = 0.0;
    const int p = steepest(v1, v2, along);
    bool carries = false;
    for (int i = 0; i < loads_; ++i) {
      carries |= load_[idx(i)].corner == l && load_[idx(i)].edge == p;
    }
    if (carries) continue;
    least = g;
    corner = l;
    edge = p;
    found = true;
  }
  return found;
}

bool PatchCone::solve(const Vec6& c) noexcept {
  const double scale = c.tail<3>().norm() + reach_ * c.head<3>().norm();
  int corner = 0;
  int edge = 0;
  while (!settle(c)) {  // each time it has lost a load
  }
  for (int round = 0; round < kMostRounds; ++round) {
    update(c);
    if (!worst(-kGradient * (1.0 + mu_) * scale, corner, edge)) return true;
    if (loads_ == kMaxLoads) return false;
    add(corner, edge, 0.0);
    if (!settle(c)) {  // rounding selected it: P was the best already
      update(c);
      return true;
    }
  }
  update(c);
  return false;
}

double PatchCone::load_at(int corner) const noexcept {
  double sum = 0.0;
  for (int i = 0; i < loads_; ++i) {
    if (load_[idx(i)].corner == corner) sum += load_[idx(i)].eps;
  }
  return sum;
}

void PatchCone::write_loads(const Patch& patch, PatchLoads& out) const noexcept {
  out.count = loads_;
  for (int i = 0; i < loads_; ++i) {
    const Load& load = load_[idx(i)];
    const double c = edges_->cos[idx(load.edge)];
    const double d = edges_->sin[idx(load.edge)];
    out.load[idx(i)] = {.r = patch.outline[idx(load.corner)],
                        .tangent = c * patch.t1 + d * patch.t2,
                        .size = load.eps,
                        .corner = load.corner,
                        .edge = load.edge};
  }
}

}  // namespace kagami::models
