#include "tools/gap/health_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/record/record_end.hpp"
#include "tools/analysis/sessions.hpp"
#include "tools/gap/run_analysis.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

/// A record before it is analysed.
struct Candidate {
  std::string file;
  std::int64_t started_unix_ns = 0;
  std::string robot;       ///< its name
  bool is_virtual = true;  ///< the virtual robot, or a real one at any port
  std::string model;       ///< hashes of robot folder and servos
  std::string why;         ///< it is left out; empty: it is not
};

std::vector<std::string> records_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code wrong;
  fs::directory_iterator entries(folder, wrong);
  if (wrong) {
    throw ConfigError("'" + folder.string() + "' cannot be read (" + wrong.message() +
                      "); expected a folder of sessions or records");
  }
  for (const fs::directory_entry& entry : entries) {
    std::error_code missing;
    const fs::path inside = entry.path() / kRecordName;
    if (entry.is_regular_file(missing) && entry.path().extension() == ".mcap") {
      files.push_back(entry.path().string());
    } else if (fs::is_regular_file(inside, missing)) {
      files.push_back(inside.string());
    }
  }
  if (files.empty()) {
    throw ConfigError("'" + folder.string() +
                      "' holds no record; expected sessions with a run.mcap, or .mcap files");
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_of_virtual_robot(const RunRecord& record) {
  const auto config = record.reader().attachment(std::string_view(runtime::kConfigAttachment));
  if (!config) return true;
  const nlohmann::json read = nlohmann::json::parse(config->text(), nullptr, false);
  return !read.is_object() || !read.contains("robot") || read["robot"] == "virtual";
}

void examine(const RunRecord& record, Candidate& candidate) {
  const auto run = record.reader().metadata(std::string_view(runtime::kRunMetadata));
  if (!run) {
    candidate.why = "it does not say of which run it is (no metadata kagami.run)";
    return;
  }
  candidate.started_unix_ns =
      std::strtoll(metadata_entry(*run, "started_unix_ns").c_str(), nullptr, 10);
  candidate.robot = metadata_entry(*run, "robot");
  candidate.model = metadata_entry(*run, "model_hash") + metadata_entry(*run, "twin_hash");
  candidate.is_virtual = is_of_virtual_robot(record);
  const runtime::Completeness state = record.completeness();
  if (!state.complete) {
    candidate.why = "incomplete: " + state.why;
  } else if (candidate.started_unix_ns <= 0) {
    candidate.why = "it has no date";
  }
}

/// Without the name of the file, which is said beside it.
std::string without_name(std::string sentence, const std::string& file) {
  const std::string name = file + ": ";
  if (sentence.rfind(name, 0) == 0) sentence.erase(0, name.size());
  return sentence;
}

Candidate candidate_of(const std::string& file) {
  Candidate candidate;
  candidate.file = file;
  try {
    const RunRecord record(file);
    reading_a_record([&] { examine(record, candidate); });
  } catch (const Error& error) {
    candidate.why = without_name(error.what(), file);
  }
  return candidate;
}

/// Leaves out what is not of the newest one's robot and model.
void keep_one_robot(std::vector<Candidate>& all) {
  const Candidate* newest = nullptr;
  for (const Candidate& c : all) {
    if (c.why.empty() && (newest == nullptr || c.started_unix_ns >= newest->started_unix_ns)) {
      newest = &c;
    }
  }
  if (newest == nullptr) return;
  const Candidate kept = *newest;
  for (Candidate& c : all) {
    if (!c.why.empty()) continue;
    if (c.is_virtual != kept.is_virtual) {
      c.why = c.is_virtual ? "it is of the virtual robot, the newest one is not"
                           : "it is not of the virtual robot, the newest one is";
    } else if (c.robot != kept.robot) {
      c.why = "it is of the robot '" + c.robot + "', the newest one of '" + kept.robot + "'";
    } else if (c.model != kept.model) {
      c.why = "it has another model than the newest one (robot folder or servo file)";
    }
  }
}

std::optional<double> gap_of(const std::vector<JointExplanation>& joints) {
  double sum = 0.0;
  std::size_t readings = 0;
  for (const JointExplanation& joint : joints) {
    sum += joint.mean_square * static_cast<double>(joint.readings);
    readings += joint.readings;
  }
  if (readings == 0) return std::nullopt;
  return std::sqrt(sum / static_cast<double>(readings));
}

void add_run(const Candidate& candidate, HealthHistory& history) {
  const RunRecord record(candidate.file);
  const RunAnalysis run = analyse_record(record);
  if (run.history.num_joints() == 0) {
    history.left_out.push_back({candidate.file, run.not_explained});
    return;
  }
  const std::vector<JointExplanation> joints = explain_gap(run.history);
  const std::optional<double> gap = gap_of(joints);
  if (!gap) {
    history.left_out.push_back({candidate.file, "it has no reading of a joint"});
    return;
  }
  if (history.joints.empty()) history.joints = run.history.names;
  if (run.history.names != history.joints) {
    history.left_out.push_back({candidate.file, "its joints are not those of the others"});
    return;
  }
  history.robot = candidate.robot;
  history.runs.push_back(
      {candidate.file, candidate.started_unix_ns, run.series.motion, gap, health_of(joints)});
}

}  // namespace

HealthHistory read_health(const fs::path& folder, const std::function<void(double)>& progress) {
  std::vector<Candidate> all;
  for (const std::string& file : records_in(folder)) all.push_back(candidate_of(file));
  keep_one_robot(all);
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.started_unix_ns < b.started_unix_ns;
  });
  HealthHistory history;
  double done = 0.0;
  for (const Candidate& candidate : all) {
    if (!candidate.why.empty()) {
      history.left_out.push_back({candidate.file, candidate.why});
    } else {
      try {
        add_run(candidate, history);
      } catch (const Error& error) {
        history.left_out.push_back({candidate.file, without_name(error.what(), candidate.file)});
      }
    }
    done += 1.0;
    if (progress) progress(done / static_cast<double>(all.size()));
  }
  return history;
}

}  // namespace kagami::tools
