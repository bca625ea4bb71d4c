// Letters and equations in articulated.cpp. A sub-chain takes the articulated inertia IA and bias
// pA of all beyond it, seen at its tip, and gives those at its root: ADA's join of two bodies that
// have one handle left, Phi = IA^-1 and B = -IA^-1 pA, with the interior eliminated in closed form.
// At the ends two passes run in one block: nothing lies between them.
#include "models/hybrid/chain_blocks.hpp"

#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/base/idx.hpp"
#include "models/hybrid/articulated.hpp"
#include "models/hybrid/derive_context.hpp"

namespace kagami::models::hybrid {
namespace {

using Handle = ChainHandle;

// a body's terms and what it shows its parent
struct ChainTerms : BodyTerms {
  UnitConstants k;
  PlanarRotation t;
};

// what a handle holds, as expressions
struct Shown {
  Vec3e w;
  InertiaE IA;
  Wrench pA;
  Accel a;
};

class ChainBlocks {
 public:
  ChainBlocks(Program& program, std::vector<Segment> segments)
      : p_(program), x_(program), g_(x_.graph()), segments_(std::move(segments)) {
    kept_.resize(p_.plan.bodies.size());
    shown_.resize(segments_.size() + 1);
  }

  void run() {
    const int n = static_cast<int>(segments_.size());
    for (int s = 0; s < n; ++s) outward(s);
    for (int s = n - 1; s >= 0; --s) inward(s);
    for (int s = 0; s < n; ++s) accelerate(s);
  }

 private:
  bool is_base(int i) const { return p_.plan.floating && i == 0; }
  bool is_last(int s) const { return idx(s) + 1 == segments_.size(); }

  void open(int s, Pass pass) {
    x_.begin(segments_[idx(s)].first);
    p_.blocks.back().segment = s;
    p_.blocks.back().pass = pass;
  }

  void outward(int s) {
    open(s, is_last(s) ? Pass::kInward : Pass::kOutward);
    const Segment& part = segments_[idx(s)];
    Vec3e w = s == 0 ? zero_vector(g_) : shown_[idx(s)].w;
    for (int i = part.first; i <= part.last; ++i) {
      ChainTerms& m = kept_[idx(i)];
      m.k = x_.constants(i);
      if (is_base(i)) {
        m.w = {x_.base(7), x_.base(8), x_.base(9)};
      } else {
        m.t = x_.turn_of(i);
        move_joint(m.k, m.t, x_.joint(Source::kRate, i), w, m);
      }
      m.pA = gyroscopic(products(m.w), m.k);  // (hyb-3)
      w = m.w;
    }
    if (is_last(s)) return;  // inward continues
    for (int i = part.first; i <= part.last; ++i) kept_[idx(i)].pA = x_.keep(kept_[idx(i)].pA);
    keep_biases(part);
    shown_[idx(s) + 1].w = x_.hand(s + 1, Handle::kOmega, w);
  }

  void keep_biases(const Segment& part) {
    for (int i = part.first; i <= part.last; ++i) {
      if (is_base(i)) continue;
      kept_[idx(i)].c = x_.keep(kept_[idx(i)].c);
      kept_[idx(i)].gamma = x_.keep(kept_[idx(i)].gamma);
    }
  }

  void inward(int s) {
    if (!is_last(s)) open(s, Pass::kInward);
    const Segment& part = segments_[idx(s)];
    InertiaE beyond = is_last(s) ? zero_inertia(g_) : shown_[idx(s) + 1].IA;
    Wrench pa = is_last(s) ? Wrench{zero_vector(g_), zero_vector(g_)} : shown_[idx(s) + 1].pA;
    for (int i = part.last; i >= part.first; --i) {
      ChainTerms& m = kept_[idx(i)];
      const InertiaE IA = plus(rigid(g_, m.k), beyond);
      const Wrench pA{plus(m.pA.n, pa.n), plus(m.pA.f, pa.f)};
      if (is_base(i)) {
        shown_[0].a = x_.solve_base(IA, pA, m.w);
        continue;
      }
      const Expr tau = x_.joint(Source::kForce, i);
      join_parent(p_.way, m.k, m.t, tau, IA, pA, m, beyond, pa);
    }
    if (s == 0) return;  // accelerate continues
    show(s, beyond, pa);
    if (is_last(s)) keep_biases(part);
    for (int i = part.first; i <= part.last; ++i) {
      kept_[idx(i)].G = x_.keep(kept_[idx(i)].G);
      kept_[idx(i)].ud = x_.keep(kept_[idx(i)].ud);
    }
  }

