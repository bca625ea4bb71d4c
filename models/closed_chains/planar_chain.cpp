// A tree of rods in a plane; x, y in the plane, turns about its normal. o: joint, c: mass centre,
// w: rate, P: parent. Sums over a link and all that hangs on it, about the origin of the world:
//   M = sum m,  S = sum m c,  K = sum (I + m c.c)                     (planar-1)
//   f = sum m (c'' - g),  N = sum c x m (c'' - g), c'' without qdd    (planar-2)
//   H_kl = s_k s_l (K_k - S_k.(o_k + o_l) + M_k o_k.o_l),  l above k  (planar-3)
//   b_k  = s_k (N_k - o_k x f_k)                                      (planar-4)
//   J_k  = s_k n x (p - o_k)   for the point p of a loop beyond joint k   (planar-5)
//   c''  = o'' - w^2 (c - o),  o'' = o''_P - w_P^2 (o - o_P)              (planar-6)
// The derivation is ours: (2.1) of the thesis with one rotation. Cost for the four-bar: some 500
// operations and three sines and cosines.
#include "models/closed_chains/planar_chain.hpp"

#include <cmath>

#include "models/base/idx.hpp"
#include "models/base/trig.hpp"

namespace kagami::models {
namespace {

// singular values below 3e-3 of the largest: next to a crossing of branches, ClosedChainDynamics's
// business
constexpr double kPlanarRankSquared = 1e-5;

struct Turn {
  double c = 1.0;
  double s = 0.0;
};

inline PlanarPoint operator*(const Turn& t, const PlanarPoint& p) noexcept {
  return {t.c * p.x - t.s * p.y, t.s * p.x + t.c * p.y};
}
inline PlanarPoint operator+(const PlanarPoint& a, const PlanarPoint& b) noexcept {
  return {a.x + b.x, a.y + b.y};
}
inline PlanarPoint operator-(const PlanarPoint& a, const PlanarPoint& b) noexcept {
  return {a.x - b.x, a.y - b.y};
}
inline PlanarPoint operator*(double k, const PlanarPoint& a) noexcept {
  return {k * a.x, k * a.y};
}
inline double dot(const PlanarPoint& a, const PlanarPoint& b) noexcept {
  return a.x * b.x + a.y * b.y;
}
inline double cross(const PlanarPoint& a, const PlanarPoint& b) noexcept {
  return a.x * b.y - a.y * b.x;
}

// where every link is
struct Placed {
  std::array<double, kMaxPlanarLinks> angle;
  std::array<Turn, kMaxPlanarLinks> turn;
  std::array<PlanarPoint, kMaxPlanarLinks> o;
};

// sizes known to the compiler (N links, R rows) or, with 0, from the model
template <int N, int R>
struct Chain {
  static int links(const PlanarModel& m) noexcept { return N > 0 ? N : m.links; }
  static int rows(const PlanarModel& m) noexcept { return N > 0 ? R : m.rows; }

  static void place(const PlanarModel& m, const PlanarVector& q, Placed& p) noexcept {
    for (int i = 0; i < links(m); ++i) {
      const PlanarModel::Link& l = m.link[idx(i)];
      const bool root = l.parent == kWorld;
      p.angle[idx(i)] = (root ? 0.0 : p.angle[idx(l.parent)]) + l.sign * q[idx(i)];
      p.turn[idx(i)] = {trig::cos(p.angle[idx(i)]), trig::sin(p.angle[idx(i)])};
      p.o[idx(i)] = root ? l.joint : p.o[idx(l.parent)] + p.turn[idx(l.parent)] * l.joint;
    }
  }

  static void gaps(const PlanarModel& m, const Placed& p, PlanarWork& w) noexcept {
    for (int r = 0; r < rows(m); r += 2) {
      const PlanarModel::Pin& pin = m.pin[idx(r / 2)];
      const PlanarPoint a = p.o[idx(pin.a)] + p.turn[idx(pin.a)] * pin.on_a;
      const PlanarPoint b =
          pin.b == kWorld ? pin.on_b : p.o[idx(pin.b)] + p.turn[idx(pin.b)] * pin.on_b;
      w.e[idx(r)] = a.x - b.x;
      w.e[idx(r + 1)] = a.y - b.y;
    }
  }

