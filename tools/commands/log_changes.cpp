#include "tools/commands/log_changes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/run_record.hpp"
#include "tools/analysis/tunable_history.hpp"
#include "tools/analysis/value_changes.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

/// A set of values that was handed to the cycle, and what its row reports about it; or a controller
/// that was taken over.
struct Change {
  std::int64_t tick = 0;
  double time_s = 0.0;  ///< of the run's clock
  runtime::Tuning set;
  bool applied = false;
  std::vector<std::string> names;  ///< of the values, at that tick
  std::vector<double> before;      ///< the values until then
  std::optional<TakenController> taken;
};

std::vector<Change> changes_of(const RunRecord& record) {
  std::vector<Change> all;
  TunableHistory tunables(record);
  record.for_each_row([&](const runtime::CycleRecord& row) {
    std::vector<double> before = tunables.values();
    tunables.add(row);
    Change change;
    change.tick = row.in.tick;
    change.time_s = 1e-9 * static_cast<double>(row.in.now_ns);
    if (tunables.taken()) {
      change.taken = tunables.taken();
      all.push_back(change);
      change.taken.reset();
      before = tunables.values();
    }
    if (!row.in.tuning_is_new) return;
    change.set = row.in.tuning;
    change.applied = row.out.tuning_version == row.in.tuning.version;
    change.names = tunables.names();
    change.before = std::move(before);
    all.push_back(std::move(change));
  });
  return all;
}

nlohmann::json change_json(const Change& change, const std::vector<ValueDifference>& different) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ValueDifference& d : different) {
    rows.push_back(
        {{"name", d.name}, {"from", d.from ? nlohmann::json(*d.from) : nullptr}, {"to", d.to}});
  }
  const runtime::Tuning& set = change.set;
  return {{"tick", change.tick},
          {"time_s", change.time_s},
          {"version", set.version},
          {"applied", change.applied},
          {"controller", set.controller},
          {"motion", set.motion},
          {"speed", set.speed},
          {"paused", set.paused},
          {"loop", set.loop},
          {"values", values_of(change.set)},
          {"differences", rows}};
}

std::string taken_text(const TakenController& taken) {
  return taken.key + " was added, gain set " + taken.gains +
         (taken.replaced.empty() ? "" : ", in place of " + taken.replaced);
}

void print_changes(const std::string& file, const TunableHistory& start,
                   const std::vector<Change>& all, Console& io) {
  Table table({{"tick"}, {"s"}, {"set"}, {"applied", Align::kLeft}, {"values", Align::kLeft}});
  for (const Change& change : all) {
    const std::string tick = std::to_string(change.tick);
    const std::string time = fixed(change.time_s, 3);
    if (change.taken) {
      table.add_row({tick, time, "", "yes", taken_text(*change.taken)});
    } else {
      table.add_row(
          {tick, time, std::to_string(change.set.version), change.applied ? "yes" : "no",
           differences_text(differences(change.names, change.before, values_of(change.set)))});
    }
  }
  if (!start.names().empty()) {
    io.print("at the start: " + differences_text(differences(start.names(), {}, start.values())) +
             "\n\n");
  }
  io.print(all.empty() ? file + ": nothing was changed\n" : table.text(io.help_width()));
}

nlohmann::json changes_json(const std::string& file, const TunableHistory& start,
                            const std::vector<Change>& all) {
  nlohmann::json at_start = nlohmann::json::object();
  for (std::size_t i = 0; i < start.names().size(); ++i) {
    at_start[start.names()[i]] = start.values()[i];
  }
  nlohmann::json changes = nlohmann::json::array();
  nlohmann::json taken = nlohmann::json::array();
  for (const Change& change : all) {
    if (change.taken) {
      const std::string& replaced = change.taken->replaced;
      taken.push_back(
          {{"tick", change.tick},
           {"time_s", change.time_s},
           {"controller", change.taken->key},
           {"gains", change.taken->gains},
           {"replaced", replaced.empty() ? nlohmann::json(nullptr) : nlohmann::json(replaced)}});
    } else {
      changes.push_back(
          change_json(change, differences(change.names, change.before, values_of(change.set))));
    }
  }
  return {{"schema", "kagami.log_changes/1"},
          {"record", file},
          {"start", at_start},
          {"changes", changes},
          {"added", taken}};
}

void log_changes(const std::string& file, Console& io) {
  const RunRecord record(file);
  const TunableHistory start(record);
  const std::vector<Change> all = changes_of(record);
  if (io.json) return io.print_json(changes_json(file, start, all));
  print_changes(file, start, all, io);
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
