/// The front of a run for those who turn it while it goes on: many threads ask, the cycle takes at
/// a tick and never waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/core/joint_signal.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::runtime {

/// A number that may be turned, as it was last asked for.
struct LiveParameter {
  std::string name;  ///< "pid/left_knee/kp", "motion/speed"
  double value = 0.0;
  double min = 0.0;
  double max = 0.0;
  double default_value = 0.0;  ///< of the gain file
  std::string unit;            ///< "1/s"; empty: none
  std::string text;            ///< what it does, for a person
};

struct LiveChange {
  std::string name;
  double value = 0.0;
};

/// Why nothing was changed.
struct LiveRefusal {
  std::string name;    ///< of the parameter or of what was asked for: "play"
  double value = 0.0;  ///< that was asked for; 0 where there is none
  /// "0..1000 1/s", "a finite number", "a robot that holds"
  std::string expected;
};

/// Either a ticket for what will happen at a tick, or why it will not.
struct LiveAnswer {
  std::uint64_t ticket = 0;  ///< version of the tuning; rises
  std::optional<LiveRefusal> refusal;
  [[nodiscard]] bool ok() const noexcept { return !refusal.has_value(); }
  /// One sentence: "pid/left_knee/kp: 2000 is refused, expected 0..1000 1/s"; empty when ok.
  [[nodiscard]] std::string sentence() const;
};

/// The two named sets.
enum class GainSet : std::uint8_t { kA, kB };

struct LiveDifference {
  std::string name;
  double a = 0.0;
  double b = 0.0;
};

/// All values that were applied together.
struct LiveGains {
  std::uint64_t version = 0;  ///< 0: those of the files, since the start
  std::int64_t tick = 0;      ///< at which they were applied
  std::string why;  ///< "propose", "undo", "redo", "select A", "autotune", "rollback", ...
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::int64_t> since;  ///< of each value: tick from which on it has been in force
};

struct LiveMotion {
  std::string name;
  double duration = 0.0;          ///< s, first pose to last, at speed 1
  std::vector<double> keyframes;  ///< s, of every pose, the first at 0
};

/// What a status bar shows of the above.
struct LiveStatus {
  bool is_open = false;  ///< a run goes on
  SupervisorState state = SupervisorState::kIdle;
  Phase phase = Phase::kWaiting;
  std::int64_t tick = -1;      ///< newest that the writer has seen
  std::uint64_t version = 0;   ///< applied
  std::uint64_t asked = 0;     ///< newest ticket
  std::uint64_t written = 0;   ///< newest ticket that turned a gain: the base of the next write
  bool dirty = false;          ///< the values differ from the loaded or last saved gain files
  std::optional<GainSet> set;  ///< whose values are those asked for
  bool can_undo = false;
  bool can_redo = false;
  std::string controller;                ///< which leads; empty: the motion alone, or none yet
  std::vector<std::string> controllers;  ///< all that can lead
  std::string motion;                    ///< the chosen one
  double speed = 1.0;
  bool paused = false;
  bool loop = false;
  bool reverse = false;  ///< the motion's time runs backwards, or stands at its beginning
  std::string reason;    ///< sentence: why it is in a fault, stopped or released; empty: it is not
  bool testing = false;  ///< a test of one joint is asked for or under way
};

/// Created by the caller before a run, handed in as RunHooks::live, alive until after it. All
/// functions may be called from any thread at any time; before and after the run they answer with a
/// refusal, an empty list or what was last known. None waits for the cycle, but `wait`.
class LiveControl {
 public:
  /// `stop`: the very one of RunHooks::stop.
  explicit LiveControl(StopRequest& stop);
  ~LiveControl();
  LiveControl(const LiveControl&) = delete;
  LiveControl& operator=(const LiveControl&) = delete;

