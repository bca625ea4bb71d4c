#include "models/dynamics/joint_assembly_plan.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// smallest ratio of the principal values of an inertia about its mass centre that can be inverted
// with ten digits left
constexpr double kThinnest = 1e-10;

std::string joint_text(const Model& model, BodyIndex i) {
  return "joint '" + model.body(i).joint_name + "'";
}

}  // namespace

AssemblyPlan::AssemblyPlan(const Model& model, const AssemblyOrder& order,
                           const std::vector<BodyIndex>& handles, bool inertia_form)
    : link_(first_bodies(model)) {
  check_order(model, order);
  weld(model);
  const auto n = idx(model.num_bodies());
  open_.assign(n, 0);
  owner_.assign(n, 0);
  for (const BodyIndex body : handles) {
    if (body < 0 || body >= model.num_bodies()) {
      throw ConfigError("handle on body " + std::to_string(body) + ", expected an index below " +
                        std::to_string(model.num_bodies()));
    }
    if (link(body) == kWorld) {
      throw ConfigError("handle on body '" + model.body(body).name + "', which the world holds");
    }
    open_[idx(link(body))] = 1;
  }
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (moves(model, i)) {
      ++open_[idx(i)];
      if (parent_link(model, i) != kWorld) ++open_[idx(parent_link(model, i))];
    }
    PlannedBody alone;
    if (link(i) == i) alone.handles = {i};
    alone.inertia_form = inertia_form;
    owner_[idx(i)] = add_body(alone, 0);
  }
  for (const BodyIndex joint : order.empty() ? default_order(model) : order) {
    if (moves(model, joint)) join(model, joint, inertia_form);
  }
  for (const BodyIndex body : handles) {
    const std::vector<BodyIndex>& all = bodies_[idx(find(link(body)))].handles;
    const auto slot = std::find(all.begin(), all.end(), link(body)) - all.begin();
    places_.push_back({find(link(body)), static_cast<int>(slot)});
  }
}

bool AssemblyPlan::goes_tip_to_base() const noexcept {
  return std::all_of(steps_.begin(), steps_.end(),
                     [](const JoinStep& s) { return s.kind == JoinKind::kChildInto; });
}

void AssemblyPlan::check_order(const Model& model, const AssemblyOrder& order) const {
  if (order.empty()) return;
  std::vector<bool> seen(idx(model.num_bodies()), false);
  for (const BodyIndex i : order) {
    if (i < 0 || i >= model.num_bodies()) {
      throw ConfigError("assembly order: body index " + std::to_string(i) + " is outside [0, " +
                        std::to_string(model.num_bodies()) + ")");
    }
    if (seen[idx(i)]) throw ConfigError("assembly order: " + joint_text(model, i) + " twice");
    seen[idx(i)] = true;
  }
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (moves(model, i) && !seen[idx(i)]) {
      throw ConfigError("assembly order: " + joint_text(model, i) + " is missing");
    }
  }
}

// every link needs an inertia that has an inverse
void AssemblyPlan::weld(const Model& model) {
  std::vector<SpatialInertia> sum(idx(model.num_bodies()));
  std::vector<Pose> X_LB(idx(model.num_bodies()));
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (link(i) == kWorld) continue;
    if (link(i) != i) {
      // bodies of one link keep their places: the joints between them are fixed
      X_LB[idx(i)] = X_LB[idx(model.body(i).parent)] * model.body(i).X_PJ;
    }
    sum[idx(link(i))] = sum[idx(link(i))] + X_LB[idx(i)] * model.body(i).inertia;
  }
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (link(i) != i) continue;
    const SpatialInertia& I = sum[idx(i)];
    const std::string who = "link '" + model.body(i).name + "': a massless or zero-inertia body ";
    if (!(I.mass > 0.0)) throw ModelError(who + "(mass 0) has no inverse inertia");
    const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(I.about_com()).eigenvalues();
    if (!(principal[0] > kThinnest * principal[2])) {
      throw ModelError(who + "(smallest principal inertia " + std::to_string(principal[0]) +
                       " kg m^2) has no inverse inertia; give it a small positive one");
    }
  }
}

int AssemblyPlan::add_body(PlannedBody body, int height) {
  const int h = static_cast<int>(body.handles.size());
  body.first_slot = num_slots_;
  body.first_block = num_blocks_;
  num_slots_ += h;
  num_blocks_ += h * (h + 1) / 2;
  bodies_.push_back(std::move(body));
  heights_.push_back(height);
  return static_cast<int>(bodies_.size()) - 1;
}

int AssemblyPlan::find(BodyIndex link) const noexcept {
  return owner_[idx(link)];
}

void AssemblyPlan::join(const Model& model, BodyIndex joint, bool inertia_form) {
  const BodyIndex parent = parent_link(model, joint);
  JoinStep s;
  s.joint = joint;
  s.B = find(joint);
  s.keeps_b = --open_[idx(joint)] > 0;
  if (parent != kWorld) {
    s.A = find(parent);
    s.keeps_a = --open_[idx(parent)] > 0;
  }
  const bool B_one = bodies_[idx(s.B)].inertia_form;
  const bool A_one = s.A != kWorld && bodies_[idx(s.A)].inertia_form;
  int height = heights_[idx(s.B)];
  if (s.A != kWorld) height = std::max(height, heights_[idx(s.A)]);
  ++height;
  height_ = std::max(height_, height);

  if (B_one && !s.keeps_b && (A_one || s.A == kWorld)) {
    s.kind = JoinKind::kChildInto;
    s.C = s.A;
    if (s.A != kWorld) heights_[idx(s.A)] = height;
    steps_.push_back(s);
    return;
  }
  if (A_one && B_one && !s.keeps_a) {
    s.kind = JoinKind::kParentInto;
    s.C = s.B;
    heights_[idx(s.B)] = height;
    steps_.push_back(s);
    return;
  }

  const bool one_dof = num_v(model.body(joint).joint.type) == 1;
  s.kind = A_one && B_one && one_dof ? JoinKind::kPair : JoinKind::kGeneral;
  PlannedBody C;
  C.grounded = s.A == kWorld || bodies_[idx(s.A)].grounded;
  const auto take = [&](int side, BodyIndex link, bool keeps, int& slot) {
    const std::vector<BodyIndex>& all = bodies_[idx(side)].handles;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k] == link) slot = static_cast<int>(k);
      if (all[k] != link || keeps) C.handles.push_back(all[k]);
    }
  };
  if (s.A != kWorld) take(s.A, parent, s.keeps_a, s.a_slot);
  take(s.B, joint, s.keeps_b, s.b_slot);
  C.inertia_form = inertia_form && C.handles.size() == 1 && !C.grounded;
  if (s.kind == JoinKind::kGeneral) {
    s.general = num_general_++;
    s.first_X = num_X_;
    num_X_ += static_cast<int>(C.handles.size());
  }
  const std::vector<BodyIndex> handles = C.handles;
  s.C = add_body(std::move(C), height);
  for (const BodyIndex link : handles) owner_[idx(link)] = s.C;
  steps_.push_back(s);
}

}  // namespace kagami::models
