/// What is measured of a world while it runs.
#pragma once

#include <map>
#include <tuple>

#include "models/base/hash.hpp"
#include "models/contact/world/world.hpp"
#include "models/contact/world/world_energy.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {

/// Made before the first step; the world must outlive it.
class SceneMonitor {
 public:
  /// `steps` of the whole run: its last quarter is looked at for rest.
  SceneMonitor(const models::World& world, long steps, double h);
  /// Between steps, after payloads came or went: their energy counts with the drives' work.
  void masses_changed();
  /// After every step.
  void after_step(models::WorldStatus status);
  /// Iterations of the last step.
  [[nodiscard]] long iterations() const { return iterations_; }
  /// Up to the last step.
  [[nodiscard]] const SceneEnergy& energy() const { return s_.energy; }
  /// Everything but names, method and CPU time.
  [[nodiscard]] SceneSummary summary() const;

 private:
  using Vertex = std::tuple<int, int, int, int>;  // system, shape, vertex, static shape
  struct Slid {
    Vec3 p = Vec3::Zero();
    double way = 0.0;  // m
    long step = -1;    // last step in which it touched
  };

  void measure_weight();
  void measure_energy();
  void measure_contacts();
  void measure_rest();
  void measure_patches();
  void follow(const models::WorldContact& contact);
  void hash();

  const models::World& world_;
  models::WorldEnergy watch_;
  long steps_ = 0;
  double h_ = 0.0;
  double weight_ = 0.0;  // N
  long step_ = 0;
  long iterations_ = 0;
  long iterations_before_ = 0;
  double lowest_ = 0.0;  // J
  std::map<Vertex, Slid> slid_;
  std::map<std::uint64_t, Slid> patch_slid_;  // by the patch's id
  double sum_ = 0.0, squares_ = 0.0;          // of the normal force over the weight
  long counted_ = 0;
  StateHash hash_;
  SceneSummary s_;
};

}  // namespace kagami::tools