  /// The run was announced: its cycle may tick. False again after its end.
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] LiveStatus status() const;
  [[nodiscard]] std::string robot() const;
  [[nodiscard]] std::vector<std::string> joint_names() const;
  [[nodiscard]] std::vector<LiveMotion> motions() const;

  // --- gains: proposed, checked, applied at a tick as one set, acknowledged, recorded
  /// Everything of all controllers of the run, and motion/speed.
  [[nodiscard]] std::vector<LiveParameter> parameters() const;
  /// All changes or none. `why` is shown with the applied set. `base`: the version whose values the
  /// asker has seen; refused where a gain was turned since (LiveStatus::written is newer) and where
  /// there is no such version yet. Without it the newest request wins.
  LiveAnswer propose(std::span<const LiveChange> changes, std::string_view why = "propose",
                     std::optional<std::uint64_t> base = std::nullopt);
  /// Tick at which the ticket's values were applied; nothing yet, or never (was_refused).
  [[nodiscard]] std::optional<std::int64_t> acknowledged(std::uint64_t ticket) const;
  /// The cycle looked at it and a controller did not take it; nothing of it was applied.
  [[nodiscard]] bool was_refused(std::uint64_t ticket) const;
  /// Waits for the acknowledgement, never longer than `limit`, and not beyond the run's end.
  std::optional<std::int64_t> wait(std::uint64_t ticket, std::chrono::milliseconds limit);
  /// The set that the cycle goes by now.
  [[nodiscard]] LiveGains applied() const;
  /// One step back or forth in the history of gain values (the last 256; speed and controller have
  /// none): the exact bits.
  LiveAnswer undo();
  LiveAnswer redo();
  /// Copies the values asked for into A or B; both begin as those of the gain files.
  void store(GainSet set);
  LiveAnswer select(GainSet set);
  /// Where A and B differ.
  [[nodiscard]] std::vector<LiveDifference> difference() const;
  /// Writes the gain file of `controller` (empty: of the first) with the values asked for,
  /// atomically: whole or not at all. An empty `date` (2026-11-28) is today. Throws ConfigError
  /// where there is no such controller or its file cannot say a value, RecordError where the disk
  /// refuses.
  void save(const std::filesystem::path& file, std::string_view note,
            std::string_view controller = {}, std::string_view date = {});

  // --- controllers
  /// By its name in `controllers`, or the name of its gain set; empty or "motion": the motion
  /// alone. Taken over without a bump.
  LiveAnswer set_controller(std::string_view name);
  /// Builds a controller from a gain set (kagami.gains/1) on the calling thread and hands it to the
  /// cycle, which takes it at a tick: as a further one, or in place of the one named `replace`,
  /// also while that leads. The text goes into the record. Throws ConfigError for a set that does
  /// not fit, no room, no run.
  LiveAnswer add_controller(const std::string& gains_text, std::string_view replace = {});

  // --- the motion; after a stop only play and play_again move the robot again, after a release or
  // a fault nothing does
  LiveAnswer pause();
  /// Goes on where it was paused; where the robot holds, like play_again. Refused in every other
  /// state, in a sentence that says when it will work; nothing is kept for later, so that nothing
  /// moves that were not requested just now.
  LiveAnswer play();
  /// Another motion of the run's list, from a hold.
  LiveAnswer play(std::string_view motion);
  /// From a hold back through homing to the motion's beginning.
  LiveAnswer play_again();
  /// While paused: `ms` (1..10000) of the motion's own time further, at the present speed.
  LiveAnswer step(int ms);
  /// 0.1..2
  LiveAnswer set_speed(double factor);
  LiveAnswer set_loop(bool loop);
  /// The motion's time backwards, at the present speed, down to the motion's beginning, where it
  /// stands until it is turned forwards again or stopped. A play turns it forwards. Not in keyframe
  /// mode: the boards know no way back.
  LiveAnswer set_reverse(bool reverse);
  // --- one joint
  /// Lays the signal on the reference that the robot holds, after a second of settling, and glides
  /// back; under the same gate, guards and stops as a motion, whichever controller is chosen
  /// leads. Refused unless the robot holds without a fault, without a request to stop, and the
  /// signal stays 2 deg inside the joint's soft limits. The ticket is acknowledged when the test
  /// was begun; rows say by `out.test` how far it is.
  LiveAnswer test_joint(const control::JointSignal& signal);

  /// At least this level of the ladder; wins over everything that was asked for.
  void stop(StopLevel level);
  /// A run with a LiveControl waits in a hold for the next play; after this it ends there.
  void finish();

  /// The run's side of it: live_state.hpp.
  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Puts the gains back as they were at its construction, unless they are kept: for experiments that
/// may be left at any point.
class LiveGuard {
 public:
  explicit LiveGuard(LiveControl& live);
  /// Proposes the old values ("rollback") where they are not those asked for now.
  ~LiveGuard();
  LiveGuard(const LiveGuard&) = delete;
  LiveGuard& operator=(const LiveGuard&) = delete;
  void keep() noexcept { kept_ = true; }

 private:
  LiveControl& live_;
  std::vector<LiveChange> before_;
  bool kept_ = false;
};

}  // namespace kagami::runtime
