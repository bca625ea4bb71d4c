// A foreign program: reads a shipped robot and runs its own controller by name.
#include <cstdio>
#include <memory>

#include "control/factory/factory.hpp"
#include "models/base/config.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"

namespace {

using namespace kagami;

/// Holds every joint where the motion has it, and half of what is missing on top.
class Half final : public control::Controller {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "half"; }
  [[nodiscard]] control::ControlDrive drive() const noexcept override {
    return control::ControlDrive::kTarget;
  }
  [[nodiscard]] control::ControlStatus reset(const control::ControlInput&) noexcept override {
    return control::ControlStatus::kOk;
  }
  [[nodiscard]] control::ControlStatus update(const control::ControlInput& in,
                                              control::ControlOutput& out) noexcept override {
    for (int j = 0; j < in.num_joints; ++j) {
      const auto i = static_cast<std::size_t>(j);
      out.q_target[i] = in.q_ref[i] + 0.5 * (in.q_ref_then[i] - in.measured[i]);
    }
    return control::ControlStatus::kOk;
  }
};

}  // namespace

int main() {
  const auto robot =
      models::read_robot_folder(KAGAMI_DATA "/robots/khr1", models::BaseKind::kFixed);
  std::printf("%s: %zu joints\n", robot.name.c_str(), robot.joint_names.size());
  if (robot.joint_names.size() != 17) return 1;

  control::ControllerFactory factory;
  factory.add("half", [](const ConfigDocument&, const control::ControlPlace&) {
    return std::make_unique<Half>();
  });
  control::ControlPlace place;
  place.model = &robot.model;
  place.robot = robot.name;
  place.joint_names = robot.joint_names;
  const auto gains =
      ConfigDocument::parse(R"({"schema": "kagami.gains/1", "controller": "half"})", "half.json");
  const auto half = factory.make(gains, place);
  const auto pid = factory.make(ConfigDocument::read(KAGAMI_DATA "/gains/awa_2009.json"), place);

  control::ControlInput in;
  in.num_joints = 17;
  in.dt = 1e-3;
  in.q_ref_then[0] = 0.2;
  control::ControlOutput out;
  const bool ran = half->reset(in) == control::ControlStatus::kOk &&
                   half->update(in, out) == control::ControlStatus::kOk && out.q_target[0] == 0.1;
  std::printf("%s and %s: %s\n", std::string(half->name()).c_str(),
              std::string(pid->name()).c_str(), ran ? "ok" : "wrong");
  return ran ? 0 : 1;
}
