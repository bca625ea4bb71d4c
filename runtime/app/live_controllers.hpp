/// The controllers of a run: the active one, and new ones added during the run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "control/factory/factory.hpp"
#include "runtime/app/controller_list.hpp"
#include "runtime/app/live_answer.hpp"
#include "runtime/app/live_gains.hpp"
#include "runtime/app/live_shared.hpp"
#include "runtime/app/live_status.hpp"
#include "runtime/app/live_tickets.hpp"
#include "runtime/app/live_tuning.hpp"
#include "runtime/cycle/controller_instance.hpp"
#include "runtime/threads/recorder.hpp"

namespace kagami::runtime {

/// Any thread, at any time.
class LiveControllers {
 public:
  /// What a controller changes when it is taken over.
  struct Places {
    LiveTuning& tuning;
    ControllerList& list;
    LiveTickets& tickets;
    LiveGains& gains;
  };
  LiveControllers(const LiveShared& shared, const Places& places)
      : shared_(shared),
        tuning_(places.tuning),
        list_(places.list),
        tickets_(places.tickets),
        gains_(places.gains) {}

  /// Which one leads, by its name in LiveStatus::controllers or the name of its gain set; empty or
  /// "motion": the motion alone. Taken over without a bump.
  LiveAnswer choose(std::string_view name);
  /// Builds a controller from a gain set (kagami.gains/1) on the calling thread and hands it to the
  /// cycle, which takes it at a tick: as a further one, or in place of the one named `replace`,
  /// also while that leads. The text goes into the record. Throws ConfigError for a set that does
  /// not fit, no room, no run.
  LiveAnswer add(const std::string& gains_text, std::string_view replace = {});
  /// Every name that `choose` takes for a controller of the run.
  [[nodiscard]] std::vector<std::string> known_names() const;

  /// What the cycle takes controllers from.
  [[nodiscard]] ControllerHandover& handover() noexcept { return handover_; }

  // --- LiveControl, with the mutex of LiveShared held
  /// `factory` outlives the run. `may_add`: the run can take further controllers.
  void open(const control::ControllerFactory& factory, bool may_add);
  void see(const CycleRecord& row);
  /// What belongs into the record since the last call.
  bool take_attachment(RecordAttachment& attachment);
  void describe(LiveStatus& status) const;
  /// Held while a controller is built; taken before the mutex of LiveShared.
  [[nodiscard]] std::mutex& building() noexcept { return building_; }

 private:
  /// One that was handed over and not taken yet.
  struct Coming {
    std::unique_ptr<ListedController> controller;  // null: none is on its way
    int number = 0;
    int place = 0;
    std::uint64_t ticket = 0;
  };

  /// Of the next one in the list. Throws ConfigError where it may not come.
  [[nodiscard]] int place_for(std::string_view replace) const;
  void check_room(std::size_t tunables, int place) const;
  LiveAnswer hand_over(std::unique_ptr<ControllerInstance> unit,
                       std::unique_ptr<ListedController> controller, const std::string& where);
  void put_in_list(std::uint32_t layout);

  const LiveShared& shared_;
  LiveTuning& tuning_;
  ControllerList& list_;
  LiveTickets& tickets_;
  LiveGains& gains_;
  ControllerHandover handover_;
  std::mutex building_;
  const control::ControllerFactory* factory_ = nullptr;
  bool may_add_ = false;
  Coming coming_;
  int handovers_ = 0;  // how many were handed over until now
  std::deque<RecordAttachment> attachments_;
};

}  // namespace kagami::runtime
