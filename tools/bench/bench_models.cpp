#include "tools/bench/bench_models.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace kagami::bench {
namespace {

/// A body shaped like a box of the given sizes (m).
BodyDef box(const std::string& name, int parent, char joint, const Triple& origin, double mass,
            const Triple& size, const Triple& com) {
  const auto [a, b, c] = size;
  return {name,
          parent,
          joint,
          origin,
          mass,
          com,
          {mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b)}};
}

/// n links of 1 m along x; `joint(i)` carries link i.
template <class Joint>
ModelDef straight_chain(const std::string& name, int links, Joint joint) {
  ModelDef model{name, {}};
  for (int i = 0; i < links; ++i)
    model.bodies.push_back(box("l" + std::to_string(i), i - 1, joint(i), {i > 0 ? 1.0 : 0.0, 0, 0},
                               1.0, {1.0, 0.1, 0.1}, {0.5, 0, 0}));
  return model;
}

constexpr double kHip = 0.045, kThigh = 0.065, kShank = 0.065, kAnkle = 0.033;  // KHR-1, m

}  // namespace

bool ModelDef::has_rotors() const {
  return std::any_of(bodies.begin(), bodies.end(), [](const BodyDef& b) { return b.rotor != 0.0; });
}

int ModelDef::num_joints() const {
  int count = 0;
  for (const BodyDef& body : bodies) count += body.joint != 'f' && body.joint != 'w' ? 1 : 0;
  return count;
}

ModelDef planar(int links) {
  return straight_chain("planar" + std::to_string(links) + "R", links, [](int) { return 'y'; });
}

ModelDef chain3d(int links) {
  return straight_chain("chain3d_" + std::to_string(links), links,
                        [](int i) { return i == 0 ? 'f' : "yxz"[(i - 1) % 3]; });
}

ModelDef khr1_like() {
  ModelDef model{"khr1", {}};
  auto& b = model.bodies;
  b.push_back(box("trunk", -1, 'f', {0, 0, 0}, 0.34, {.06, .08, .09}, {0, 0, .03}));
  b.push_back(box("head", 0, 'z', {0, 0, .085}, 0.05, {.03, .03, .03}, {0, 0, .015}));
  for (const double y : {1.0, -1.0}) {
    const std::string s = y > 0 ? "l" : "r";
    const int k = static_cast<int>(b.size());
    b.push_back(
        box(s + "sh_p", 0, 'y', {0, y * .05, .06}, .055, {.03, .03, .03}, {0, y * .015, 0}));
    b.push_back(box(s + "sh_r", k, 'x', {0, y * .025, 0}, .055, {.03, .03, .06}, {0, 0, -.03}));
    b.push_back(box(s + "elb", k + 1, 'x', {0, 0, -.06}, .050, {.03, .03, .07}, {0, 0, -.035}));
  }
  for (const double y : {1.0, -1.0}) {
    const std::string s = y > 0 ? "l" : "r";
    const int k = static_cast<int>(b.size());
    b.push_back(box(s + "hip_r", 0, 'x', {0, y * .03, -kHip}, .055, {.03, .03, .03}, {0, 0, 0}));
    b.push_back(box(s + "hip_p", k, 'y', {0, 0, 0}, .055, {.03, .03, .06}, {0, 0, -.03}));
    b.push_back(box(s + "knee", k + 1, 'y', {0, 0, -kThigh}, .050, {.03, .03, .06}, {0, 0, -.03}));
    b.push_back(box(s + "ank_p", k + 2, 'y', {0, 0, -kShank}, .050, {.03, .03, .03}, {0, 0, 0}));
    b.push_back(
        box(s + "foot", k + 3, 'x', {0, 0, 0}, .035, {.080, .045, .006}, {0, 0, -kAnkle + .006}));
  }
  return model;
}

