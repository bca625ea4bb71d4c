#include "tools/commands/log_sessions.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "tools/analysis/report.hpp"
#include "tools/analysis/sessions.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct SessionOptions {
  std::string folder;  ///< empty = where sessions go
  std::string record;
  std::string tag;
  std::vector<std::string> tags;
  bool remove = false;
  bool yes = false;
  std::optional<double> older_days;
  std::optional<double> keep_gb;
};

fs::path folder_of(const SessionOptions& opt, const Console& io) {
  if (opt.folder.empty()) return sessions_folder(io);
  std::error_code missing;
  if (!fs::is_directory(opt.folder, missing)) {
    throw ConfigError("'" + opt.folder + "' is not a folder; expected one that holds sessions");
  }
  return opt.folder;
}

std::string tags_text(const Session& session) {
  std::string text;
  for (const std::string& tag : session.tags) text += (text.empty() ? "" : " ") + tag;
  return text;
}

nlohmann::json session_json(const Session& s) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
  };
  return {{"folder", s.folder.string()},
          {"started_unix_ns", s.started_unix_ns ? nlohmann::json(*s.started_unix_ns) : nullptr},
          {"motion", or_null(s.motion)},
          {"robot", or_null(s.robot)},
          {"outcome", or_null(s.outcome)},
          {"duration_s", number_or_null(s.duration_s)},
          {"rms_deg", number_or_null(s.rms_deg)},
          {"tags", s.tags},
          {"bytes", s.bytes},
          {"damage", or_null(s.damage)}};
}

std::string sessions_text(const std::vector<Session>& sessions) {
  Table table({{"started", Align::kLeft},
               {"motion", Align::kLeft},
               {"robot", Align::kLeft},
               {"s"},
               {"RMS deg"},
               {"outcome", Align::kLeft},
               {"size"},
               {"tags", Align::kLeft},
               {"folder", Align::kLeft}});
  for (const Session& s : sessions) {
    table.add_row({s.started_unix_ns ? local_time(*s.started_unix_ns) : "-",
                   s.motion.empty() ? "-" : s.motion, s.robot.empty() ? "-" : s.robot,
                   fixed(s.duration_s, 1), fixed(s.rms_deg, 2),
                   !s.outcome.empty() ? s.outcome
                   : s.damage.empty() ? "-"
                                      : "damaged",
                   size_text(static_cast<double>(s.bytes)), s.tags.empty() ? "-" : tags_text(s),
                   s.folder.filename().string()});
  }
  return table.text();
}

nlohmann::json sessions_json(const std::vector<Session>& sessions) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Session& session : sessions) rows.push_back(session_json(session));
  return rows;
}

void list_sessions(const SessionOptions& opt, Console& io) {
  const fs::path folder = folder_of(opt, io);
  std::vector<Session> sessions = read_sessions(folder);
  if (!opt.tag.empty()) {
    std::erase_if(sessions, [&](const Session& s) { return s.tags.count(opt.tag) == 0; });
  }
  if (io.json) {
    return io.print_json({{"schema", "kagami.log_list/1"},
                          {"folder", folder.string()},
                          {"sessions", sessions_json(sessions)}});
  }
  if (sessions.empty()) return io.say("no session in " + folder.string());
  io.print(sessions_text(sessions));
}

void tag_session(const SessionOptions& opt, Console& io) {
  const fs::path folder = fs::path(record_file(opt.record, io)).parent_path();
  change_tags(folder, opt.tags, opt.remove);
  const Session session = read_session(folder);
  if (io.json) return io.print_json(session_json(session));
  io.print(folder.string() + ": " + (session.tags.empty() ? "no tags" : tags_text(session)) + "\n");
}

std::int64_t now_unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void remove_sessions(const std::vector<Session>& sessions, Console& io) {
  for (const Session& session : sessions) {
    if (!remove_session(session)) {
      io.warn("'" + session.folder.string() + "' holds other files, too: they were left there");
    }
  }
}

void prune(const SessionOptions& opt, Console& io) {
  if (!opt.older_days && !opt.keep_gb) {
    throw ConfigError("log prune: expected --older-than DAYS, --keep GB, or both");
  }
  PruneLimits limits{.oldest_days = opt.older_days, .most_bytes = std::nullopt};
  if (opt.keep_gb) limits.most_bytes = 1e9 * *opt.keep_gb;
  const fs::path folder = folder_of(opt, io);
  const std::vector<Session> gone = prunable(read_sessions(folder), limits, now_unix_ns());
  if (opt.yes) remove_sessions(gone, io);
  double bytes = 0.0;
  for (const Session& session : gone) bytes += static_cast<double>(session.bytes);
  if (io.json) {
    return io.print_json({{"schema", "kagami.log_prune/1"},
                          {"folder", folder.string()},
                          {"removed", opt.yes},
                          {"bytes", bytes},
                          {"sessions", sessions_json(gone)}});
  }
  if (!gone.empty()) io.print(sessions_text(gone));
  io.say(std::to_string(gone.size()) + " sessions, " + size_text(bytes) +
         (opt.yes        ? ", removed"
          : gone.empty() ? ""
                         : ", would be removed; --yes removes them"));
}

void add_folder_option(Command& command, SessionOptions& opt) {
  command
      .add_option("--folder", opt.folder,
                  "Folder of the sessions. Default: the one where 'kagami replay' makes them.")
      .value("DIR");
}

void add_list(Command& log, Console& io) {
  auto opt = std::make_shared<SessionOptions>();
  Command cmd = log.add_command("list", "List the recorded sessions, the newest first.");
  add_folder_option(cmd, *opt);
  cmd.add_option("--tag", opt->tag, "List those that have this tag.").value("TAG");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log list", "log list --tag before-repair --json");
  cmd.on_run([opt, &io] { list_sessions(*opt, io); });
}

void add_tag(Command& log, Console& io) {
  auto opt = std::make_shared<SessionOptions>();
  Command cmd = log.add_command(
      "tag", "Add tags to a session. A tagged session is not removed by 'kagami log prune'.");
  add_record_argument(cmd, opt->record);
  cmd.add_option("tags", opt->tags, "Tags, of letters, digits, '-' and '_'.").required();
  cmd.add_flag("--remove", opt->remove, "Remove these tags.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log tag latest before-repair", "log tag latest keep --remove");
  cmd.on_run([opt, &io] { tag_session(*opt, io); });
}

void add_prune(Command& log, Console& io) {
  auto opt = std::make_shared<SessionOptions>();
  Command cmd = log.add_command(
      "prune", "List sessions without tags that are too old or too large, and remove them.");
  add_folder_option(cmd, *opt);
  cmd.add_option("--older-than", opt->older_days, "Those that are older than this, days.")
      .value("DAYS")
      .range(0.0, 1e5);
  cmd.add_option("--keep", opt->keep_gb,
                 "The oldest ones, until the others together are smaller than this, GB.")
      .value("GB")
      .range(0.0, 1e6);
  cmd.add_flag("--yes", opt->yes, "Remove them. Without it they are only listed.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log prune --older-than 90", "log prune --keep 20 --yes");
  cmd.on_run([opt, &io] { prune(*opt, io); });
}

}  // namespace

void add_log_sessions(Command& log, Console& io) {
  add_list(log, io);
  add_tag(log, io);
  add_prune(log, io);
}

}  // namespace kagami::tools
