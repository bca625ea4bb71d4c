/// The tunable values of a run: proposed, checked, applied at a tick as one set,
/// recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/app/controller_list.hpp"
#include "runtime/app/live_answer.hpp"
#include "runtime/app/live_parameter.hpp"
#include "runtime/app/live_shared.hpp"
#include "runtime/app/live_status.hpp"
#include "runtime/app/live_tickets.hpp"
#include "runtime/app/live_tuning.hpp"

namespace kagami::runtime {

struct LiveDifference {
  std::string name;
  double a = 0.0;
  double b = 0.0;
};

/// All values that were applied together.
struct AppliedGains {
  std::uint64_t version = 0;  ///< 0: those of the files, since the start
  std::int64_t tick = 0;      ///< at which they were applied
  std::string why;  ///< "propose", "undo", "redo", "select A", "autotune", "rollback", ...
  std::vector<control::TunableValue> values;
  std::vector<std::int64_t> since;  ///< of each value: tick from which on it has been in force
};

/// Any thread, at any time.
class LiveGains {
 public:
  LiveGains(const LiveShared& shared, LiveTuning& tuning, ControllerList& list,
            LiveTickets& tickets)
      : shared_(shared), tuning_(tuning), list_(list), tickets_(tickets) {}

  /// What the sentences of the run's events call its controllers, gains and motions.
  [[nodiscard]] EventNames event_names() const;
  /// Everything of all controllers of the run, and motion/speed. Without a run: empty.
  [[nodiscard]] std::vector<LiveParameter> parameters() const;
  /// All changes or none. `why` is shown with the applied set. `base`: the version whose values the
  /// client has displayed; refused where a gain was changed since (LiveStatus::written is newer)
  /// and where there is no such version yet. Without it the newest request wins.
  LiveAnswer propose(std::span<const control::TunableValue> changes,
                     std::string_view why = "propose",
                     std::optional<std::uint64_t> base = std::nullopt);
  /// The set that the cycle goes by now.
  [[nodiscard]] AppliedGains applied() const;
  /// One step back or forth in the history of gain values (the last 256; speed and controller have
  /// none): the exact bits.
  LiveAnswer undo();
  LiveAnswer redo();
  /// Copies the requested values into A or B; both begin as those of the gain files.
  void store(GainSet set);
  LiveAnswer select(GainSet set);
  /// Where A and B differ.
  [[nodiscard]] std::vector<LiveDifference> difference() const;
  /// Writes the gain file of `controller` (empty: of the first) with the requested values,
  /// atomically: whole or not at all. An empty `date` (2026-11-28) is today. Throws ConfigError
  /// where there is no such controller or its file cannot say a value, RecordError where the disk
  /// refuses.
  void save(const std::filesystem::path& file, std::string_view note,
            std::string_view controller = {}, std::string_view date = {});

  // --- LiveControl and the other parts, with the mutex of LiveShared held
  /// A run begins with the values of its gain files.
  void open();
  /// A row whose set is newer, or was refused, than those before.
  void take(const CycleOutput& out);
  void put_back_refused(std::uint64_t version);
  /// The list has another controller at `place`, and the values another order: each keeps its value
  /// by its name, the new ones have those of their gain file.
  void rearrange(const std::vector<std::string>& names_before, int place);
  void describe(LiveStatus& status) const;

 private:
  [[nodiscard]] std::vector<LiveParameter> list() const;
  LiveAnswer set_values(const std::vector<double>& values, std::string why);
  LiveAnswer go_to(std::size_t step, const char* why);
  /// The requested values change from here on.
  void remember();

  const LiveShared& shared_;
  LiveTuning& tuning_;
  ControllerList& list_;
  LiveTickets& tickets_;
  std::vector<std::vector<double>> history_;
  std::size_t now_ = 0;  // place in the history
  std::vector<double> sets_[2];
  std::optional<GainSet> selected_;
  AppliedGains applied_;
};

}  // namespace kagami::runtime
