/// Control of a run in progress: many threads ask, the cycle takes at a tick and never waits.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "runtime/app/controller_list.hpp"
#include "runtime/app/live_controllers.hpp"
#include "runtime/app/live_excitation.hpp"
#include "runtime/app/live_gains.hpp"
#include "runtime/app/live_motion.hpp"
#include "runtime/app/live_shared.hpp"
#include "runtime/app/live_status.hpp"
#include "runtime/app/live_tickets.hpp"
#include "runtime/app/live_tuning.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/threads/recorder.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::runtime {

/// What a run hands to its LiveControl at set-up. Setup, factory and channels outlive the run.
struct LiveOpening {
  const RunSetup& setup;
  const control::ControllerFactory& factory;
  const std::vector<ControllerDescription>& controllers;
  bool may_add = false;  ///< the cycle can take further controllers
  ThreadChannels& channels;
};

/// Created by the caller before a run, handed in as RunHooks::live, alive until after it. All
/// functions, those of its parts too, may be called from any thread at any time; before and after
/// the run they answer with a refusal, an empty list or what was last known. None waits for the
/// cycle.
class LiveControl {
 public:
  /// `stop`: the very one of RunHooks::stop.
  explicit LiveControl(StopRequest& stop);
  LiveControl(const LiveControl&) = delete;
  LiveControl& operator=(const LiveControl&) = delete;

  [[nodiscard]] LiveGains& gains() noexcept { return gains_; }
  [[nodiscard]] LiveMotion& motion() noexcept { return motion_; }
  [[nodiscard]] LiveControllers& controllers() noexcept { return controllers_; }
  [[nodiscard]] LiveExcitation& excitation() noexcept { return excitation_; }
  [[nodiscard]] LiveTickets& tickets() noexcept { return tickets_; }

  /// The run was announced: its cycle may tick. False again after its end.
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] std::vector<std::string> joint_names() const;

  /// At least this level of the ladder; overrides every earlier request.
  void stop(StopLevel level) { shared_.stop.raise_to(level); }
  /// A run with a LiveControl waits in a hold for the next play; after this it ends there.
  void finish() { is_finished_.store(true, std::memory_order_release); }

  // --- the run's side
  /// Set-up of a run, before its threads.
  void open(const LiveOpening& run);
  /// After its threads; waits for a controller that is being built. Completes the tickets that are
  /// left.
  void close();
  /// The writer's thread, every row.
  void observe(const CycleRecord& row);
  /// The writer's thread: what belongs into the record since the last call.
  bool take_attachment(RecordAttachment& attachment);
  [[nodiscard]] const StopRequest& stop_request() const noexcept { return shared_.stop; }
  [[nodiscard]] const std::atomic<bool>& is_finished() const noexcept { return is_finished_; }

 private:
  void take(const CycleRecord& row);

  LiveShared shared_;
  std::atomic<bool> is_finished_{false};
  std::vector<std::string> joint_names_;
  LiveTuning tuning_;
  ControllerList list_;
  LiveTickets tickets_;
  LiveGains gains_;
  LiveMotion motion_;
  LiveControllers controllers_;
  LiveExcitation excitation_;
};

}  // namespace kagami::runtime
