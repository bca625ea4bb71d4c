// Terms of a sub-chain; letters as in derive.cpp, [T] = Takahashi 2012. The closed forms J M^-1 J'
// of [T] (4.19), (4.27) come here as recursions over the bodies' expressions (ours): M is never
// formed, and the shared sub-expressions are those of articulated bodies.
//   root   Phi_rr = IA_0^-1,  B_r = -Phi_rr pA_0                              (seg-1)
//   L_i    = (1 - e G_i') X^-1                                                (seg-2)
//   Phi_ii = L_i Phi_pp L_i' + e e'/D_i,  Phi_ir = L_i Phi_pr                 (seg-3)
//   B_i    = L_i B_p + b_i,  b_i: the motion of body i when its parent does not accelerate
//   force F_t on the tip: pA_last -= F_t, carried inwards like any pA         (seg-4)
#include "models/hybrid/segment.hpp"

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/hybrid/articulated.hpp"
#include "models/hybrid/derive_context.hpp"
#include "models/hybrid/six.hpp"

namespace kagami::models::hybrid {
namespace {

using Layout = SegmentLayout;
struct SegmentBody : BodyTerms {
  UnitConstants k;
  PlanarRotation t;
  bool has_joint = true;
};

class SegmentTerms {
 public:
  SegmentTerms(Program& program, const Segment& segment)
      : x_(program), g_(x_.graph()), s_(segment) {
    kept_.resize(idx(s_.last - s_.first + 1));
  }

  void run() {
    x_.begin(s_.first);
    start();
    articulate();
    if (s_.has_root) root_terms();
    follow_to_tip();
    for (SegmentBody& m : kept_) keep(m);
    x_.begin(s_.first);
    motion();
  }

 private:
  Expr zero() const { return g_.constant(0.0); }
  Expr given(int i) const { return g_.input({Source::kBase, 0, i}); }
  bool floats(int i) const { return x_.plan().floating && i == 0; }
  SegmentBody& kept(int i) { return kept_[idx(i - s_.first)]; }
  // the root's joint belongs to the assembly, not to the segment
  bool inner_joint(int i) const { return i > s_.first || !s_.has_root; }

  // for the second block, unless it finds no use for it
  void keep(SegmentBody& m) {
    m.c = x_.keep(m.c);
    m.gamma = x_.keep(m.gamma);
    if (m.D_inverse.graph == nullptr) return;  // a root: its joint is none of ours
    m.G = x_.keep(m.G);
    m.D_inverse = x_.keep(m.D_inverse);
    m.ud = x_.keep(m.ud);
  }

  void start() {
    Vec3e w_P;
    for (int r = 0; r < 3; ++r) w_P[idx(r)] = s_.has_root ? given(Layout::kOmega + r) : zero();
    for (int i = s_.first; i <= s_.last; ++i) {
      SegmentBody& m = kept(i);
      m.k = x_.constants(i);
      m.has_joint = !floats(i);
      if (!inner_joint(i) && !m.k.rotor.is_zero())
        throw ModelError("generated sub-chains: a rotor at the joint between two of them");
      m.c = m.gamma = zero_vector(g_);
      m.w = w_P;
      if (m.has_joint) {
        m.t = x_.turn_of(i);
        const Expr qd = x_.joint(Source::kRate, i);
        if (inner_joint(i)) {
          move_joint(m.k, m.t, qd, w_P, m);
        } else {
          m.w = turn_back(m.t, w_P);
          m.w[idx(m.k.axis)] += qd;
        }
      }
      m.pA = gyroscopic(products(m.w), m.k);
      w_P = m.w;
    }
    w_last_ = w_P;
  }

  void articulate() {
    InertiaE from_child = zero_inertia(g_);
    Wrench pa_child{zero_vector(g_), zero_vector(g_)};
    for (int i = s_.last; i >= s_.first; --i) {
      SegmentBody& m = kept(i);
      const InertiaE IA = plus(rigid(g_, m.k), from_child);
      const Wrench pA{plus(m.pA.n, pa_child.n), plus(m.pA.f, pa_child.f)};
      if (!inner_joint(i)) {
        IA_root_ = IA;
        pA_root_ = pA;
        return;
      }
      const Expr tau = x_.joint(Source::kForce, i);
      const InertiaE Ia = reduce_joint(m.k, tau, IA, pA, m);
      if (i == s_.first) return;
      InertiaE in_J;
      Wrench pa_J;
      hand_to_joint(m.k, m.t, tau, Ia, pA, m, in_J, pa_J);
      from_child = to_parent(m.k, in_J);
      pa_child = to_parent(m.k, pa_J);
    }
  }

