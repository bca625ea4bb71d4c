// Reach of the products, in blocks of six; f(K) = first block of row K of N:
//   N: [f(K), K]; Phi: the blocks of K's system
//   A = Phi N: union of N's rows over the system; T = Q' A: union of A's rows over Q's column
//   B = 1 + T' T, upper: from the diagonal to the farthest end of a row of T that covers it, then
//   what elimination fills in
#include "models/contact/point/skyline_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "models/contact/response/pairs.hpp"

namespace kagami::models {
namespace {

// a pivot below this share of its diagonal is rounding
constexpr double kZeroPivot = 1e-13;

double dot(const double* x, const double* y, int count) noexcept {
  pairs::V2 sum = {0.0, 0.0};
  int k = 0;
  for (; k + 1 < count; k += 2) sum += pairs::load(x + k) * pairs::load(y + k);
  const double rest = k < count ? x[k] * y[k] : 0.0;
  return (sum[0] + sum[1]) + rest;
}

}  // namespace

SkylineCholesky::SkylineCholesky(int bodies) {
  for (std::vector<std::uint8_t>* flags : {&link_, &by_body_}) flags->resize(idx(bodies * bodies));
  for (std::vector<int>* list : {&body_, &place_, &degree_, &tall_, &B_}) list->resize(idx(bodies));
  for (std::vector<Reach>* reach : {&N_, &A_, &T_, &system_, &fellows_}) reach->resize(idx(bodies));
  for (std::vector<double>* numbers : {&inverse_, &t_}) numbers->resize(6 * idx(bodies));
}

void SkylineCholesky::load(const ContactProblem& problem) noexcept {
  K_ = static_cast<int>(problem.bodies.size());
  Phi_ = problem.Phi;
  link(problem);
  sort();
  measure();
}

// contacts between bodies and groups of connected bodies
void SkylineCholesky::link(const ContactProblem& problem) noexcept {
  std::fill_n(by_body_.begin(), idx(K_ * K_), std::uint8_t{0});
  for (const ContactPoint& p : problem.points) {
    if (p.a < 0 || p.b < 0) continue;
    by_body_[idx(p.a * K_ + p.b)] |= 1;
    by_body_[idx(p.b * K_ + p.a)] |= 1;
  }
  for (int i = 0; i < K_; ++i) {
    int degree = 0;
    fellows_[idx(i)] = {.first = i, .end = i + 1};
    for (int k = 0; k < K_; ++k) {
      std::uint8_t& flags = by_body_[idx(i * K_ + k)];
      if (problem.bodies[idx(i)].system == problem.bodies[idx(k)].system) {
        flags |= 2;
        fellows_[idx(i)].take({.first = k, .end = k + 1});
      }
      degree += flags != 0 ? 1 : 0;
    }
    degree_[idx(i)] = degree;
    place_[idx(i)] = -1;
  }
}

// breadth first from the loosest body of each part, looser neighbours first; then backwards
void SkylineCholesky::sort() noexcept {
  const auto looser = [this](int i, int k) {
    return degree_[idx(i)] < degree_[idx(k)] || (degree_[idx(i)] == degree_[idx(k)] && i < k);
  };
  int count = 0;
  const auto add = [&](int body) {
    place_[idx(body)] = count;
    body_[idx(count++)] = body;
  };
  for (int next = 0; count < K_; ++next) {
    if (next == count) {
      int seed = -1;
      for (int i = 0; i < K_; ++i) {
        if (place_[idx(i)] < 0 && (seed < 0 || looser(i, seed))) seed = i;
      }
      add(seed);
    }
    const int from = count;
    for (int k = 0; k < K_; ++k) {
      if (place_[idx(k)] < 0 && by_body_[idx(body_[idx(next)] * K_ + k)] != 0) add(k);
    }
    std::sort(body_.begin() + from, body_.begin() + count, looser);
  }
  std::reverse(body_.begin(), body_.begin() + K_);
  for (int k = 0; k < K_; ++k) place_[idx(body_[idx(k)])] = k;
  for (int i = 0; i < K_; ++i) {
    for (int k = 0; k < K_; ++k) {
      link_[idx(i * K_ + k)] = by_body_[idx(body_[idx(i)] * K_ + body_[idx(k)])];
    }
  }
}

void SkylineCholesky::measure() noexcept {
  for (int I = 0; I < K_; ++I) {
    N_[idx(I)] = system_[idx(I)] = {.first = I, .end = I + 1};
    tall_[idx(I)] = I + 1;
    for (int K = 0; K < K_; ++K) {
      if (K < I && touch(I, K)) N_[idx(I)].first = std::min(N_[idx(I)].first, K);
      if (coupled(I, K)) system_[idx(I)].take({.first = K, .end = K + 1});
    }
    for (int K = N_[idx(I)].first; K <= I; ++K) tall_[idx(K)] = I + 1;
  }
  for (int I = 0; I < K_; ++I) {
    A_[idx(I)] = N_[idx(I)];
    for (int K = system_[idx(I)].first; K < system_[idx(I)].end; ++K) {
      if (coupled(I, K)) A_[idx(I)].take(N_[idx(K)]);
    }
  }
  for (int I = 0; I < K_; ++I) {
    T_[idx(I)] = A_[idx(I)];
    for (int K = I; K < tall_[idx(I)]; ++K) {
      if (N_[idx(K)].first <= I) T_[idx(I)].take(A_[idx(K)]);
    }
  }
  for (int I = 0; I < K_; ++I) B_[idx(I)] = I + 1;
  for (int R = 0; R < K_; ++R) {
    for (int I = T_[idx(R)].first; I < T_[idx(R)].end; ++I) {
      B_[idx(I)] = std::max(B_[idx(I)], T_[idx(R)].end);
    }
  }
  for (int J = 0; J < K_; ++J) {
    for (int I = J + 1; I < B_[idx(J)]; ++I) B_[idx(I)] = std::max(B_[idx(I)], B_[idx(J)]);
  }
}

void SkylineCholesky::clear(double* M) const noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    const int first = 6 * N_[idx(i / 6)].first;
    std::fill(M + i * n + first, M + i * n + 6 * (i / 6 + 1), 0.0);
  }
}

