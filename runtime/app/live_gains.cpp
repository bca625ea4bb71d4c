// LiveControl: gain sets as files, controllers that come while the run goes on.
#include <array>
#include <cstdio>
#include <ctime>

#include "control/pid/gain_writer.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "runtime/app/live_state.hpp"

namespace kagami::runtime {
namespace {

std::string today() {
  const std::time_t time = std::time(nullptr);  // labels the file alone
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &local);
  return text.data();
}

}  // namespace

void LiveControl::save(const std::filesystem::path& file, std::string_view note,
                       std::string_view controller, std::string_view date) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  const int place = controller.empty() ? 0 : s.find_controller(controller);
  if (place < 0 || place >= static_cast<int>(s.controllers.size())) {
    throw ConfigError("save: " +
                      (s.controllers.empty()
                           ? std::string("this run has no controller whose gains could "
                                         "be written")
                           : "'" + std::string(controller) + "' is no controller of this run"));
  }
  std::size_t begin = 0;
  for (int k = 0; k < place; ++k) {
    begin += s.controllers[static_cast<std::size_t>(k)].tunables.size();
  }
  const auto at = static_cast<std::size_t>(place);
  const State::Controller c = s.controllers[at];
  const auto* first = s.asked.values.data() + begin;
  const std::vector<double> values(first, first + c.tunables.size());
  lock.unlock();

  const control::GainSetHeader head{.name = file.stem().string(),
                                    .note = std::string(note),
                                    .date = date.empty() ? today() : std::string(date)};
  write_file_atomically(file, control::gain_text(c.text, c.tunables, values, head));

  lock.lock();
  if (at < s.controllers.size() && s.controllers[at].key == c.key) s.controllers[at].files = values;
}

LiveAnswer LiveControl::add_controller(const std::string& gains_text, std::string_view replace) {
  State& s = *state_;
  const std::lock_guard built(s.building);
  std::unique_lock lock(s.mutex);
  if (s.border == nullptr) throw ConfigError("controller: no run goes on");
  if (!s.may_add) {
    throw ConfigError(
        "controller: this run cannot take one; expected --mode stream or ramp and readings");
  }
  if (s.coming.controller) {
    return s.refuse("controller", 0.0, "that the one before was taken over");
  }
  int place = static_cast<int>(s.controllers.size());
  if (!replace.empty()) {
    place = s.find_controller(replace);
    if (place < 0) {
      throw ConfigError("controller: '" + std::string(replace) + "' is not there to be replaced");
    }
  }
  if (place >= kMaxControllers) {
    throw ConfigError("controller: the run has " + std::to_string(place) +
                      " already, its most; expected one to replace");
  }
  const int number = s.handovers + 1;
  lock.unlock();

  // the run stays, for close waits; its cycle goes on meanwhile
  const std::string where = live_gains_attachment(number);
  std::unique_ptr<ControllerInstance> unit = make_control_unit(
      s.setup->robot, s.setup->motion, s.setup->cycle, gains_text, where, *s.factory);
  unit->number = number;
  unit->place = place;
  auto made = std::make_unique<State::Controller>();
  const ConfigDocument gains = ConfigDocument::parse(gains_text, where);
  made->gains = gains.root().text_or("name", "");
  made->type = control::controller_of(gains);
  made->text = gains_text;
  const auto tunables = unit->robot->tunables();
  made->tunables.assign(tunables.begin(), tunables.end());
  for (int k = 0; k < static_cast<int>(tunables.size()); ++k) {
    made->files.push_back(unit->robot->tunable(k));
    made->tunables[static_cast<std::size_t>(k)].default_value = made->files.back();
  }

  lock.lock();
  std::size_t total = tunables.size();
  for (std::size_t k = 0; k < s.controllers.size(); ++k) {
    if (static_cast<int>(k) != place) total += s.controllers[k].tunables.size();
  }
  if (total > kMaxTunables) {
    throw ConfigError("controller: " + std::to_string(total) +
                      " tunables together, expected at most " + std::to_string(kMaxTunables));
  }
  made->key = s.key_for(made->type, place);
  s.handovers = number;
  s.attachments.push_back({where, "application/json", gains_text});
  // its ticket: the set that is published when it was taken over
  s.coming = {
      .controller = std::move(made), .number = number, .place = place, .ticket = s.newest + 1};
  ++s.newest;
  const std::uint64_t ticket = s.coming.ticket;
  if (!s.exchange.offer(unit)) {
    s.coming = {};
    return s.refuse("controller", 0.0, "that the one before was taken over");
  }
  return {.ticket = ticket, .refusal = std::nullopt};
}

}  // namespace kagami::runtime
