#include "models/hybrid/derive_context.hpp"

#include <set>

#include "models/hybrid/generated_blocks.hpp"

namespace kagami::models::hybrid {

void DeriveContext::begin(int i) {
  if (!p_.fused || p_.blocks.empty()) p_.blocks.push_back({i, {}});
  current_ = i;
}

namespace {

// six-vectors and rows of 6 x 6 matrices, angular part first
using Vec6e = std::array<Expr, 6>;
using Mat6e = std::array<Vec6e, 6>;

Accel accel(const Vec6e& a) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

Mat6e matrix(const InertiaE& I) {
  Mat6e m;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      m[r][c] = I.A[r][c];
      m[r][c + 3] = I.H[r][c];
      m[c + 3][r] = I.H[r][c];
      m[r + 3][c + 3] = I.M[r][c];
    }
  }
  return m;
}

// L D L' of a symmetric matrix: L unit lower (its upper triangle means nothing), D inverted
struct Factored {
  Mat6e L;
  Vec6e D_inverse;
};
Factored factor(const Mat6e& m) {
  Factored f{m, {}};
  Mat6e& L = f.L;
  for (std::size_t k = 0; k < 6; ++k) {
    f.D_inverse[k] = L[k][k].graph->constant(1.0) / L[k][k];
    for (std::size_t r = k + 1; r < 6; ++r) {
      const Expr l = L[r][k] * f.D_inverse[k];
      for (std::size_t c = r; c < 6; ++c) L[c][r] = L[r][c] = L[r][c] - l * L[k][c];
      L[r][k] = l;
    }
  }
  return f;
}

Vec6e solve(const Factored& f, Vec6e y) {
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t r = k + 1; r < 6; ++r) y[r] = y[r] - f.L[r][k] * y[k];
  }
  for (std::size_t k = 6; k-- > 0;) {
    y[k] = y[k] * f.D_inverse[k];
    for (std::size_t r = k + 1; r < 6; ++r) y[k] = y[k] - f.L[r][k] * y[r];
  }
  return y;
}

// R(w, x, y, z) of a quaternion of any length
Mat3e rotation(const std::array<Expr, 4>& q) {
  Graph& g = *q[0].graph;
  const Vec3e u{q[1], q[2], q[3]};
  const Expr scale = g.constant(2.0) / (q[0] * q[0] + dot(u, u));
  Mat3e R;
  for (std::size_t r = 0; r < 3; ++r) {
    const std::size_t s = (r + 1) % 3;
    const std::size_t t = (r + 2) % 3;
    R[r][r] = g.constant(1.0) - scale * (u[s] * u[s] + u[t] * u[t]);
    R[r][s] = scale * (u[r] * u[s] - q[0] * u[t]);
    R[r][t] = scale * (u[r] * u[t] + q[0] * u[s]);
  }
  return R;
}

}  // namespace

UnitConstants DeriveContext::constants(int i) const {
  UnitConstants k = constants_of(graph(), p_.plan, unit(i));
  const PlanBody& b = p_.plan.bodies[static_cast<std::size_t>(unit(i).body[0])];
  const auto position = [&](int slot) { return graph().input({Source::kPosition, i, slot}); };
  if (p_.task == Task::kDrivenDynamics) k.rotor = graph().input({Source::kInertia, i, 0});
  const auto axis = static_cast<std::size_t>(k.axis);
  for (std::size_t r = 0; k.slides && r < 3; ++r) k.p[r] += k.R_PJ[r][axis] * position(0);
  if (b.move == Move::kSpin && b.third == 0) {
    const Mat3e R = rotation({position(0), position(1), position(2), position(3)});
    const Mat3e R_PJ = k.R_PJ;
    for (std::size_t r = 0; r < 3; ++r) k.R_PJ[r] = transpose_times(R, R_PJ[r]);
  }
  return k;
}