void SkylineCholesky::factor(double* M) noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    double* row = M + i * n;
    const int first = 6 * N_[idx(i / 6)].first;
    for (int j = first; j < i; ++j) {
      const int from = std::max(first, 6 * N_[idx(j / 6)].first);
      row[j] = (row[j] - dot(row + from, M + j * n + from, j - from)) * inverse_[idx(j)];
    }
    const double d = row[i] - dot(row + first, row + first, i - first);
    const bool counts = d > kZeroPivot * row[i];
    inverse_[idx(i)] = counts ? 1.0 / std::sqrt(d) : 0.0;
    row[i] = counts ? d * inverse_[idx(i)] : 0.0;
  }
}

void SkylineCholesky::multiply_phi(const double* N, double* A) const noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    const int I = i / 6;
    double* row = A + i * n;
    std::fill(row + 6 * A_[idx(I)].first, row + 6 * A_[idx(I)].end, 0.0);
    for (int K = system_[idx(I)].first; K < system_[idx(I)].end; ++K) {
      if (!coupled(I, K)) continue;
      const double* phi = Phi_ + (6 * body_[idx(I)] + i % 6) * n + 6 * body_[idx(K)];
      const int first = 6 * N_[idx(K)].first;
      for (int e = 0; e < 6; ++e) {
        pairs::add_row(row + first, phi[e], N + (6 * K + e) * n + first, 6 * (K + 1) - first);
      }
    }
  }
}

