/// Behind LiveControl: what was asked for, what the cycle has taken, and the run's side of both.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "control/factory/factory.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/cycle/controller_instance.hpp"
#include "runtime/threads/recorder.hpp"

namespace kagami::runtime {

/// One mutex among the callers and the writer; the cycle takes none: it fetches the newest Tuning,
/// takes a unit from its box and reads the stop and the flag.
struct LiveControl::State {
  explicit State(StopRequest& request) : stop(request) {}

  // --- the run's side
  /// Set-up of a run, before its threads. Borrows all until close.
  void open(const RunSetup& setup, const control::ControllerFactory& factory,
            const std::vector<ControllerDescription>& controllers, bool may_add,
            ThreadChannels& border);
  /// After its threads; waits for a controller that is being built.
  void close();
  /// The writer's thread, every row.
  void observe(const CycleRecord& row);
  /// The writer's thread: what belongs into the record since the last call.
  bool take_attachment(RecordAttachment& attachment);

  // --- with `mutex` held
  struct Controller {
    std::string key;    ///< "pid", "virtual_loop", "pid_2": before its tunables' names
    std::string gains;  ///< name of its gain set
    std::string text;   ///< of its gain set
    std::string type;   ///< name in the factory
    std::vector<control::Tunable> tunables;
    std::vector<double> files;  ///< values of the gain file, or as saved last
  };
  struct Published {
    std::uint64_t version = 0;
    std::string why;
    std::vector<double> values;
  };
  struct Coming {
    std::unique_ptr<Controller> controller;  ///< null: none is on its way
    int number = 0;
    int place = 0;
    std::uint64_t ticket = 0;
  };
  [[nodiscard]] LiveAnswer publish(std::string why);
  [[nodiscard]] LiveAnswer set_values(const std::vector<double>& values, std::string why);
  /// The asked values change from here on.
  void remember();
  [[nodiscard]] std::vector<double> values() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<double> files() const;
  [[nodiscard]] int find_controller(std::string_view name) const;  ///< -1: none of this name
  [[nodiscard]] std::string key_for(const std::string& type, int place) const;
  [[nodiscard]] LiveAnswer refuse(std::string name, double value, std::string expected) const;
  [[nodiscard]] std::optional<LiveRefusal> why_not_tested(const control::JointSignal& signal) const;
  [[nodiscard]] LiveAnswer start_again(std::int32_t chosen, std::uint32_t stop_seen);
  void note_events(const CycleRecord& row);
  void taken(const CycleOutput& out);
  void refused(std::uint64_t version);
  void arrived();

  StopRequest& stop;
  std::atomic<bool> finished{false};
  ControllerHandover exchange;

  mutable std::mutex mutex;
  std::mutex building;  ///< first this, then `mutex`
  std::condition_variable changed;

  ThreadChannels* border = nullptr;  ///< null: no run
  const RunSetup* setup = nullptr;
  const control::ControllerFactory* factory = nullptr;
  bool may_add = false;
  std::string robot;
  std::vector<std::string> joint_names;
  std::vector<LiveMotion> motions;
  std::vector<Controller> controllers;

  Tuning asked;
  std::uint64_t newest = 0;   ///< version handed out last
  std::uint64_t written = 0;  ///< the newest version whose values differ from the one before
  std::vector<double> written_values;
  std::vector<std::vector<double>> history;
  std::size_t now = 0;  ///< place in the history
  std::vector<double> sets[2];
  std::optional<GainSet> selected;
  std::deque<Published> published;

  std::vector<std::pair<std::uint64_t, std::int64_t>> applications;  ///< version, tick; rising
  std::set<std::uint64_t> refusals;
  /// Tickets of controllers that came: the set in which their values were applied.
  std::map<std::uint64_t, std::uint64_t> arrivals;
  LiveGains applied;
  /// Of the newest row: what the joints' references stand at, rad.
  JointArray<double> standing{};
  std::uint64_t test_ticket = 0;
  LiveStatus seen;  ///< state, phase, tick, version of the newest row
  std::int32_t leads = -1;
  std::uint32_t layout = 0;
  Coming coming;
  int handovers = 0;  ///< how many were handed over until now
  std::deque<RecordAttachment> attachments;
};

}  // namespace kagami::runtime