// with v = (x, y, z): (y z, -x z, x y), from vdot = sum of e_k qdd_k and of the axes' own turning
Expr DeriveContext::spin_bias(int i) {
  const PlanBody& b = p_.plan.bodies[static_cast<std::size_t>(unit(i).body[0])];
  if (b.move != Move::kSpin) return graph().constant(0.0);
  std::array<int, 3> units{};
  units[0] = i;
  for (int k = 0; k < b.third; ++k) units[0] = unit(units[0]).parent;
  units[1] = unit(units[0]).children[0];
  units[2] = unit(units[1]).children[0];
  const auto rate = [&](int k) { return joint(Source::kRate, units[static_cast<std::size_t>(k)]); };
  const Expr product = rate(b.third == 0 ? 1 : 0) * rate(b.third == 2 ? 1 : 2);
  return b.third == 1 ? -product : product;
}

PlanarRotation DeriveContext::turn_of(int i) {
  const PlanBody& body = p_.plan.bodies[static_cast<std::size_t>(unit(i).body[0])];
  if (body.move != Move::kTurn) {
    const Expr zero = graph().constant(0.0);
    return {body.axis, zero, graph().constant(1.0), zero, zero};
  }
  const Expr s = joint(Source::kSin, i);
  const Expr c = joint(Source::kCos, i);
  return {p_.plan.bodies[static_cast<std::size_t>(unit(i).body[0])].axis, s, c, s * s, s * c};
}

Vec3e DeriveContext::gravity_in_base() {
  Vec3e g_J;
  for (int r = 0; r < 3; ++r) {
    const double x = (plan().R_base.transpose() * plan().gravity)[r];
    g_J[static_cast<std::size_t>(r)] = graph().constant(x);
  }
  // R(q)' g of the quaternion (w, x, y, z): g - 2 w/n (u x g) + 2/n u x (u x g), n = |q|^2
  const Expr w = base(3);
  const Vec3e u{base(4), base(5), base(6)};
  const Expr scale = graph().constant(2.0) / (w * w + dot(u, u));
  const Vec3e ug = cross(u, g_J);
  const Vec3e uug = cross(u, ug);
  Vec3e g;
  for (std::size_t r = 0; r < 3; ++r) g[r] = g_J[r] + scale * (uug[r] - w * ug[r]);
  return g;
}

// IA + J and pA + J (0, R' g - w x v)
void DeriveContext::add_base_diagonal(const Vec3e& w, InertiaE& IA, Wrench& pA) {
  const Vec3e wv = cross(w, Vec3e{base(10), base(11), base(12)});
  const Vec3e g = gravity_in_base();
  for (std::size_t r = 0; r < 3; ++r) {
    const int entry = static_cast<int>(r);
    const Expr J = base(22 + entry);
    IA.A[r][r] += base(19 + entry);
    IA.M[r][r] += J;
    pA.f[r] += J * (g[r] - wv[r]);
  }
}

Accel DeriveContext::solve_base(InertiaE IA, Wrench pA, const Vec3e& w) {
  if (p_.task == Task::kDrivenDynamics) add_base_diagonal(w, IA, pA);
  // linear first: its block is the easy one
  InertiaE swapped{IA.M, IA.H, IA.A};
  Vec6e b;
  for (std::size_t r = 0; r < 3; ++r) {
    const int entry = static_cast<int>(r);
    b[r] = base(16 + entry) - pA.f[r];
    b[r + 3] = base(13 + entry) - pA.n[r];
    for (std::size_t c = 0; c < 3; ++c) swapped.H[r][c] = IA.H[c][r];
  }
  const Accel y = accel(solve(factor(matrix(swapped)), b));
  const Accel a{y.lin, y.ang};
  const Vec3e wv = cross(w, Vec3e{base(10), base(11), base(12)});
  const Vec3e g = gravity_in_base();
  for (std::size_t r = 0; r < 3; ++r) {
    const int entry = static_cast<int>(r);
    output(Sink::kBase, entry, a.ang[r]);
    output(Sink::kBase, entry + 3, a.lin[r] + g[r] - wv[r]);
  }
  return a;
}

Expr DeriveContext::keep(Expr value) {
  if (p_.fused || value.is_constant()) return value;
  if (graph().node(value.id).op == Op::kInput) return value;
  return keep_always(value);
}
Vec3e DeriveContext::keep(const Vec3e& v) {
  return {keep(v[0]), keep(v[1]), keep(v[2])};
}
Wrench DeriveContext::keep(const Wrench& F) {
  return {keep(F.n), keep(F.f)};
}

