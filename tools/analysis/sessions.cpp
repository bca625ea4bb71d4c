#include "tools/analysis/sessions.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "runtime/record/mcap_reader.hpp"
#include "runtime/record/record_end.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTagsName = "tags.json";
constexpr const char* kResultAttachment = "result.json";
constexpr double kDayNs = 86400e9;

void take_metadata(const runtime::McapReader& reader, Session& session) {
  const auto run = reader.metadata(std::string_view(runtime::kRunMetadata));
  if (!run) return;
  session.motion = metadata_entry(*run, "motion");
  session.robot = metadata_entry(*run, "robot");
  const std::string started = metadata_entry(*run, "started_unix_ns");
  if (!started.empty()) session.started_unix_ns = std::strtoll(started.c_str(), nullptr, 10);
}

// the last thing that a run writes; a record that was cut has none
void take_result(const runtime::McapReader& reader, Session& session) {
  const auto attachment = reader.attachment(std::string_view(kResultAttachment));
  if (!attachment) return;
  const json result = json::parse(attachment->text(), nullptr, false);
  if (!result.is_object()) return;
  session.outcome = result.value("outcome", "");
  const auto number = [&](const char* key) {
    const auto found = result.find(key);
    const bool is_number = found != result.end() && found->is_number();
    return is_number ? std::optional(found->get<double>()) : std::nullopt;
  };
  session.duration_s = number("duration_s");
  session.rms_deg = number("running_rms_deg");
}

/// In place of tags that cannot be read: a session that has them may be worth keeping.
constexpr const char* kUnreadable = "(unreadable)";

std::set<std::string> read_tags(const fs::path& folder) {
  std::error_code missing;
  if (!fs::exists(folder / kTagsName, missing)) return {};
  try {
    return json::parse(read_text_file(folder / kTagsName)).get<std::set<std::string>>();
  } catch (const json::exception&) {
    return {kUnreadable};
  } catch (const ConfigError&) {
    return {kUnreadable};
  }
}

std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code unreadable;
  for (const auto& entry : fs::recursive_directory_iterator(folder, unreadable)) {
    if (entry.is_regular_file(unreadable)) bytes += entry.file_size(unreadable);
  }
  return bytes;
}

bool is_tag(const std::string& tag) {
  return !tag.empty() && tag.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789-_") == std::string::npos;
}

}  // namespace

Session read_session(const fs::path& folder) {
  Session session;
  session.folder = folder;
  session.bytes = size_of(folder);
  session.tags = read_tags(folder);
  try {
    const runtime::McapReader reader((folder / kRecordName).string());
    take_metadata(reader, session);
    take_result(reader, session);
    session.damage = reader.damage().sentence;
  } catch (const RecordError& error) {
    session.damage = error.what();
  }
  return session;
}

std::vector<Session> read_sessions(const fs::path& sessions) {
  std::vector<Session> all;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(sessions, unreadable)) {
    std::error_code missing;
    if (fs::is_regular_file(entry.path() / kRecordName, missing)) {
      all.push_back(read_session(entry.path()));
    }
  }
  const auto key = [](const Session& s) {
    return std::pair(s.started_unix_ns.value_or(0), s.folder.filename().string());
  };
  std::sort(all.begin(), all.end(),
            [&](const Session& a, const Session& b) { return key(a) > key(b); });
  return all;
}

bool remove_session(const Session& session) {
  std::error_code failed;
  for (const char* name : {kRecordName, "report.html", kTagsName}) {
    fs::remove(session.folder / name, failed);
    if (failed) {
      throw Error("'" + (session.folder / name).string() +
                  "' cannot be removed: " + failed.message());
    }
  }
  fs::remove(session.folder, failed);  // refuses a folder that holds something
  return !failed;
}

void change_tags(const fs::path& folder, const std::vector<std::string>& tags, bool remove) {
  std::set<std::string> all = read_tags(folder);
  if (all.count(kUnreadable) > 0) {
    throw ConfigError("'" + (folder / kTagsName).string() +
                      "' cannot be read; expected a list of tags: remove it and tag again");
  }
  for (const std::string& tag : tags) {
    if (!is_tag(tag)) {
      throw ConfigError("tag '" + tag + "': expected letters, digits, '-' and '_'");
    }
    if (remove) {
      all.erase(tag);
    } else {
      all.insert(tag);
    }
  }
  write_file_atomically(folder / kTagsName, json(all).dump() + "\n");
}

std::vector<Session> prunable(const std::vector<Session>& sessions, const PruneLimits& limits,
                              std::int64_t now_unix_ns) {
  std::vector<Session> gone;
  double kept_bytes = 0.0;
  for (const Session& session : sessions) {  // the newest first
    const double age_ns =
        session.started_unix_ns ? static_cast<double>(now_unix_ns - *session.started_unix_ns) : 0.0;
    const bool is_old = limits.oldest_days && age_ns > *limits.oldest_days * kDayNs;
    const double bytes = kept_bytes + static_cast<double>(session.bytes);
    const bool is_too_much = limits.most_bytes && bytes > *limits.most_bytes;
    if (session.tags.empty() && (is_old || is_too_much)) {
      gone.push_back(session);
    } else {
      kept_bytes = bytes;
    }
  }
  return gone;
}

std::string local_time(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
  return text.data();
}

}  // namespace kagami::tools
