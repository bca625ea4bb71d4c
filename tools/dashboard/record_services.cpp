#include "tools/dashboard/record_services.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/base/file_replacement.hpp"
#include "runtime/app/run.hpp"
#include "runtime/record/mcap_recover.hpp"
#include "tools/analysis/motion_check.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/analysis/report.hpp"
#include "tools/check/twin_check.hpp"
#include "tools/dashboard/request_fields.hpp"
#include "tools/dashboard/request_guard.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_run.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostJobs = 4;
/// A longer motion is not played on the virtual robot to check it: that takes a fifth of its time.
constexpr double kLongestPlayed = 60.0;  // s

/// Readings between two times of the run.
RunSeries part_of(RunSeries run, double from, double to) {
  for (JointReadings& joint : run.joints) {
    JointReadings kept{joint.name, joint.channel, {}, {}, {}};
    for (std::size_t i = 0; i < joint.time.size(); ++i) {
      if (joint.time[i] < from || joint.time[i] > to) continue;
      kept.time.push_back(joint.time[i]);
      kept.angle.push_back(joint.angle[i]);
      if (i < joint.half_width.size()) kept.half_width.push_back(joint.half_width[i]);
    }
    joint = std::move(kept);
  }
  return run;
}

}  // namespace

RecordServices::RecordServices(RunSide& side, const runtime::RunSetup& setup,
                               const RunSideSettings& settings, Present present)
    : side_(side),
      setup_(setup),
      settings_(settings),
      present_(std::move(present)),
      worker_(kMostJobs) {
  add_compare();
  add_session();
  add_check();
}

RecordServices::~RecordServices() {
  stop_.raise_to(runtime::StopLevel::kHoldNow);
}

void RecordServices::give_up_at_the_end() const {
  if (worker_.ends()) throw Error("the dashboard has ended");
}

fs::path RecordServices::record_of(const std::string& session) const {
  const fs::path record = settings_.sessions_folder / session / "run.mcap";
  std::error_code error;
  const fs::path real = fs::canonical(record, error);
  const fs::path home = fs::canonical(settings_.sessions_folder, error);
  // a link may lead elsewhere
  if (error || real != home / session / "run.mcap" || !fs::is_regular_file(real, error)) {
    throw BadRequest("\"" + session + "\" is not a session, expected a name listed by sessions");
  }
  return real;
}

fs::path RecordServices::finished_record_of(const std::string& session) const {
  fs::path record = record_of(session);
  std::error_code not_there;
  if (fs::equivalent(record, setup_.config.out_dir / "run.mcap", not_there)) {
    throw BadRequest("\"" + session + "\" is still running, expected a session that has ended");
  }
  return record;
}

void RecordServices::add_compare() {
  side_.add(
      "compare", Right::kAnyone, guarded([this](const json& request, const Done& done) {
        const std::string name = file_name_of(request, "record");
        const double from = number_or(request, "from", 0.0);
        const double to = number_or(request, "to", std::numeric_limits<double>::infinity());
        if (!(from >= 0.0 && from < to)) {
          throw BadRequest("expected \"from\" below \"to\", both s from 0 on");
        }
        std::string other;
        if (!text_or(request, "baseline", "").empty()) {
          other = file_name_of(request, "baseline");
          (void)record_of(other);
        }
        work_on(worker_, done, [this, name, other, from, to, file = record_of(name)]() -> json {
          const auto comparison_of = [&](const std::string& session) {
            return NamedComparison{
                session, compare(part_of(RunRecord(record_of(session)).series(), from, to))};
          };
          std::optional<NamedComparison> baseline;
          if (!other.empty()) baseline = comparison_of(other);
          json answer = comparison_json(comparison_of(name), baseline);
          answer["ok"] = true;
          return answer;
        });
      }));
}

void RecordServices::add_session() {
  side_.add("session", Right::kToken, guarded([this](const json& request, const Done& done) {
              const std::string name = file_name_of(request, "name");
              const std::string action = text_of(request, "action");
              const std::string format = text_or(request, "format", "mcap");
              const fs::path record = finished_record_of(name);
              if (action == "verify") {
                work_on(worker_, done, [name, record]() -> json {
                  json answer = verify_json(name, runtime::verify_record(record));
                  answer["ok"] = true;
                  return answer;
                });
              } else if (action == "report") {
                work_on(worker_, done, [this, record] { return reported(record); });
              } else if (action == "export" && (format == "mcap" || format == "csv")) {
                work_on(worker_, done, [this, record, format] { return exported(record, format); });
              } else if (action == "export") {
                throw BadRequest("expected \"format\" as \"mcap\" or \"csv\"");
              } else {
                throw BadRequest("expected \"action\" as \"verify\", \"report\" or \"export\"");
              }
            }));
}

// an existing report has more content: it was written by the run itself
json RecordServices::reported(const fs::path& record) const {
  const fs::path page = record.parent_path() / "report.html";
  const bool was_there = fs::exists(page);
  if (!was_there) {
    write_file_atomically(page, report_page(report_of(RunRecord(record))));
  }
  return {
      {"ok", true}, {"path", page.string()}, {"bytes", fs::file_size(page)}, {"made", !was_there}};
}

json RecordServices::exported(const fs::path& record, const std::string& format) const {
  const fs::path file = record.parent_path() / ("export." + format);
  json answer = {{"ok", true}, {"path", file.string()}, {"format", format}};
  if (format == "csv") {
    answer["lines"] =
        write_csv(RunRecord(record), file, [this](double) { give_up_at_the_end(); }).lines;
  } else {
    answer["messages"] = runtime::recover(record.string(), file.string()).messages;
  }
  answer["bytes"] = fs::file_size(file);
  return answer;
}

fs::path RecordServices::motion_file(const std::string& name) const {
  if (name == setup_.motion.name) return setup_.config.motion_file;
  for (std::size_t k = 0; k < setup_.further.size(); ++k) {
    if (name == setup_.further[k].name) return setup_.config.more_motions[k];
  }
  const fs::path file = settings_.motions_folder / (name + ".json");
  std::error_code not_there;
  if (settings_.motions_folder.empty() || !fs::is_regular_file(file, not_there)) {
    throw BadRequest("\"" + name + "\" is neither a motion of this run nor a shipped one");
  }
  return file;
}

void RecordServices::add_check() {
  side_.add("check", Right::kToken, guarded([this](const json& request, const Done& done) {
              const fs::path file = motion_file(file_name_of(request, "motion"));
              work_on(worker_, done, [this, file] { return checked(file); });
            }));
}

json RecordServices::checked(const fs::path& motion) {
  runtime::RunConfig config = setup_.config;
  config.motion_file = motion;
  config.speed = 1.0;
  TwinCheckOptions options;
  options.present = present_();
  options.longest = kLongestPlayed;
  options.stop = &stop_;
  json answer = motion_check_json(check_on_twin(config, options));
  answer["ok"] = true;
  return answer;
}

}  // namespace kagami::tools
