#include "runtime/app/live_controllers.hpp"

#include <utility>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

std::unique_ptr<ListedController> listed(const control::Controller& controller,
                                         const std::string& gains_text, const std::string& where) {
  auto made = std::make_unique<ListedController>();
  const ConfigDocument gains = ConfigDocument::parse(gains_text, where);
  made->gains = gains.root().text_or("name", "");
  made->type = control::controller_of(gains);
  made->text = gains_text;
  const auto tunables = controller.tunables();
  made->tunables.assign(tunables.begin(), tunables.end());
  for (std::size_t k = 0; k < tunables.size(); ++k) {
    made->files.push_back(controller.tunable(static_cast<int>(k)));
    made->tunables[k].default_value = made->files.back();
  }
  return made;
}

LiveAnswer refuse_second() {
  return LiveAnswer::refuse(
      "controller", 0.0,
      "one handover at a time: wait until the previous controller was taken over");
}

}  // namespace

LiveAnswer LiveControllers::choose(std::string_view name) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return LiveAnswer::refuse("controller", 0.0, "a run in progress");
  std::int32_t chosen = kMotionAlone;
  if (!name.empty() && name != "motion") {
    chosen = list_.find(name);
    if (chosen < 0) {
      std::string known = "motion";
      for (const std::string& key : list_.keys()) known += ", " + key;
      return LiveAnswer::refuse("controller '" + std::string(name) + "'", 0.0, "one of: " + known);
    }
  }
  tuning_.requested().controller = chosen;
  return tuning_.publish("controller");
}

LiveAnswer LiveControllers::add(const std::string& gains_text, std::string_view replace) {
  const std::lock_guard built(building_);
  std::unique_lock lock(shared_.mutex);
  if (shared_.is_open() && may_add_ && coming_.controller) return refuse_second();
  const int place = place_for(replace);
  const int number = handovers_ + 1;
  lock.unlock();

  // the run stays, for close waits; its cycle continues meanwhile
  const RunSetup& setup = *shared_.setup;
  const std::string where = live_gains_attachment(number);
  std::unique_ptr<ControllerInstance> unit =
      make_control_unit(setup.robot, setup.motion, setup.cycle, gains_text, where, *factory_);
  unit->number = number;
  unit->place = place;
  std::unique_ptr<ListedController> made = listed(*unit->robot, gains_text, where);

  lock.lock();
  check_room(made->tunables.size(), place);
  made->key = list_.key_for(made->type, place);
  return hand_over(std::move(unit), std::move(made), where);
}

int LiveControllers::place_for(std::string_view replace) const {
  if (!shared_.is_open()) throw ConfigError("controller: no run in progress");
  if (!may_add_) {
    throw ConfigError(
        "controller: this run cannot take one; expected --mode stream or ramp and readings");
  }
  int place = list_.size();
  if (!replace.empty()) {
    place = list_.find(replace);
    if (place < 0) {
      throw ConfigError("controller: '" + std::string(replace) +
                        "' is not a controller of this run, so it cannot be replaced");
    }
  }
  if (place >= kMaxControllers) {
    throw ConfigError("controller: the run already has " + std::to_string(place) +
                      " controllers, the maximum; expected the name of one to replace");
  }
  return place;
}

void LiveControllers::check_room(std::size_t tunables, int place) const {
  std::size_t total = tunables;
  for (int k = 0; k < list_.size(); ++k) {
    if (k != place) total += list_.all()[static_cast<std::size_t>(k)].tunables.size();
  }
  if (total <= kMaxTunables) return;
  throw ConfigError("controller: " + std::to_string(total) +
                    " tunables together, expected at most " + std::to_string(kMaxTunables));
}

LiveAnswer LiveControllers::hand_over(std::unique_ptr<ControllerInstance> unit,
                                      std::unique_ptr<ListedController> controller,
                                      const std::string& where) {
  const int number = unit->number;
  const int place = unit->place;
  handovers_ = number;
  attachments_.push_back({where, "application/json", controller->text});
  // its ticket: the set that is published when it was taken over
  const std::uint64_t ticket = tuning_.next_ticket();
  if (!handover_.offer(unit)) return refuse_second();
  coming_ = {
      .controller = std::move(controller), .number = number, .place = place, .ticket = ticket};
  tickets_.postpone(ticket);
  return {.ticket = ticket, .refusal = std::nullopt};
}

std::vector<std::string> LiveControllers::known_names() const {
  const std::lock_guard lock(shared_.mutex);
  return list_.known_names();
}

// --- the run's side

void LiveControllers::open(const control::ControllerFactory& factory, bool may_add) {
  factory_ = &factory;
  may_add_ = may_add;
}

void LiveControllers::see(const CycleRecord& row) {
  if (!coming_.controller) return;
  if (row.out.tuning_layout > tuning_.requested().layout) {
    put_in_list(row.out.tuning_layout);
  } else if (row.in.handover_id == coming_.number) {
    tickets_.note_refused(coming_.ticket);
    coming_ = {};
  }
}

void LiveControllers::put_in_list(std::uint32_t layout) {
  const std::vector<std::string> before = list_.value_names();
  list_.put(coming_.place, std::move(*coming_.controller));
  tuning_.requested().layout = layout;
  gains_.rearrange(before, coming_.place);
  tickets_.resume(coming_.ticket, tuning_.publish("controller").ticket);
  coming_ = {};
}

bool LiveControllers::take_attachment(RecordAttachment& attachment) {
  if (attachments_.empty()) return false;
  attachment = std::move(attachments_.front());
  attachments_.pop_front();
  return true;
}

void LiveControllers::describe(LiveStatus& status) const {
  status.controllers = list_.keys();
  const std::int32_t leads = shared_.seen.leads;
  if (leads >= 0 && leads < list_.size()) {
    status.controller = status.controllers[static_cast<std::size_t>(leads)];
  }
}

}  // namespace kagami::runtime