ModelDef hoap2_like() {
  ModelDef model{"hoap2", {}};
  auto& b = model.bodies;
  b.push_back(box("pelvis", -1, 'f', {0, 0, 0}, 1.0, {.1, .12, .08}, {0, 0, 0}));
  b.push_back(box("torso", 0, 'z', {0, 0, .05}, 1.6, {.1, .14, .16}, {0, 0, .08}));
  b.push_back(box("neck", 1, 'z', {0, 0, .17}, .1, {.03, .03, .03}, {0, 0, .01}));
  b.push_back(box("head", 2, 'y', {0, 0, .02}, .4, {.08, .08, .08}, {0, 0, .04}));
  for (const double y : {1.0, -1.0}) {
    const std::string s = y > 0 ? "l" : "r";
    const int k = static_cast<int>(b.size());
    b.push_back(box(s + "a1", 1, 'y', {0, y * .08, .13}, .15, {.04, .04, .04}, {0, y * .02, 0}));
    b.push_back(box(s + "a2", k, 'x', {0, y * .03, 0}, .15, {.04, .04, .05}, {0, 0, -.02}));
    b.push_back(box(s + "a3", k + 1, 'z', {0, 0, -.05}, .15, {.04, .04, .05}, {0, 0, -.02}));
    b.push_back(box(s + "a4", k + 2, 'y', {0, 0, -.05}, .15, {.04, .04, .08}, {0, 0, -.04}));
    b.push_back(box(s + "hand", k + 3, 'z', {0, 0, -.09}, .05, {.03, .03, .04}, {0, 0, -.02}));
  }
  for (const double y : {1.0, -1.0}) {
    const std::string s = y > 0 ? "l" : "r";
    const int k = static_cast<int>(b.size());
    b.push_back(box(s + "h1", 0, 'z', {0, y * .04, -.05}, .15, {.04, .04, .04}, {0, 0, 0}));
    b.push_back(box(s + "h2", k, 'x', {0, 0, 0}, .15, {.04, .04, .04}, {0, 0, 0}));
    b.push_back(box(s + "h3", k + 1, 'y', {0, 0, 0}, .35, {.05, .05, .1}, {0, 0, -.05}));
    b.push_back(box(s + "kn", k + 2, 'y', {0, 0, -.1}, .35, {.05, .05, .1}, {0, 0, -.05}));
    b.push_back(box(s + "ap", k + 3, 'y', {0, 0, -.1}, .15, {.04, .04, .04}, {0, 0, 0}));
    b.push_back(box(s + "ft", k + 4, 'x', {0, 0, 0}, .15, {.098, .063, .02}, {0, 0, -.03}));
  }
  return model;
}

std::vector<ModelDef> compared_models() {
  return {planar(7), chain3d(12), khr1_like(), hoap2_like()};
}

std::vector<StateDef> bench_states(const ModelDef& model) {
  std::mt19937 random(12345);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<StateDef> states(kStates);
  for (StateDef& state : states) {
    for (double& x : state.twist) x = unit(random);
    for (int j = 0; j < model.num_joints(); ++j) {
      state.q.push_back(unit(random));
      state.v.push_back(unit(random));
      state.tau.push_back(0.1 * unit(random));
    }
  }
  return states;
}

double FourBar::along(int link, std::size_t axis) const {
  const auto i = static_cast<std::size_t>(link);
  return pivots[i + 1][axis] - pivots[i][axis];
}

ModelDef FourBar::tree() const {
  ModelDef model{"four_bar", {}};
  for (int i = 0; i < 3; ++i) {
    const double length = std::hypot(dx(i), dz(i));
    const double inertia = length * length / 12;
    const Triple origin = i > 0 ? Triple{dx(i - 1), 0, dz(i - 1)} : Triple{};
    model.bodies.push_back({"l" + std::to_string(i),
                            i - 1,
                            'y',
                            origin,
                            1.0,
                            {dx(i) / 2, 0, dz(i) / 2},
                            {inertia, inertia, inertia}});
  }
  return model;
}

double four_bar_swing_energy() {
  return 2 * 9.81 * (1 - std::sqrt(0.5));
}

}  // namespace kagami::bench
