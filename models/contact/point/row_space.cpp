#include "models/contact/point/row_space.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/contact/response/pairs.hpp"

namespace kagami::models {
namespace {

constexpr int kFewBodies = 2;  // up to here the space of the bodies is worked in registers

int even(int i) noexcept {
  return i + i % 2;
}

// velocity of a point along an axis from velocities of all bodies
double along(const PointArms& p, int axis, const double* V) noexcept {
  double x = 0.0;
  if (p.a.body >= 0) x += dot6(p.a.g[axis], V + 6 * p.a.body);
  if (p.b.body >= 0) x += dot6(p.b.g[axis], V + 6 * p.b.body);
  return x;
}

}  // namespace

RowSpace::RowSpace(const ContactCapacity& capacity)
    : slot_(idx(capacity.points), -1),
      Y_(18 * idx(capacity.bodies)),
      A_(idx(kMostRows) * idx(kMostRows)),
      g_(idx(kMostRows)),
      K_(idx(kMostRows) * idx(kMostRows)),
      z_(idx(kMostRows)) {
  placed_.reserve(idx(kMostPoints));
  row_.reserve(idx(kMostRows));
  target_.reserve(idx(kMostRows));
}

void RowSpace::load(const double* Phi, int n, std::span<const PointArms> points) noexcept {
  Phi_ = Phi;
  n_ = n;
  points_ = points;
  for (const int point : placed_) slot_[idx(point)] = -1;
  placed_.clear();
}

// gives a point its place: its rows and columns of A against all that have one
void RowSpace::add(int point) noexcept {
  const int place = static_cast<int>(placed_.size());
  slot_[idx(point)] = place;
  placed_.push_back(point);
  std::fill_n(Y_.data(), 3 * n_, 0.0);
  for (int k = 0; k < 3; ++k) {
    for (const PointArm* arm : {&points_[idx(point)].a, &points_[idx(point)].b}) {
      if (arm->body < 0) continue;
      for (int e = 0; e < 6; ++e) {
        pairs::add_row(Y_.data() + k * n_, arm->g[k][e], Phi_ + (6 * arm->body + e) * n_, n_);
      }
    }
  }
  for (int other = 0; other <= place; ++other) {
    const PointArms& p = points_[idx(placed_[idx(other)])];
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        const double x = along(p, l, Y_.data() + k * n_);
        A_[idx((3 * place + k) * kMostRows + 3 * other + l)] = x;
        A_[idx((3 * other + l) * kMostRows + 3 * place + k)] = x;
      }
    }
  }
}

void RowSpace::list(std::span<const PointChoice> choices) noexcept {
  row_.clear();
  target_.clear();
  for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
    for (int k = 0; k < choices[idx(i)].rows(); ++k) {
      row_.push_back(3 * slot_[idx(i)] + k);
      target_.push_back(3 * i + k);
    }
  }
}

// K += G lambda^-1 G' of the column that pushes along n, t1, t2 as selected by `direction`
void RowSpace::add_column(int slot, const double* direction, double lambda) noexcept {
  const int rows = static_cast<int>(row_.size());
  const double scale = 1.0 / std::sqrt(lambda);
  const double* A = A_.data() + 3 * slot * kMostRows;
  for (int i = 0; i < rows; ++i) {
    const double* a = A + row_[idx(i)];
    g_[idx(i)] = scale * (direction[0] * a[0] +
                          (direction[1] * a[kMostRows] + direction[2] * a[2 * kMostRows]));
  }
  g_[idx(even(rows)) - 1] = rows % 2 == 0 ? g_[idx(rows) - 1] : 0.0;
  for (int i = 0; i < rows; ++i) {
    const int from = i - i % 2;
    pairs::add_row(K_.data() + i * kMostRows + from, g_[idx(i)], g_.data() + from,
                   even(rows) - from);
  }
}

// K = U' D U with ones on U's diagonal: rows of D U, the inverse of D on the diagonal
void RowSpace::factor() noexcept {
  const int rows = static_cast<int>(row_.size());
  for (int j = 0; j < rows; ++j) {
    double* row = K_.data() + j * kMostRows;
    const double pivot = 1.0 / row[j];
    for (int i = j + 1; i < rows; ++i) {
      const int from = i - i % 2;
      pairs::add_row(K_.data() + i * kMostRows + from, -(row[i] * pivot), row + from,
                     even(rows) - from);
    }
    row[j] = pivot;
  }
}

bool RowSpace::prepare(std::span<const PointChoice> choices) noexcept {
  if (n_ <= 6 * kFewBodies) return false;
  int rows = 0;
  for (const PointChoice& choice : choices) rows += choice.rows();
  if (rows == 0 || rows >= n_) return false;
  for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
    if (choices[idx(i)].mode == PointMode::kNone || slot_[idx(i)] >= 0) continue;
    if (static_cast<int>(placed_.size()) == kMostPoints) return false;
    add(i);
  }
  list(choices);
  for (int i = 0; i < rows; ++i) {
    std::fill_n(K_.data() + i * kMostRows, even(rows), 0.0);
    K_[idx(i * kMostRows + i)] = 1.0;
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const PointChoice& choice = choices[i];
    if (choice.mode == PointMode::kNone) continue;
    if (choice.has_one_column()) {
      const double direction[3] = {1.0, choice.slip[0], choice.slip[1]};
      add_column(slot_[i], direction, choice.lambda);
      continue;
    }
    for (int k = choice.mode == PointMode::kHold ? 0 : 1; k < 3; ++k) {
      double direction[3] = {};
      direction[k] = 1.0;
      add_column(slot_[i], direction, choice.lambda);
    }
  }
  factor();
  return true;
}

void RowSpace::residual(const double* c, double* z) noexcept {
  const int rows = static_cast<int>(row_.size());
  for (int i = 0; i < rows; ++i) z_[idx(i)] = c[target_[idx(i)]];
  for (int i = 0; i < rows; ++i) {
    const double* row = K_.data() + i * kMostRows;
    const double x = z_[idx(i)] * row[i];
    for (int k = i + 1; k < rows; ++k) z_[idx(k)] -= row[k] * x;
  }
  for (int i = rows - 1; i >= 0; --i) {
    const double* row = K_.data() + i * kMostRows;
    double x = z_[idx(i)];
    for (int k = i + 1; k < rows; ++k) x -= row[k] * z_[idx(k)];
    z_[idx(i)] = x * row[i];
  }
  for (int i = 0; i < rows; ++i) z[target_[idx(i)]] = z_[idx(i)];
}

}  // namespace kagami::models