  void show(int handle, const InertiaE& IA, const Wrench& pA) {
    Shown& h = shown_[idx(handle)];
    int entry = Handle::kInertia;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = r; c < 3; ++c)
        h.IA.A[r][c] = h.IA.A[c][r] = x_.hand(handle, entry++, IA.A[r][c]);
    }
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) h.IA.H[r][c] = x_.hand(handle, entry++, IA.H[r][c]);
    }
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = r; c < 3; ++c)
        h.IA.M[r][c] = h.IA.M[c][r] = x_.hand(handle, entry++, IA.M[r][c]);
    }
    h.pA = {x_.hand(handle, Handle::kBias, pA.n), x_.hand(handle, Handle::kBias + 3, pA.f)};
  }

  void accelerate(int s) {
    if (s > 0) open(s, Pass::kAccelerate);
    const Segment& part = segments_[idx(s)];
    Accel a = s > 0 || p_.plan.floating ? shown_[idx(s)].a : x_.parent_acceleration(nullptr);
    for (int i = part.first; i <= part.last; ++i) {
      if (is_base(i)) continue;
      const ChainTerms& m = kept_[idx(i)];
      const Accel a_P = a;
      x_.joint_output(i, accelerate_joint(p_.way, m.k, m.t, a_P, m, a));
    }
    if (is_last(s)) return;
    shown_[idx(s) + 1].a = {x_.hand(s + 1, Handle::kAcceleration, a.ang),
                            x_.hand(s + 1, Handle::kAcceleration + 3, a.lin)};
  }

  Program& p_;
  DeriveContext x_;
  Graph& g_;
  std::vector<Segment> segments_;
  std::vector<ChainTerms> kept_;
  std::vector<Shown> shown_;  // handle s is before sub-chain s
};

// entries of each handle that the program writes, a bit each
std::vector<std::uint64_t> written_entries(const Program& program, std::size_t handles) {
  std::vector<std::uint64_t> written(handles, 0);
  for (const Block& block : program.blocks) {
    for (const Output& o : block.outputs) {
      if (o.sink == Sink::kHandle)
        written[idx(o.slot / Handle::kSize)] |= std::uint64_t{1} << (o.slot % Handle::kSize);
    }
  }
  return written;
}

template <class Matrix>
void add(StateHash& hash, const Matrix& m) noexcept {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    // 0.0 and -0.0 are one number
    for (Eigen::Index j = 0; j < m.cols(); ++j) hash.add(static_cast<double>(m(i, j)) + 0.0);
  }
}

}  // namespace

std::vector<Segment> split_chain(const Plan& plan, const std::vector<int>& lengths) {
  for (const PlanBody& b : plan.bodies) {
    if (b.children.size() > 1) throw ModelError("generated sub-chains: the tree branches");
    if (b.move != Move::kTurn)
      throw ModelError(
          "generated sub-chains: a joint is prismatic or has a quaternion, expected hinges");
  }
  const int n = static_cast<int>(plan.bodies.size());
  std::vector<Segment> segments;
  int first = 0;
  for (const int length : lengths) {
    const int last = first + length - 1;
    segments.push_back({first, last});
    first = last + 1;
  }
  if (first != n || segments.empty())
    throw ModelError("generated sub-chains: " + std::to_string(first) + " bodies in the split, " +
                     std::to_string(n) + " in the chain");
  return segments;
}

Program derive_chain(const Plan& plan, const std::vector<int>& lengths, EliminationOrder way) {
  Program program;
  program.way = way;
  program.task = Task::kChain;
  program.plan = plan;
  program.slots.assign(plan.units.size(), 0);
  ChainBlocks(program, split_chain(plan, lengths)).run();
  const std::size_t handles = lengths.size() + 1;
  const std::vector<std::uint64_t> not_zero = written_entries(program, handles);
  remove_dead_outputs(program);
  const std::vector<std::uint64_t> handed = written_entries(program, handles);
  for (std::size_t h = 0; h < handles; ++h) program.handles.push_back({~not_zero[h], handed[h]});
  return program;
}

std::uint64_t segment_hash(const Plan& plan, int first, int last) noexcept {
  StateHash hash;
  hash.add(static_cast<std::int64_t>(first == 0));
  hash.add(static_cast<std::int64_t>(idx(last) + 1 == plan.bodies.size()));
  if (first == 0) {
    hash.add(static_cast<std::int64_t>(plan.floating));
    add(hash, plan.gravity);
    add(hash, plan.R_base);
  }
  for (int i = first; i <= last; ++i) {
    const PlanBody& b = plan.bodies[idx(i)];
    hash.add(static_cast<std::int64_t>(b.axis));
    add(hash, b.X_PJ.R);
    add(hash, b.X_PJ.p);
    hash.add(b.inertia.mass);
    add(hash, b.inertia.h);
    add(hash, b.inertia.I);
    hash.add(b.rotor);
  }
  return hash.value();
}

}  // namespace kagami::models::hybrid
