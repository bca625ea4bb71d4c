/// A controller of a run with what it needs beside itself: built outside the cycle, handed over by
/// a pointer.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "control/factory/factory.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/reference_model.hpp"

namespace kagami::runtime {

/// A run has at most so many.
inline constexpr int kMaxControllers = 8;

struct ControllerInstance {
  std::unique_ptr<control::Controller> robot;
  std::unique_ptr<control::Controller> twin;  ///< the same again, for the twin's own readings
  std::unique_ptr<ReferenceModel> reference;  ///< of torques
  int number = 0;                             ///< CycleInput::handover_id; 0: built at set-up
  int place = 0;                              ///< in the run's list, from 0
};

/// The tunables of a controller, as a list for clients.
struct ControllerDescription {
  std::string name;  ///< in the factory: "pid"
  std::vector<control::Tunable> tunables;
  std::vector<double> values;  ///< in their order
};
/// Set-up.
ControllerDescription describe(const control::Controller& controller);

/// Set-up, or any thread but the cycle's during a run. `gains`: text of a set
/// (kagami.gains/1), `where`: its name in errors. Throws ConfigError for a set that does not fit.
std::unique_ptr<ControllerInstance> make_control_unit(
    const models::RobotDescription& robot, const motions::Motion& motion, const CycleConfig& config,
    const std::string& gains, const std::string& where, const control::ControllerFactory& factory);

/// The two boxes through which units change hands while the cycle runs: one waits to be taken, one
/// to be destroyed. Neither side waits. Owns what is in it.
class ControllerHandover {
 public:
  ControllerHandover() = default;
  ControllerHandover(const ControllerHandover&) = delete;
  ControllerHandover& operator=(const ControllerHandover&) = delete;
  ~ControllerHandover();

  /// False, and `unit` stays, while the one before has not been taken. One thread at a time.
  bool offer(std::unique_ptr<ControllerInstance>& unit) noexcept;
  /// Destroys what was given back. Any thread but the cycle's.
  void collect() noexcept;

  /// Null where nothing waits, or where what was given back last was not collected yet. Cycle code.
  [[nodiscard]] std::unique_ptr<ControllerInstance> take() noexcept;
  /// After a take, at most once. Cycle code.
  void give_back(std::unique_ptr<ControllerInstance> unit) noexcept;

 private:
  std::atomic<ControllerInstance*> offered_{nullptr};
  std::atomic<ControllerInstance*> returned_{nullptr};
};

}  // namespace kagami::runtime
