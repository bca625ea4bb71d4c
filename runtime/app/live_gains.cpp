#include "runtime/app/live_gains.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <ctime>

#include "control/pid/gain_writer.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"

namespace kagami::runtime {
namespace {

constexpr std::size_t kMaxHistory = 256;

std::string today() {
  const std::time_t time = std::time(nullptr);  // labels the file alone
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &local);
  return text.data();
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same_bits(x, y); });
}

/// Tick from which on a value has been in force, when it is part of a set applied at `tick`.
std::int64_t since(const AppliedGains& before, const control::TunableValue& value,
                   std::int64_t tick) {
  const auto found = std::find(before.values.begin(), before.values.end(), value);
  if (found == before.values.end()) return tick;
  return before.since[static_cast<std::size_t>(found - before.values.begin())];
}

int place_to_save(const ControllerList& list, std::string_view controller) {
  if (list.size() == 0) {
    throw ConfigError("save: this run has no controller with gains");
  }
  const int place = controller.empty() ? 0 : list.find(controller);
  if (place >= 0) return place;
  throw ConfigError("save: '" + std::string(controller) + "' is not a controller of this run");
}

}  // namespace

// --- asking

EventNames LiveGains::event_names() const {
  const std::lock_guard lock(shared_.mutex);
  return shared_.setup == nullptr ? EventNames{} : list_.event_names(*shared_.setup);
}

std::vector<LiveParameter> LiveGains::parameters() const {
  const std::lock_guard lock(shared_.mutex);
  return shared_.is_open() ? list() : std::vector<LiveParameter>{};
}

std::vector<LiveParameter> LiveGains::list() const {
  std::vector<LiveParameter> all;
  for (const ListedController& c : list_.all()) {
    for (const control::Tunable& t : c.tunables) {
      all.push_back({.what = t, .value = tuning_.requested().values[all.size()]});
      all.back().what.name = c.key + "/" + t.name;
    }
  }
  all.push_back({.what = speed_tunable(), .value = tuning_.requested().speed});
  return all;
}

LiveAnswer LiveGains::propose(std::span<const control::TunableValue> changes, std::string_view why,
                              std::optional<std::uint64_t> base) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return LiveAnswer::refuse("run", 0.0, "a run in progress");
  const std::uint64_t written = tuning_.written();
  if (base && (*base < written || *base > tuning_.newest())) {
    return LiveAnswer::refuse(
        "base " + std::to_string(*base), 0.0,
        "version " + std::to_string(written) + ", that of the last change of a gain");
  }
  std::vector<LiveParameter> wanted = list();
  for (const control::TunableValue& change : changes) {
    const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const LiveParameter& p) {
      return p.what.name == change.name;
    });
    std::string expected = found == wanted.end() ? "the name of a parameter of this run"
                                                 : expected_instead(found->what, change.value);
    if (!expected.empty()) return LiveAnswer::refuse(change.name, change.value, expected);
    found->value = change.value;
  }
  tuning_.requested().speed = wanted.back().value;
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < wanted.size(); ++i) values.push_back(wanted[i].value);
  return set_values(values, std::string(why));
}

AppliedGains LiveGains::applied() const {
  const std::lock_guard lock(shared_.mutex);
  return applied_;
}

LiveAnswer LiveGains::undo() {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open() || now_ == 0) {
    return LiveAnswer::refuse("undo", 0.0, "a change to undo");
  }
  return go_to(now_ - 1, "undo");
}

LiveAnswer LiveGains::redo() {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open() || now_ + 1 >= history_.size()) {
    return LiveAnswer::refuse("redo", 0.0, "a change that was undone");
  }
  return go_to(now_ + 1, "redo");
}

LiveAnswer LiveGains::go_to(std::size_t step, const char* why) {
  now_ = step;
  tuning_.set_values(history_[now_]);
  return tuning_.publish(why);
}

void LiveGains::store(GainSet set) {
  const std::lock_guard lock(shared_.mutex);
  sets_[static_cast<int>(set)] = tuning_.values();
  selected_ = set;
}

LiveAnswer LiveGains::select(GainSet set) {
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.is_open()) return LiveAnswer::refuse("select", 0.0, "a run in progress");
  selected_ = set;
  return set_values(sets_[static_cast<int>(set)], set == GainSet::kA ? "select A" : "select B");
}

std::vector<LiveDifference> LiveGains::difference() const {
  const std::lock_guard lock(shared_.mutex);
  const std::vector<std::string> names = list_.value_names();
  std::vector<LiveDifference> differences;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double a = sets_[0][i];
    const double b = sets_[1][i];
    if (!same_bits(a, b)) differences.push_back({names[i], a, b});
  }
  return differences;
}

