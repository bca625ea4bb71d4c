/// MuJoCo models from ours, by way of its own text form.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <memory>
#include <string>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

struct MujocoFree {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoFree>;
using MujocoData = std::unique_ptr<mjData, MujocoFree>;

/// Content of a body besides its inertia and joint.
using Inside = std::function<std::string(const BodyDef&)>;

/// `option`: attributes of <option>; `tail`: elements after the bodies; `world`: elements in
/// the world before them.
std::string mjcf(const ModelDef& model, const std::string& option, const std::string& tail,
                 const Inside& inside = nullptr, const std::string& world = "");
/// Throws std::runtime_error with MuJoCo's own message.
MujocoModel load_mjcf(const std::string& text);

}  // namespace kagami::bench