  // (seg-1): the inverse by L D L', column by column; handle axes are J's
  void root_terms() {
    const Factored root = factor(matrix(IA_root_));
    for (std::size_t c = 0; c < 6; ++c) {
      Vec6e e{zero(), zero(), zero(), zero(), zero(), zero()};
      e[c] = g_.constant(1.0);
      const Vec6e column = solve(root, e);
      for (std::size_t r = c; r < 6; ++r) phi_[c][r] = phi_[r][c] = column[r];
    }
    const Vec6e p = six(pA_root_.n, pA_root_.f);
    for (std::size_t r = 0; r < 6; ++r) bias_[r] = -sum(phi_[r], p);
    phi_root_ = phi_;
    const SegmentBody& m = kept(s_.first);
    Mat6e in_J = phi_;
    Vec6e B_J = bias_;
    if (m.has_joint) {
      in_J = turn_rows(m.t, phi_);   // (T phi)
      phi_root_ = transposed(in_J);  // phi T', symmetric phi: body rows, J columns
      in_J = mirrored(turn_rows(m.t, phi_root_));
      B_J = six(turn(m.t, accel(bias_).ang), turn(m.t, accel(bias_).lin));
    }
    put_matrix(Layout::kPhiRoot, in_J);
    put(Layout::kBiasRoot, B_J);
  }

  // X^-1 a: a parent's acceleration in B, without bias
  static Accel to_child(const SegmentBody& m, const Accel& a) {
    const Vec3e lin = plus(a.lin, cross(a.ang, m.k.p));
    return {turn_back(m.t, transpose_times(m.k.R_PJ, a.ang)),
            turn_back(m.t, transpose_times(m.k.R_PJ, lin))};
  }
  // L a, (seg-2)
  static Vec6e through(const SegmentBody& m, const Vec6e& a_P) {
    Accel a = to_child(m, accel(a_P));
    a.ang[idx(m.k.axis)] -= dot(m.G.n, a.ang) + dot(m.G.f, a.lin);
    return six(a.ang, a.lin);
  }
  static Mat6e through_rows(const SegmentBody& m, const Mat6e& a_P) {
    Mat6e out;
    for (std::size_t c = 0; c < 6; ++c) set_column(out, c, through(m, column(a_P, c)));
    return out;
  }

  // b_i plus L_i B_P
  Vec6e biased(const SegmentBody& m, const Vec6e& B_P) const {
    Accel a = accel(B_P);
    a.lin = plus(a.lin, m.gamma);
    a = to_child(m, a);
    a.ang = plus(a.ang, m.c);
    const Expr qdd = m.ud - (dot(m.G.n, a.ang) + dot(m.G.f, a.lin));
    a.ang[idx(m.k.axis)] += qdd;
    return six(a.ang, a.lin);
  }

  // (seg-3) up to the last body, then on to the tip
  void follow_to_tip() {
    if (!s_.has_tip) return;
    if (!s_.has_root) {
      for (Vec6e& row : phi_) row.fill(zero());
      bias_.fill(zero());
      for (int r = 0; r < 3; ++r) bias_[idx(r + 3)] = g_.constant(-x_.plan().gravity[r]);
    }
    for (int i = s_.first; i <= s_.last; ++i) {
      if (!inner_joint(i)) continue;
      const SegmentBody& m = kept(i);
      phi_ = mirrored(through_rows(m, transposed(through_rows(m, phi_))));
      const std::size_t a = idx(m.k.axis);
      phi_[a][a] += m.D_inverse;
      if (s_.has_root) phi_root_ = through_rows(m, phi_root_);
      bias_ = biased(m, bias_);
    }
    const UnitConstants tip = x_.constants(s_.last + 1);
    phi_ = mirrored(to_tip(tip, transposed(to_tip(tip, phi_))));
    put_matrix(Layout::kPhiTip, phi_);
    if (s_.has_root) put_matrix(Layout::kPhiTipRoot, to_tip(tip, phi_root_));
    Accel B = accel(bias_);
    B.lin = plus(B.lin, centripetal(products(w_last_), tip.p));
    put(Layout::kBiasTip, tip_acceleration(tip, six(B.ang, B.lin)));
    const Vec3e w_tip = transpose_times(tip.R_PJ, w_last_);
    for (int r = 0; r < 3; ++r) x_.output(Sink::kBase, Layout::kTipOmega + r, w_tip[idx(r)]);
  }