void LiveGains::save(const std::filesystem::path& file, std::string_view note,
                     std::string_view controller, std::string_view date) {
  std::unique_lock lock(shared_.mutex);
  const int place = place_to_save(list_, controller);
  const auto at = static_cast<std::size_t>(place);
  const ListedController c = list_.all()[at];
  const auto* first = tuning_.requested().values.data() + list_.first_value(place);
  const std::vector<double> values(first, first + c.tunables.size());
  lock.unlock();

  const control::GainSetHeader head{.name = file.stem().string(),
                                    .note = std::string(note),
                                    .date = date.empty() ? today() : std::string(date)};
  write_file_atomically(file, control::gain_text(c.text, c.tunables, values, head));

  lock.lock();
  if (place < list_.size() && list_.all()[at].key == c.key) list_.set_files(place, values);
}

LiveAnswer LiveGains::set_values(const std::vector<double>& values, std::string why) {
  const bool differ = values != tuning_.values();
  tuning_.set_values(values);
  if (differ) remember();
  return tuning_.publish(std::move(why));
}

void LiveGains::remember() {
  history_.resize(now_ + 1);
  history_.push_back(tuning_.values());
  if (history_.size() > kMaxHistory) history_.erase(history_.begin());
  now_ = history_.size() - 1;
}

// --- the run's side

void LiveGains::open() {
  const std::vector<double> start = tuning_.values();
  history_ = {start};
  now_ = 0;
  sets_[0] = sets_[1] = start;
  selected_ = GainSet::kA;
  applied_ = {.version = 0, .tick = 0, .why = "start", .values = {}, .since = {}};
  const std::vector<std::string> names = list_.value_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    applied_.values.push_back({names[i], start[i]});
    applied_.since.push_back(applied_.tick);
  }
}

void LiveGains::take(const CycleOutput& out) {
  std::optional<LiveTuning::Published> set = tuning_.published(out.tuning_version);
  tickets_.note_applied(out.tuning_version, out.tuning_tick);
  if (!set) return;
  const AppliedGains before = std::exchange(applied_, {.version = out.tuning_version,
                                                       .tick = out.tuning_tick,
                                                       .why = std::move(set->why),
                                                       .values = {},
                                                       .since = {}});
  const std::vector<std::string> names = list_.value_names();
  for (std::size_t i = 0; i < std::min(names.size(), set->values.size()); ++i) {
    applied_.values.push_back({names[i], set->values[i]});
    applied_.since.push_back(since(before, applied_.values.back(), out.tuning_tick));
  }
}

// a controller's own objection: the values before it are requested again, with all else
void LiveGains::put_back_refused(std::uint64_t version) {
  tickets_.note_refused(version);
  std::vector<double> values = tuning_.values();
  for (std::size_t i = 0; i < std::min(values.size(), applied_.values.size()); ++i) {
    values[i] = applied_.values[i].value;
  }
  tuning_.set_values(values);
  remember();
  static_cast<void>(tuning_.publish("refused"));
}

void LiveGains::rearrange(const std::vector<std::string>& names_before, int place) {
  const std::vector<std::string> names = list_.value_names();
  const std::vector<double> start = list_.file_values();
  const std::string own_head = list_.all()[static_cast<std::size_t>(place)].key + "/";
  const auto moved = [&](const std::vector<double>& old, bool others_alone) {
    std::vector<double> fresh = start;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::find(names_before.begin(), names_before.end(), names[i]);
      const bool is_own = names[i].rfind(own_head, 0) == 0;
      if (found == names_before.end() || (is_own && others_alone)) continue;
      fresh[i] = old[static_cast<std::size_t>(found - names_before.begin())];
    }
    return fresh;
  };
  for (std::vector<double>& set : sets_) set = moved(set, false);
  tuning_.set_values(moved(tuning_.values(), true));
  history_ = {tuning_.values()};
  now_ = 0;
}

void LiveGains::describe(LiveStatus& status) const {
  const std::vector<double> values = tuning_.values();
  status.requested = tuning_.newest();
  status.written = tuning_.written();
  status.dirty = !same_bits(values, list_.file_values());
  if (selected_ && same_bits(values, sets_[static_cast<int>(*selected_)])) status.set = selected_;
  status.can_undo = now_ > 0;
  status.can_redo = now_ + 1 < history_.size();
}

}  // namespace kagami::runtime
