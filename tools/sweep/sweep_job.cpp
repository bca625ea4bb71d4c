#include "tools/sweep/sweep_job.hpp"

#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path folder_of(const SweepJob& job, std::uint64_t run) {
  return (job.records.empty() ? job.work : job.records) / ("run-" + std::to_string(run));
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-./=:,+@%") == std::string::npos;
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// the object with all its keys, for a message
std::string keys_of(const json& object) {
  std::string keys;
  for (const auto& [key, value] : object.items()) keys += (keys.empty() ? "" : ", ") + key;
  return keys.size() > 300 ? keys.substr(0, 300) + "..." : keys;
}

// what is at the place of a result, or null with the reason
json value_at(const json& answer, const std::string& pointer, std::string& why) {
  const json::json_pointer place(pointer);
  try {
    if (answer.contains(place)) return answer.at(place);
  } catch (const json::exception&) {  // a name in the place of a list's element
  }
  json::json_pointer above = place.parent_pointer();
  while (!above.empty() && !answer.contains(above)) above = above.parent_pointer();
  const json& found = answer.at(above);
  why = (above.empty() ? "the answer" : above.to_string()) + " has " +
        (found.is_object()  ? "the keys " + keys_of(found)
         : found.is_array() ? std::to_string(found.size()) + " elements"
                            : "the value " + found.dump().substr(0, 60));
  return nullptr;
}

}  // namespace

std::vector<ScenarioChange> changes_of(const SweepPlan& plan, std::uint64_t run) {
  std::vector<ScenarioChange> changes;
  const std::vector<std::string> values = plan.values_of(run);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const std::string& at : plan.parameters[i].at) changes.push_back({at, values[i]});
  return changes;
}

std::string command_of(const SweepJob& job, std::uint64_t run) {
  std::string command = "kagami run " + shell_word(job.scenario_name);
  for (const ScenarioChange& change : changes_of(job.plan, run))
    command += " --set " + shell_word(change_text(change));
  if (!job.data.empty()) command += " --data " + shell_word(job.data);
  return command;
}

ChildTask task_of(const SweepJob& job, std::uint64_t run) {
  ChildTask task{run, job.program, {job.scenario.string(), "--json", "-q"}, ""};
  for (const ScenarioChange& change : changes_of(job.plan, run)) {
    task.arguments.emplace_back("--set");
    task.arguments.push_back(change_text(change));
  }
  if (!job.data.empty()) {
    task.arguments.emplace_back("--data");
    task.arguments.push_back(job.data);
  }
  if (job.writes_files) {
    task.folder = folder_of(job, run).string();
    std::error_code error;
    fs::create_directories(task.folder, error);
    if (error) throw RecordError(task.folder + ": cannot be created: " + error.message());
  }
  if (job.is_motion) task.arguments.insert(task.arguments.end(), {"--out", task.folder, "--force"});
  return task;
}

RunEnd run_end_of(const SweepJob& job, const ChildEnd& end) {
  RunEnd kept{end.run, end.outcome, {}, end.message};
  const json answer = json::parse(end.out, nullptr, false);
  if (!answer.is_object()) {
    if (kept.outcome == "ok") kept.outcome = "no answer";
    return kept;
  }
  for (const SweepResult& result : job.plan.results) {
    std::string why;
    const json value = value_at(answer, result.at, why);
    if (!why.empty() && !result.optional && end.outcome == "ok")
      throw ConfigError(job.plan.file.string() + ": results '" + result.name + "': run " +
                        std::to_string(end.run) + " printed no " + result.at + ": " + why +
                        "; expected a value that all runs print, or \"optional\": true");
    kept.results.push_back(value.dump());
  }
  return kept;
}

std::uint64_t missing_runs(const Journals& journals, const SweepJob& job,
                           const RunSelection& which) {
  std::uint64_t missing = 0;
  for (std::uint64_t run = which.shard - 1; run < job.head.runs; run += which.shards)
    missing += journals.has(run) ? 0 : 1;
  return missing;
}

bool run_missing(const SweepJob& job, const RunSelection& which, const Journals& journals,
                 JournalWriter& writer, const std::function<bool()>& is_stopped,
                 const std::function<void(std::uint64_t ended)>& progress) {
  std::uint64_t run = which.shard - 1;
  std::uint64_t ended = 0;
  const auto remove_folders = [&] {
    std::error_code ignored;
    if (!job.work.empty()) fs::remove_all(job.work, ignored);
  };
  remove_folders();  // of a process that was killed
  ChildSettings settings;
  settings.jobs = which.jobs;
  settings.timeout_s = which.timeout_s;
  settings.is_stopped = is_stopped;
  settings.next = [&]() -> std::optional<ChildTask> {
    while (run < job.head.runs && journals.has(run)) run += which.shards;
    if (run >= job.head.runs) return std::nullopt;
    ChildTask task = task_of(job, run);
    run += which.shards;
    return task;
  };
  settings.ended = [&](const ChildEnd& end) {
    writer.add(run_end_of(job, end));
    if (job.writes_files && job.records.empty()) {
      std::error_code ignored;
      fs::remove_all(folder_of(job, end.run), ignored);
    }
    progress(++ended);
  };
  bool finished = false;
  try {
    finished = run_children(settings);
  } catch (...) {
    remove_folders();
    throw;
  }
  remove_folders();
  writer.sync();
  return finished;
}

}  // namespace kagami::tools
