/// The services that try, test and find gains: the library tools/tune beside a run in progress.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/assemble.hpp"
#include "runtime/app/live_control.hpp"
#include "tools/dashboard/promotion.hpp"
#include "tools/dashboard/robot_excitation.hpp"
#include "tools/dashboard/run_side.hpp"
#include "tools/dashboard/worker.hpp"
#include "tools/tune/gain_changes.hpp"

namespace kagami::tools {

/// try, promote, experiment, autotune, accept, reject. Everything is computed on twins, one after
/// another on a thread of its own; only promote, accept and an experiment on the robot touch the
/// run. `side`, `live`, `setup` outlive it; it ends before they do.
class TuneServices {
 public:
  /// Adds the services to `side`, before the server is built. `tell`: news of a promotion, on the
  /// thread of `row`.
  TuneServices(RunSide& side, runtime::LiveControl& live, const runtime::RunSetup& setup,
               std::function<void(const PromotionNews& news)> tell);
  ~TuneServices();
  TuneServices(const TuneServices&) = delete;
  TuneServices& operator=(const TuneServices&) = delete;

  /// A row of the run, on the recorder's thread: where the robot is, and whether a promotion goes
  /// as foreseen.
  void row(const runtime::CycleRecord& row);
  /// RunHooks::test, on the same thread.
  void test_row(const runtime::CycleRecord& row) { robot_test_.row(row); }
  /// Of the newest row. Any thread.
  [[nodiscard]] RunMoment moment() const;

 private:
  /// Something that was tried or found, by its id.
  struct Proposal {
    std::string id;
    std::string why;  ///< "promote", "autotune"
    std::vector<control::TunableValue> changes;
  };

  void add_try();
  void add_promote();
  void add_experiment();
  void add_autotune();
  /// Runs the job on the own thread; what it throws becomes a refusal, null: it answers itself.
  void work(const Done& done, std::function<nlohmann::json()> job);
  std::string keep(const char* why, std::vector<control::TunableValue> changes);
  /// Throws ConfigError when it is not known any more.
  Proposal proposal(const std::string& id) const;
  void drop(const std::string& id);
  /// Throws ConfigError without a PID.
  [[nodiscard]] const std::string& gains_text() const;
  [[nodiscard]] std::vector<control::TunableValue> changed_gains() const;
  [[nodiscard]] PresentState present() const;
  /// Asks for the test; its rows answer when they have come. Throws ConfigError where it is
  /// refused.
  void test_on_robot(const JointSignal& signal, const Done& done);
  /// What the promotion of these changes should look like, from where the run will be soon.
  void promote(const Proposal& what, const Done& done);

  RunSide& side_;
  runtime::LiveControl& live_;
  const runtime::RunSetup& setup_;
  const std::function<void(const PromotionNews&)> tell_;
  models::RobotDescription robot_;  // the same, held by its trunk

  mutable std::mutex mutex_;
  std::deque<Proposal> kept_;
  int next_id_ = 1;
  RunMoment moment_;
  Promotion promotion_;
  RobotExcitation robot_test_;
  std::atomic<bool> ends_{false};
  Worker worker_;  // last: its jobs use the others
};

}  // namespace kagami::tools