  static Vec6e tip_acceleration(const UnitConstants& tip, const Vec6e& v) {
    const Accel a = accel(v);
    return six(transpose_times(tip.R_PJ, a.ang),
               transpose_times(tip.R_PJ, plus(a.lin, cross(a.ang, tip.p))));
  }
  static Mat6e to_tip(const UnitConstants& tip, const Mat6e& m) {
    Mat6e out;
    for (std::size_t c = 0; c < 6; ++c) set_column(out, c, tip_acceleration(tip, column(m, c)));
    return out;
  }

  void put(int position, const Vec6e& v) {
    for (int r = 0; r < 6; ++r) x_.output(Sink::kBase, position + r, v[idx(r)]);
  }
  void put_matrix(int position, const Mat6e& m) {
    for (int r = 0; r < 6; ++r) put(position + 6 * r, m[idx(r)]);
  }

  // (seg-4), then outwards with the root's acceleration: the joints' accelerations
  void motion() {
    Wrench dp{zero_vector(g_), zero_vector(g_)};  // change of pA by the tip's force
    if (s_.has_tip) {
      Wrench F;
      for (int r = 0; r < 3; ++r) {
        F.n[idx(r)] = -given(Layout::kTipForce + r);
        F.f[idx(r)] = -given(Layout::kTipForce + 3 + r);
      }
      dp = to_parent(x_.constants(s_.last + 1), F);
    }
    for (int i = s_.last; i >= s_.first; --i) {
      if (!inner_joint(i)) break;
      SegmentBody& m = kept(i);
      const Expr du = -dp.n[idx(m.k.axis)];
      m.ud = m.ud + du * m.D_inverse;
      if (i == s_.first) break;
      Wrench out;
      for (std::size_t r = 0; r < 3; ++r) {
        out.n[r] = dp.n[r] + m.G.n[r] * du;
        out.f[r] = dp.f[r] + m.G.f[r] * du;
      }
      dp = to_parent(m.k, Wrench{turn(m.t, out.n), turn(m.t, out.f)});
    }
    accelerate();
  }

  void accelerate() {
    Accel a{zero_vector(g_), zero_vector(g_)};
    for (int r = 0; r < 3; ++r) {
      if (s_.has_root) {
        a.ang[idx(r)] = given(Layout::kRootAcceleration + r);
        a.lin[idx(r)] = given(Layout::kRootAcceleration + 3 + r);
      } else {
        a.lin[idx(r)] = g_.constant(-x_.plan().gravity[r]);
      }
    }
    for (int i = s_.first; i <= s_.last; ++i) {
      SegmentBody& m = kept(i);
      if (!inner_joint(i)) {
        if (m.has_joint) a = {turn_back(m.t, a.ang), turn_back(m.t, a.lin)};
        continue;
      }
      a.lin = plus(a.lin, m.gamma);
      a = to_child(m, a);
      a.ang = plus(a.ang, m.c);
      const Expr qdd = m.ud - (dot(m.G.n, a.ang) + dot(m.G.f, a.lin));
      a.ang[idx(m.k.axis)] += qdd;
      x_.joint_output(i, qdd);
    }
  }

  DeriveContext x_;
  Graph& g_;
  Segment s_;
  std::vector<SegmentBody> kept_;
  Vec3e w_last_;
  InertiaE IA_root_;
  Wrench pA_root_;
  Mat6e phi_, phi_root_;
  Vec6e bias_;
};

}  // namespace

std::vector<Segment> split_chain(const Plan& plan, const std::vector<int>& lengths) {
  for (const PlanBody& b : plan.bodies) {
    if (b.children.size() > 1) throw ModelError("generated sub-chains: the tree branches");
    if (b.move != Move::kTurn)
      throw ModelError("generated sub-chains: a joint that slides or has a quaternion");
  }
  const int n = static_cast<int>(plan.bodies.size());
  std::vector<Segment> segments;
  int first = 0;
  for (const int length : lengths) {
    const int last = first + length - 1;
    segments.push_back({first, last, plan.floating || first > 0, last < n - 1});
    first = last + 1;
  }
  if (first != n || segments.empty())
    throw ModelError("generated sub-chains: " + std::to_string(first) + " bodies in the split, " +
                     std::to_string(n) + " in the chain");
  return segments;
}

Program derive_segment(const Plan& plan, const Segment& segment) {
  Program program;
  program.task = Task::kSegment;
  program.plan = plan;
  program.slots.assign(plan.units.size(), 0);
  SegmentTerms(program, segment).run();
  remove_dead_outputs(program);
  return program;
}

}  // namespace kagami::models::hybrid
