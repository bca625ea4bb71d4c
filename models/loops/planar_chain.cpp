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
#include "models/loops/planar_chain.hpp"

#include <cmath>

#include "models/base/trig.hpp"

namespace kagami::models {
namespace {

// singular values below 3e-3 of the largest: next to a crossing of branches, LoopSource's business
constexpr double kRankSquared = 1e-5;

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

inline std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// sizes known to the compiler (N links, R rows) or, with 0, from the model
template <int N, int R>
struct Chain {
  static int links(const PlanarModel& m) noexcept { return N > 0 ? N : m.links; }
  static int rows(const PlanarModel& m) noexcept { return N > 0 ? R : m.rows; }

  static void place(const PlanarModel& m, const PlanarVector& q, Placed& p) noexcept {
    for (int i = 0; i < links(m); ++i) {
      const PlanarModel::Link& l = m.link[at(i)];
      const bool root = l.parent == kWorld;
      p.angle[at(i)] = (root ? 0.0 : p.angle[at(l.parent)]) + l.sign * q[at(i)];
      p.turn[at(i)] = {trig::cos(p.angle[at(i)]), trig::sin(p.angle[at(i)])};
      p.o[at(i)] = root ? l.joint : p.o[at(l.parent)] + p.turn[at(l.parent)] * l.joint;
    }
  }

  static void gaps(const PlanarModel& m, const Placed& p, PlanarWork& w) noexcept {
    for (int r = 0; r < rows(m); r += 2) {
      const PlanarModel::Pin& pin = m.pin[at(r / 2)];
      const PlanarPoint a = p.o[at(pin.a)] + p.turn[at(pin.a)] * pin.on_a;
      const PlanarPoint b =
          pin.b == kWorld ? pin.on_b : p.o[at(pin.b)] + p.turn[at(pin.b)] * pin.on_b;
      w.e[at(r)] = a.x - b.x;
      w.e[at(r + 1)] = a.y - b.y;
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
      const PlanarModel::Link& l = m.link[at(i)];
      const bool root = l.parent == kWorld;
      rate[at(i)] = (root ? 0.0 : rate[at(l.parent)]) + l.sign * v[at(i)];
      ww[at(i)] = rate[at(i)] * rate[at(i)];
      oo[at(i)] = root ? PlanarPoint{}
                       : oo[at(l.parent)] -
                             ww[at(l.parent)] * (p.o[at(i)] - p.o[at(l.parent)]);  // (planar-6)
      const PlanarPoint d = p.turn[at(i)] * l.com;
      const PlanarPoint c = p.o[at(i)] + d;
      const PlanarPoint cc = oo[at(i)] - ww[at(i)] * d;  // (planar-6)
      M[at(i)] = l.mass;                                 // (planar-1)
      S[at(i)] = l.mass * c;
      K[at(i)] = l.inertia + l.mass * dot(c, c);
      f[at(i)] = l.mass * (cc - m.gravity);  // (planar-2)
      T[at(i)] = cross(c, f[at(i)]);
    }
    for (int i = links(m) - 1; i >= 0; --i) {
      const PlanarModel::Link& l = m.link[at(i)];
      const PlanarPoint& o = p.o[at(i)];
      w.free[at(i)] = tau[at(i)] - l.sign * (T[at(i)] - cross(o, f[at(i)]));  // (planar-4)
      const double own = K[at(i)] - dot(S[at(i)], o);
      const PlanarPoint arm = M[at(i)] * o - S[at(i)];
      for (int j = 0; j < i; ++j) w.L[at(i)][at(j)] = 0.0;
      for (int j = i; j != kWorld; j = m.link[at(j)].parent) {
        w.L[at(i)][at(j)] =
            l.sign * m.link[at(j)].sign * (own + dot(arm, p.o[at(j)]));  // (planar-3)
      }
      w.L[at(i)][at(i)] += l.rotor;
      if (l.parent == kWorld) continue;
      const auto P = at(l.parent);
      M[P] += M[at(i)];
      K[P] += K[at(i)];
      T[P] += T[at(i)];
      S[P] = S[P] + S[at(i)];
      f[P] = f[P] + f[at(i)];
    }
  }

