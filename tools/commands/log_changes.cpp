#include "tools/commands/log_changes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/assemble.hpp"
#include "runtime/app/controller_list.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

/// The tunables of a run: their names, and their values at the start.
struct Tunables {
  std::vector<std::string> names;
  std::vector<double> values;
};

/// Those of the run's own controllers; none where the record does not hold what they were built
/// from.
Tunables tunables_of(const RunRecord& record) {
  try {
    const runtime::RunSetup setup = runtime::read_setup(record.reader());
    const runtime::ControllerList list(runtime::make_core(setup).controllers(),
                                       setup.cycle.control.gains);
    return {list.value_names(), list.file_values()};
  } catch (const Error&) {
    return {};
  }
}

/// A set of values that was handed to the cycle, and what its row reports about it.
struct Change {
  std::int64_t tick = 0;
  double time_s = 0.0;  ///< of the run's clock
  runtime::Tuning set;
  bool applied = false;

  [[nodiscard]] std::vector<double> values() const {
    const auto count = static_cast<std::size_t>(std::max(set.num_values, 0));
    return {set.values.begin(), set.values.begin() + static_cast<std::ptrdiff_t>(count)};
  }
};

std::vector<Change> changes_of(const RunRecord& record) {
  std::vector<Change> all;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    if (!row.in.tuning_is_new) return;
    all.push_back({row.in.tick, 1e-9 * static_cast<double>(row.in.now_ns), row.in.tuning,
                   row.out.tuning_version == row.in.tuning.version});
  });
  return all;
}

/// One value that a set changed. Where its name is not known, its number from 1.
struct Difference {
  std::string name;
  std::optional<double> from;  ///< empty: not known
  double to = 0.0;
};

std::vector<Difference> differences(const std::vector<std::string>& names,
                                    const std::vector<double>& before,
                                    const std::vector<double>& now) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool is_known = i < before.size();
    if (is_known && before[i] == now[i]) continue;
    all.push_back({names.size() == now.size() ? names[i] : std::to_string(i + 1),
                   is_known ? std::optional(before[i]) : std::nullopt, now[i]});
  }
  return all;
}

std::string number_text(double value) {
  return nlohmann::json(value).dump();
}

/// "pid/left_knee/kp 0.2 -> 0.7, ..."
std::string differences_text(const std::vector<Difference>& all) {
  std::string text;
  for (const Difference& d : all) {
    text += (text.empty() ? "" : ", ") + d.name + " " +
            (d.from ? number_text(*d.from) + " -> " : "") + number_text(d.to);
  }
  return text;
}

nlohmann::json change_json(const Change& change, const std::vector<Difference>& different) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Difference& d : different) {
    rows.push_back(
        {{"name", d.name}, {"from", d.from ? nlohmann::json(*d.from) : nullptr}, {"to", d.to}});
  }
  const runtime::Tuning& set = change.set;
  return {{"tick", change.tick},       {"time_s", change.time_s},      {"version", set.version},
          {"applied", change.applied}, {"controller", set.controller}, {"motion", set.motion},
          {"speed", set.speed},        {"paused", set.paused},         {"loop", set.loop},
          {"values", change.values()}, {"differences", rows}};
}

void log_changes(const std::string& file, Console& io) {
  const RunRecord record(file);
  const Tunables start = tunables_of(record);
  nlohmann::json list = nlohmann::json::array();
  Table table({{"tick"}, {"s"}, {"set"}, {"applied", Align::kLeft}, {"values", Align::kLeft}});
  std::vector<double> before = start.values;
  const std::vector<Change> all = changes_of(record);
  for (const Change& change : all) {
    const std::vector<double> now = change.values();
    const std::vector<Difference> different = differences(start.names, before, now);
    list.push_back(change_json(change, different));
    table.add_row({std::to_string(change.tick), fixed(change.time_s, 3),
                   std::to_string(change.set.version), change.applied ? "yes" : "no",
                   differences_text(different)});
    if (!now.empty()) before = now;
  }
  if (io.json) {
    nlohmann::json at_start = nlohmann::json::object();
    for (std::size_t i = 0; i < start.names.size(); ++i) at_start[start.names[i]] = start.values[i];
    return io.print_json({{"schema", "kagami.log_changes/1"},
                          {"record", file},
                          {"start", at_start},
                          {"changes", std::move(list)}});
  }
  if (!start.names.empty()) {
    io.print("at the start: " + differences_text(differences(start.names, {}, start.values)) +
             "\n\n");
  }
  io.print(all.empty() ? file + ": nothing was changed\n" : table.text(io.help_width()));
}

}  // namespace

void add_log_changes(Command& log, Console& io) {
  auto file = std::make_shared<std::string>();
  Command cmd = log.add_command(
      "changes", "List the values that were changed during a run, with their ticks.");
  add_record_argument(cmd, *file);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log changes run.mcap", "log changes run.mcap --json");
  cmd.on_run([file, &io] { log_changes(record_file(*file, io), io); });
}

}  // namespace kagami::tools