void SkylineCholesky::multiply_q(const double* Q, double scale, const double* A,
                                 double* T) const noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    const int I = i / 6;
    double* row = T + i * n;
    std::fill(row + 6 * T_[idx(I)].first, row + 6 * T_[idx(I)].end, 0.0);
    for (int k = i; k < 6 * tall_[idx(I)]; ++k) {
      const int K = k / 6;
      if (N_[idx(K)].first > I || Q[k * n + i] == 0.0) continue;
      const int first = 6 * A_[idx(K)].first;
      pairs::add_row(row + first, scale * Q[k * n + i], A + k * n + first,
                     6 * A_[idx(K)].end - first);
    }
  }
}

// upper half, by whole pairs
void SkylineCholesky::square(const double* T, double* B) const noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    std::fill(B + i * n + 6 * (i / 6), B + i * n + 6 * B_[idx(i / 6)], 0.0);
    B[i * n + i] = 1.0;
  }
  for (int k = 0; k < n; ++k) {
    const Reach& reach = T_[idx(k / 6)];
    const double* row = T + k * n;
    for (int i = 6 * reach.first; i < 6 * reach.end; ++i) {
      if (row[i] == 0.0) continue;
      const int from = i - i % 2;
      pairs::add_row(B + i * n + from, row[i], row + from, 6 * reach.end - from);
    }
  }
}

void SkylineCholesky::eliminate(double* B) const noexcept {
  const int n = 6 * K_;
  for (int j = 0; j < n; ++j) {
    double* row = B + j * n;
    const double pivot = 1.0 / row[j];
    const int end = 6 * B_[idx(j / 6)];
    for (int i = j + 1; i < end; ++i) {
      if (row[i] == 0.0) continue;
      const int from = i - i % 2;
      pairs::add_row(B + i * n + from, -(row[i] * pivot), row + from, end - from);
    }
    row[j] = pivot;
  }
}

void SkylineCholesky::prepare(const double* N, const double* Q, double scale, double* A, double* T,
                              double* B) const noexcept {
  multiply_phi(N, A);
  multiply_q(Q, scale, A, T);
  square(T, B);
  eliminate(B);
}

// D U t = t, from the end
void SkylineCholesky::go_back(const double* B, double* t) const noexcept {
  const int n = 6 * K_;
  for (int i = n - 1; i >= 0; --i) {
    const double* row = B + i * n;
    t[i] = (t[i] - dot(row + i + 1, t + i + 1, 6 * B_[idx(i / 6)] - i - 1)) * row[i];
  }
}

void SkylineCholesky::solve(const double* N, const double* B, const double* r, double* s) noexcept {
  const int n = 6 * K_;
  double* t = t_.data();
  for (int i = 0; i < n; ++i) t[i] = r[6 * body_[idx(i / 6)] + i % 6];
  for (int i = 0; i < n; ++i) {
    const double* row = N + i * n;
    const int first = 6 * N_[idx(i / 6)].first;
    t[i] = row[i] > 0.0 ? (t[i] - dot(row + first, t + first, i - first)) / row[i] : 0.0;
  }
  for (int i = 0; i < n; ++i) {
    const double* row = B + i * n;
    const double x = t[i] * row[i];
    for (int k = i + 1; k < 6 * B_[idx(i / 6)]; ++k) t[k] -= row[k] * x;
  }
  go_back(B, t);
  for (int i = 0; i < n; ++i) {
    const int first = 6 * N_[idx(i / 6)].first;
    s[6 * body_[idx(i / 6)] + i % 6] = dot(N + i * n + first, t + first, i + 1 - first);
  }
}

void SkylineCholesky::respond(const double* x, double* y) const noexcept {
  const int n = 6 * K_;
  for (int i = 0; i < n; ++i) {
    const Reach& reach = fellows_[idx(i / 6)];
    y[i] = 0.0;
    for (int k = reach.first; k < reach.end; ++k) {
      if ((by_body_[idx(i / 6 * K_ + k)] & 2) == 0) continue;
      y[i] += dot(Phi_ + i * n + 6 * k, x + 6 * k, 6);
    }
  }
}

}  // namespace kagami::models