Expr DeriveContext::keep_for_parent(Expr value) {
  const LimbUnit& me = unit(current_);
  const bool sums = me.lanes == 2 && unit(me.parent).lanes == 1;
  if (!sums) return keep_always(value);
  if (value.is_constant()) {
    const Lanes& x = graph().node(value.id).value;
    return graph().constant(x[0] + x[1]);
  }
  const int slot = next_slot();
  output(Sink::kStoreSum, slot, value);
  return graph().input({Source::kStore, current_, slot});
}

Expr DeriveContext::keep_always(Expr value) {
  if (p_.fused || value.is_constant()) return value;
  const int slot = next_slot();
  output(Sink::kStore, slot, value);
  return graph().input({Source::kStore, current_, slot});
}

InertiaE DeriveContext::keep_for_parent(const InertiaE& I) {
  InertiaE out;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      out.H[r][c] = keep_for_parent(I.H[r][c]);
      if (c < r) continue;
      out.A[r][c] = out.A[c][r] = keep_for_parent(I.A[r][c]);
      out.M[r][c] = out.M[c][r] = keep_for_parent(I.M[r][c]);
    }
  }
  return out;
}
Wrench DeriveContext::keep_for_parent(const Wrench& F) {
  Wrench out;
  for (std::size_t r = 0; r < 3; ++r) {
    out.n[r] = keep_for_parent(F.n[r]);
    out.f[r] = keep_for_parent(F.f[r]);
  }
  return out;
}

Accel DeriveContext::parent_acceleration(const Accel* a_P) {
  if (a_P != nullptr) return *a_P;
  Accel a{zero_vector(graph()), zero_vector(graph())};
  for (int r = 0; r < 3; ++r)
    a.lin[static_cast<std::size_t>(r)] = graph().constant(-plan().gravity[r]);
  return a;
}

void DeriveContext::output(Sink sink, int slot, Expr value) {
  p_.blocks.back().outputs.push_back({sink, sink == Sink::kJoint ? current_ : slot, value});
}

Expr DeriveContext::hand(int handle, int entry, Expr value) {
  if (value.is_zero()) return value;
  output(Sink::kHandle, handle * ChainHandle::kSize + entry, value);
  return graph().input({Source::kHandle, handle, entry});
}
Vec3e DeriveContext::hand(int handle, int entry, const Vec3e& v) {
  return {hand(handle, entry, v[0]), hand(handle, entry + 1, v[1]), hand(handle, entry + 2, v[2])};
}

void remove_dead_outputs(Program& program) {
  constexpr int kHandles = -1;  // in place of a unit
  std::set<std::pair<int, int>> read;
  std::vector<bool> seen(static_cast<std::size_t>(program.graph->size()), false);
  for (std::size_t b = program.blocks.size(); b-- > 0;) {
    Block& block = program.blocks[b];
    std::erase_if(block.outputs, [&](const Output& o) {
      const bool stored = o.sink == Sink::kStore || o.sink == Sink::kStoreSum;
      if (o.sink == Sink::kHandle) return !read.contains({kHandles, o.slot});
      return stored && !read.contains({block.unit, o.slot});
    });
    std::vector<int> open;
    for (const Output& o : block.outputs) open.push_back(o.value.id);
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      if (id < 0 || seen[static_cast<std::size_t>(id)]) continue;
      seen[static_cast<std::size_t>(id)] = true;
      const Node& n = program.graph->node(id);
      if (n.op == Op::kInput && n.input.source == Source::kStore)
        read.insert({n.input.unit, n.input.slot});
      if (n.op == Op::kInput && n.input.source == Source::kHandle)
        read.insert({kHandles, n.input.unit * ChainHandle::kSize + n.input.slot});
      open.push_back(n.a);
      open.push_back(n.b);
    }
  }
  std::erase_if(program.blocks, [](const Block& b) { return b.outputs.empty(); });
}

}  // namespace kagami::models::hybrid
