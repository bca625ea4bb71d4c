/// Runs a scenario and measures what came out of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/contact/world/world.hpp"
#include "tools/scenario/joint_stops.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {

/// Where a system is at the end.
struct SystemEnd {
  std::string name;
  models::SystemStatus status = models::SystemStatus::kOk;  ///< of the last step
  Vec3 place = Vec3::Zero();  ///< m, first body's frame in W, where that body floats
  bool asleep = false;        ///< after the last step
  double speed = 0.0;         ///< largest of |v| over its degrees of freedom: rad/s, m/s
};

/// J. Drives and the integrator's own error supply, contacts and restitution can only take
/// (models::StepEnergy).
struct SceneEnergy {
  double start = 0.0;
  double end = 0.0;
  double drive = 0.0;       ///< work of joint forces over the run
  double integrator = 0.0;  ///< what the integrator's own error supplied
  double contact = 0.0;     ///< what contacts supplied, from the states alone: the rest
  /// Largest rise of the energy less the drives' work above its lowest value so far.
  double largest_rise = 0.0;
  /// The same less the integrator's own error, too: energy without a source.
  double unsupplied = 0.0;
  double contact_gain = 0.0;  ///< sum of what contacts fed in: penetration taken back
};

struct SceneContacts {
  double penetration = 0.0;      ///< m, deepest of the run
  double penetration_end = 0.0;  ///< m, deepest of the last step
  double slip = 0.0;             ///< m, longest way that one touching vertex slid
  int most = 0;                  ///< points, or patches, in one step
  double residual = 0.0;         ///< m/s, largest
};

/// The last quarter of the run.
struct SceneRest {
  double from = 0.0;              ///< s
  std::optional<double> load;     ///< mean normal force over the weight; none: no weight
  std::optional<double> chatter;  ///< its standard deviation over the weight
  int fewest = 0, most = 0;       ///< pressed contacts of a step
};

struct SceneSummary {
  std::string name;
  std::string method;
  std::string dynamics;   ///< name of the robots' forward dynamics
  double duration = 0.0;  ///< s, steps times step
  double step = 0.0;      ///< s
  models::WorldCounters counters;
  int most_iterations = 0;  ///< of one step
  models::WorldStatus worst = models::WorldStatus::kOk;
  SceneEnergy energy;
  SceneContacts contacts;
  SceneRest rest;
  std::vector<SystemEnd> systems;
  std::vector<StopReport> stops;          ///< joints that reached a limit
  std::vector<Disturbance> disturbances;  ///< as the scenario has them
  bool sleeps = false;                    ///< the scenario lets what rests sleep
  std::uint64_t state_hash = 0;           ///< of q and v of all systems after every step
  std::optional<double> cpu_seconds;      ///< of the steps alone, this thread
  [[nodiscard]] double mean_iterations() const;
};

/// One step and the run up to its end.
struct StepReport {
  long step = 0;        ///< from 1 on
  double t = 0.0;       ///< s, at its end
  long iterations = 0;  ///< of this step
  SceneEnergy energy;   ///< since the start; `end` is that of this step
};

/// Sees the world after every step.
using AfterStep = std::function<void(const models::World& world, const StepReport& report)>;

/// Implicit posture servos, for a step of h (s).
void hold_posture(const PostureHold& hold, const JointVector& q_start, int system, double h,
                  models::World& world);

/// Builds the world and steps it to the end. `seconds` is a clock of CPU time, or empty: then
/// cpu_seconds is not measured. Throws ConfigError or ModelError, with the scenario's file, for
/// what World refuses.
SceneSummary run_scene(const Scenario& scenario, const std::function<double()>& cpu_clock,
                       const AfterStep& after_step);

/// Mean thickness of an overlap (m): its volume over its area seen along the normal.
double patch_depth(const models::WorldPatch& patch) noexcept;

/// CPU time of this thread (s).
double thread_seconds();

}  // namespace kagami::tools