  static void add_branch(const PlanarModel& m, const Placed& p, int i, const PlanarPoint& tip,
                         double side, int row, PlanarWork& w) noexcept {
    for (; i != kWorld; i = m.link[at(i)].parent) {
      const PlanarPoint arm = (side * m.link[at(i)].sign) * (tip - p.o[at(i)]);
      w.J[at(row)][at(i)] -= arm.y;  // (planar-5)
      w.J[at(row + 1)][at(i)] += arm.x;
    }
  }

  static void loops(const PlanarModel& m, const Placed& p,
                    const std::array<PlanarPoint, kMaxPlanarLinks>& oo,
                    const std::array<double, kMaxPlanarLinks>& ww, PlanarWork& w) noexcept {
    for (int r = 0; r < rows(m); r += 2) {
      const PlanarModel::Pin& pin = m.pin[at(r / 2)];
      for (int i = 0; i < links(m); ++i) w.J[at(r)][at(i)] = w.J[at(r + 1)][at(i)] = 0.0;
      const PlanarPoint d = p.turn[at(pin.a)] * pin.on_a;
      PlanarPoint e = p.o[at(pin.a)] + d;
      PlanarPoint k = oo[at(pin.a)] - ww[at(pin.a)] * d;
      add_branch(m, p, pin.a, e, 1.0, r, w);
      if (pin.b == kWorld) {
        e = e - pin.on_b;
      } else {
        const PlanarPoint db = p.turn[at(pin.b)] * pin.on_b;
        const PlanarPoint b = p.o[at(pin.b)] + db;
        add_branch(m, p, pin.b, b, -1.0, r, w);
        e = e - b;
        k = k - (oo[at(pin.b)] - ww[at(pin.b)] * db);
      }
      w.e[at(r)] = e.x;
      w.e[at(r + 1)] = e.y;
      w.k[at(r)] = k.x;
      w.k[at(r + 1)] = k.y;
    }
  }

  // in place: L unit lower, d = 1 / pivots; false when a pivot is below `least`
  template <class Matrix, class Vector>
  static bool factor(int n, Matrix& L, Vector& d, double least) noexcept {
    for (int i = 0; i < n; ++i) {
      double pivot = L[at(i)][at(i)];
      for (int j = 0; j < i; ++j) {
        double x = L[at(i)][at(j)];
        for (int k = 0; k < j; ++k) x -= L[at(i)][at(k)] * L[at(j)][at(k)];
        L[at(i)][at(j)] = x;  // L D until the row is done
        const double l = x * d[at(j)];
        pivot -= l * x;
        L[at(j)][at(i)] = l;  // the upper triangle keeps L'
      }
      for (int j = 0; j < i; ++j) L[at(i)][at(j)] = L[at(j)][at(i)];
      if (!(pivot > least)) return false;
      d[at(i)] = 1.0 / pivot;
    }
    return true;
  }

  template <class Matrix, class Vector, class X>
  static void solve(int n, const Matrix& L, const Vector& d, X& x) noexcept {
    for (int i = 1; i < n; ++i) {
      for (int j = 0; j < i; ++j) x[at(i)] -= L[at(i)][at(j)] * x[at(j)];
    }
    for (int i = n - 1; i >= 0; --i) {
      x[at(i)] *= d[at(i)];
      for (int j = i + 1; j < n; ++j) x[at(i)] -= L[at(j)][at(i)] * x[at(j)];
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
      w.G[at(r)] = w.J[at(r)];
      solve(n, w.L, w.d, w.G[at(r)]);
      for (int s = 0; s <= r; ++s) {
        double x = 0.0;
        for (int i = 0; i < n; ++i) x += w.G[at(r)][at(i)] * w.J[at(s)][at(i)];
        w.A[at(r)][at(s)] = x;
      }
      trace += w.A[at(r)][at(r)];
    }
    return factor(rows_now, w.A, w.a, kRankSquared * trace);
  }

  static void step(const PlanarModel& m, const PlanarWork& w, std::array<double, kMaxPlanarRows> r,
                   PlanarVector& x) noexcept {
    solve(rows(m), w.A, w.a, r);
    for (int k = 0; k < rows(m); ++k) {
      for (int i = 0; i < links(m); ++i) x[at(i)] += w.G[at(k)][at(i)] * r[at(k)];
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
