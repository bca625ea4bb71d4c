/// The recorded sessions of a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kagami::tools {

inline constexpr const char* kRecordName = "run.mcap";  ///< in a session's folder

/// One session as its record and its folder describe it. What is not known is empty.
struct Session {
  std::filesystem::path folder;
  std::optional<std::int64_t> started_unix_ns;
  std::string motion;
  std::string robot;
  std::string outcome;
  std::optional<double> duration_s;
  std::optional<double> rms_deg;  ///< model and robot, over all joints, as the run saw it
  std::set<std::string> tags;
  std::uintmax_t bytes = 0;  ///< of all its files
  std::string damage;        ///< why its record cannot be read; empty = it can
};

/// Of one folder that has a record.
Session read_session(const std::filesystem::path& folder);
/// Every folder below `sessions` that has a record, the newest first.
std::vector<Session> read_sessions(const std::filesystem::path& sessions);

/// Removes what Kagami wrote into a session's folder, and the folder, if nothing else is in it.
/// Returns whether it is gone. Throws Error where a file cannot be removed.
bool remove_session(const Session& session);

/// Adds tags to a session, or takes them away. A tag is made of letters, digits, '-' and '_'.
/// Throws ConfigError for another one.
void change_tags(const std::filesystem::path& folder, const std::vector<std::string>& tags,
                 bool remove);

/// Which sessions have to go; tagged ones never do.
struct PruneLimits {
  std::optional<double> oldest_days;  ///< older ones go
  std::optional<double> most_bytes;   ///< the oldest go until the rest is smaller
};
/// `sessions` as read_sessions gives them.
std::vector<Session> prunable(const std::vector<Session>& sessions, const PruneLimits& limits,
                              std::int64_t now_unix_ns);

/// "2026-11-30 11:17", local time.
std::string local_time(std::int64_t unix_ns);

}  // namespace kagami::tools
