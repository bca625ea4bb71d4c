// Two sub-chains are joined at a handle by the articulated inertia of all that lies beyond it
// (ADA's form for bodies with one handle left); what the joint does to it is part of the outer
// one's code.
#include "models/hybrid/chain_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/hybrid/chain_blocks.hpp"
#include "models/hybrid/generated.hpp"
#include "models/hybrid/plan.hpp"

namespace kagami::models {
namespace {

using hybrid::ChainBase;
using hybrid::ChainHandle;
using hybrid::GeneratedBlock;
using hybrid::Plan;

bool is_chain(const Plan& plan) {
  const int base = plan.floating ? 1 : 0;
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const hybrid::PlanBody& b = plan.bodies[i];
    if (b.parent != static_cast<int>(i) - 1 || b.move != hybrid::Move::kTurn) return false;
    // the joints' numbers stand in a row
    if (static_cast<int>(i) >= base && b.q - plan.bodies[idx(base)].q != static_cast<int>(i) - base)
      return false;
  }
  return plan.columns > 0;
}

// blocks that make up the chain from the root, found from the tip; empty when there are none
std::vector<const GeneratedBlock*> cover(const Plan& plan, const GeneratedBlock* blocks,
                                         int count) {
  const int n = static_cast<int>(plan.bodies.size());
  // fits[i][k]: block k may stand from body i on, and what is beyond can be made up, too
  std::vector<std::vector<bool>> fits(idx(n), std::vector<bool>(idx(count), false));
  const auto next_of = [&](int i, int k) {
    const int next = i + blocks[k].bodies;
    for (int l = 0; next < n && l < count; ++l) {
      if (fits[idx(next)][idx(l)] && blocks[l].root == blocks[k].tip) return l;
    }
    return -1;
  };
  for (int i = n - 1; i >= 0; --i) {
    for (int k = 0; k < count; ++k) {
      const int last = i + blocks[k].bodies - 1;
      fits[idx(i)][idx(k)] = last < n && hybrid::segment_hash(plan, i, last) == blocks[k].hash &&
                             (last == n - 1 || next_of(i, k) >= 0);
    }
  }
  std::vector<const GeneratedBlock*> found;
  const auto first = std::find(fits[0].begin(), fits[0].end(), true);
  if (first == fits[0].end()) return found;
  int k = static_cast<int>(first - fits[0].begin());
  for (int i = 0; k >= 0;) {
    found.push_back(&blocks[k]);
    const int here = i;
    i += blocks[k].bodies;
    k = next_of(here, k);
  }
  return found;
}

}  // namespace

ChainDynamics::ChainDynamics(const Model& model) : ChainDynamics(model, nullptr) {
  for (int i = 0; !available() && hybrid::generated_blocks_at(i) != nullptr; ++i)
    *this = ChainDynamics(model, hybrid::generated_blocks_at(i));
}

ChainDynamics::ChainDynamics(const Model& model, const hybrid::GeneratedBlocks* family)
    : ChainDynamics(model, family, hybrid::has_wide_units()) {}

ChainDynamics::ChainDynamics(const Model& model, const hybrid::GeneratedBlocks* family, bool wide) {
  if (family == nullptr || family->version != hybrid::kGeneratorVersion) return;
  if (!hybrid::plan_problem(model).empty()) return;
  const Plan plan = hybrid::make_plan(model, false);
  if (!is_chain(plan)) return;
  const hybrid::GeneratedBlockForm& form = wide ? family->wide : family->plain;
  const std::vector<const GeneratedBlock*> blocks = cover(plan, form.blocks, family->num_blocks);
  sines_ = form.sines;
  num_joints_ = plan.columns;
  base_q_ = plan.floating ? 7 : 0;
  base_v_ = plan.floating ? 6 : 0;
  std::size_t memory = 0;
  int body = 0;
  for (const GeneratedBlock* b : blocks) {
    parts_.push_back({b, body == 0 ? 0 : body - (plan.floating ? 1 : 0), memory});
    memory += idx(b->memory);
    body += b->bodies;
  }
  const std::size_t columns = idx((num_joints_ + 3) / 4 * 4);
  s_.assign(columns, 0.0);
  c_.assign(columns, 0.0);
  memory_.assign(std::max<std::size_t>(memory, 1), 0.0);
  handles_.assign((parts_.size() + 1) * ChainHandle::kSize, 0.0);
  result_.setZero(model.num_v());
}

bool ChainDynamics::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                        JointVector& vdot) noexcept {
  static_assert(ChainBase::kSize <= ChainHandle::kSize);
  sines_(num_joints_, q.data() + base_q_, s_.data(), c_.data());
  if (base_v_ > 0) {
    std::copy_n(q.data(), 7, handles_.data());
    std::copy_n(v.data(), 6, handles_.data() + 7);
    std::copy_n(tau.data(), 6, handles_.data() + 13);
  }
  const auto run_block = [&](std::size_t i, hybrid::BlockFunction block) {
    if (block == nullptr) return;
    const Part& p = parts_[i];
    double* r = handles_.data() + i * ChainHandle::kSize;
    block(s_.data() + p.column, c_.data() + p.column, v.data() + base_v_ + p.column,
          tau.data() + base_v_ + p.column, memory_.data() + p.memory, r, r + ChainHandle::kSize,
          result_.data() + base_v_ + p.column);
  };
  for (std::size_t i = 0; i < parts_.size(); ++i) run_block(i, parts_[i].code->outward);
  for (std::size_t i = parts_.size(); i-- > 0;) run_block(i, parts_[i].code->inward);
  for (std::size_t i = 0; i < parts_.size(); ++i) run_block(i, parts_[i].code->accelerate);
  if (base_v_ > 0) std::copy_n(handles_.data() + ChainBase::kOut, 6, result_.data());
  if (!std::isfinite(result_.squaredNorm())) return false;
  vdot = result_;
  return true;
}

}  // namespace kagami::models