  // H into L (lower triangle), tau - b into free; o'' and w^2 on the way
  static void mass_and_bias(const PlanarModel& m, const Placed& p, const PlanarVector& v,
                            const PlanarVector& tau, std::array<PlanarPoint, kMaxPlanarLinks>& oo,
                            std::array<double, kMaxPlanarLinks>& ww, PlanarWork& w) noexcept {
    std::array<double, kMaxPlanarLinks> rate;
    std::array<double, kMaxPlanarLinks> M;
    std::array<double, kMaxPlanarLinks> K;
    std::array<double, kMaxPlanarLinks> T;
    std::array<PlanarPoint, kMaxPlanarLinks> S;
    std::array<PlanarPoint, kMaxPlanarLinks> f;
    for (int i = 0; i < links(m); ++i) {
      const PlanarModel::Link& l = m.link[idx(i)];
      const bool root = l.parent == kWorld;
      rate[idx(i)] = (root ? 0.0 : rate[idx(l.parent)]) + l.sign * v[idx(i)];
      ww[idx(i)] = rate[idx(i)] * rate[idx(i)];
      oo[idx(i)] = root ? PlanarPoint{}
                        : oo[idx(l.parent)] -
                              ww[idx(l.parent)] * (p.o[idx(i)] - p.o[idx(l.parent)]);  // (planar-6)
      const PlanarPoint d = p.turn[idx(i)] * l.com;
      const PlanarPoint c = p.o[idx(i)] + d;
      const PlanarPoint cc = oo[idx(i)] - ww[idx(i)] * d;  // (planar-6)
      M[idx(i)] = l.mass;                                  // (planar-1)
      S[idx(i)] = l.mass * c;
      K[idx(i)] = l.inertia + l.mass * dot(c, c);
      f[idx(i)] = l.mass * (cc - m.gravity);  // (planar-2)
      T[idx(i)] = cross(c, f[idx(i)]);
    }
    for (int i = links(m) - 1; i >= 0; --i) {
      const PlanarModel::Link& l = m.link[idx(i)];
      const PlanarPoint& o = p.o[idx(i)];
      w.free[idx(i)] = tau[idx(i)] - l.sign * (T[idx(i)] - cross(o, f[idx(i)]));  // (planar-4)
      const double own = K[idx(i)] - dot(S[idx(i)], o);
      const PlanarPoint arm = M[idx(i)] * o - S[idx(i)];
      for (int j = 0; j < i; ++j) w.L[idx(i)][idx(j)] = 0.0;
      for (int j = i; j != kWorld; j = m.link[idx(j)].parent) {
        w.L[idx(i)][idx(j)] =
            l.sign * m.link[idx(j)].sign * (own + dot(arm, p.o[idx(j)]));  // (planar-3)
      }
      w.L[idx(i)][idx(i)] += l.rotor;
      if (l.parent == kWorld) continue;
      const auto P = idx(l.parent);
      M[P] += M[idx(i)];
      K[P] += K[idx(i)];
      T[P] += T[idx(i)];
      S[P] = S[P] + S[idx(i)];
      f[P] = f[P] + f[idx(i)];
    }
  }

  static void add_branch(const PlanarModel& m, const Placed& p, int i, const PlanarPoint& tip,
                         double side, int row, PlanarWork& w) noexcept {
    for (; i != kWorld; i = m.link[idx(i)].parent) {
      const PlanarPoint arm = (side * m.link[idx(i)].sign) * (tip - p.o[idx(i)]);
      w.J[idx(row)][idx(i)] -= arm.y;  // (planar-5)
      w.J[idx(row + 1)][idx(i)] += arm.x;
    }
  }

  static void loops(const PlanarModel& m, const Placed& p,
                    const std::array<PlanarPoint, kMaxPlanarLinks>& oo,
                    const std::array<double, kMaxPlanarLinks>& ww, PlanarWork& w) noexcept {
    for (int r = 0; r < rows(m); r += 2) {
      const PlanarModel::Pin& pin = m.pin[idx(r / 2)];
      for (int i = 0; i < links(m); ++i) w.J[idx(r)][idx(i)] = w.J[idx(r + 1)][idx(i)] = 0.0;
      const PlanarPoint d = p.turn[idx(pin.a)] * pin.on_a;
      PlanarPoint e = p.o[idx(pin.a)] + d;
      PlanarPoint k = oo[idx(pin.a)] - ww[idx(pin.a)] * d;
      add_branch(m, p, pin.a, e, 1.0, r, w);
      if (pin.b == kWorld) {
        e = e - pin.on_b;
      } else {
        const PlanarPoint db = p.turn[idx(pin.b)] * pin.on_b;
        const PlanarPoint b = p.o[idx(pin.b)] + db;
        add_branch(m, p, pin.b, b, -1.0, r, w);
        e = e - b;
        k = k - (oo[idx(pin.b)] - ww[idx(pin.b)] * db);
      }
      w.e[idx(r)] = e.x;
      w.e[idx(r + 1)] = e.y;
      w.k[idx(r)] = k.x;
      w.k[idx(r + 1)] = k.y;
    }
  }

  // in place: L unit lower, d = 1 / pivots; false when a pivot is below `least`
  template <class Matrix, class Vector>
  static bool factor(int n, Matrix& L, Vector& d, double least) noexcept {
    for (int i = 0; i < n; ++i) {
      double pivot = L[idx(i)][idx(i)];
      for (int j = 0; j < i; ++j) {
        double x = L[idx(i)][idx(j)];
        for (int k = 0; k < j; ++k) x -= L[idx(i)][idx(k)] * L[idx(j)][idx(k)];
        L[idx(i)][idx(j)] = x;  // L D until the row is done
        const double l = x * d[idx(j)];
        pivot -= l * x;
        L[idx(j)][idx(i)] = l;  // the upper triangle keeps L'
      }
      for (int j = 0; j < i; ++j) L[idx(i)][idx(j)] = L[idx(j)][idx(i)];
      if (!(pivot > least)) return false;
      d[idx(i)] = 1.0 / pivot;
    }
    return true;
  }

  template <class Matrix, class Vector, class X>
  static void solve(int n, const Matrix& L, const Vector& d, X& x) noexcept {
    for (int i = 1; i < n; ++i) {
      for (int j = 0; j < i; ++j) x[idx(i)] -= L[idx(i)][idx(j)] * x[idx(j)];
    }
    for (int i = n - 1; i >= 0; --i) {
      x[idx(i)] *= d[idx(i)];
      for (int j = i + 1; j < n; ++j) x[idx(i)] -= L[idx(j)][idx(i)] * x[idx(j)];
    }
  }

  static bool run(const PlanarModel& m, const PlanarVector& q, const PlanarVector& v,
                  const PlanarVector& tau, PlanarWork& w) noexcept {
    Placed p;
    std::array<PlanarPoint, kMaxPlanarLinks> oo;
    std::array<double, kMaxPlanarLinks> ww;
    place(m, q, p);
    mass_and_bias(m, p, v, tau, oo, ww, w);
    loops(m, p, oo, ww, w);
    const int n = links(m);
    const int rows_now = rows(m);
    if (!factor(n, w.L, w.d, 0.0)) return false;
    solve(n, w.L, w.d, w.free);
    double trace = 0.0;
    for (int r = 0; r < rows_now; ++r) {
      w.G[idx(r)] = w.J[idx(r)];
      solve(n, w.L, w.d, w.G[idx(r)]);
      for (int s = 0; s <= r; ++s) {
        double x = 0.0;
        for (int i = 0; i < n; ++i) x += w.G[idx(r)][idx(i)] * w.J[idx(s)][idx(i)];
        w.A[idx(r)][idx(s)] = x;
      }
      trace += w.A[idx(r)][idx(r)];
    }
    return factor(rows_now, w.A, w.a, kPlanarRankSquared * trace);
  }

  static void step(const PlanarModel& m, const PlanarWork& w, std::array<double, kMaxPlanarRows> r,
                   PlanarVector& x) noexcept {
    solve(rows(m), w.A, w.a, r);
    for (int k = 0; k < rows(m); ++k) {
      for (int i = 0; i < links(m); ++i) x[idx(i)] += w.G[idx(k)][idx(i)] * r[idx(k)];
    }
  }
};

// the four-bar's sizes are worth their own code
bool is_four_bar(const PlanarModel& m) noexcept {
  return m.links == 3 && m.rows == 2;
}

}  // namespace

bool evaluate(const PlanarModel& m, const PlanarVector& q, const PlanarVector& v,
              const PlanarVector& tau, PlanarWork& w) noexcept {
  return is_four_bar(m) ? Chain<3, 2>::run(m, q, v, tau, w) : Chain<0, 0>::run(m, q, v, tau, w);
}

void evaluate_gaps(const PlanarModel& m, const PlanarVector& q, PlanarWork& w) noexcept {
  Placed p;
  Chain<0, 0>::place(m, q, p);
  Chain<0, 0>::gaps(m, p, w);
}

void move_to(const PlanarModel& m, const PlanarWork& w, const std::array<double, kMaxPlanarRows>& r,
             PlanarVector& x) noexcept {
  is_four_bar(m) ? Chain<3, 2>::step(m, w, r, x) : Chain<0, 0>::step(m, w, r, x);
}

}  // namespace kagami::models
