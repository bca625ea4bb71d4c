#include "tools/sweep/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSchema = "kagami.sweep_runs/1";
constexpr int kOffsetBits = 48;
constexpr std::uint64_t kMaxFiles = 65535;

json head_json(const JournalHead& head) {
  return {
      {"schema", kSchema}, {"sweep", head.hash}, {"runs", head.runs}, {"results", head.results}};
}

JournalHead head_of(const std::string& line, const fs::path& file) {
  try {
    const json head = json::parse(line);
    if (head.at("schema") == kSchema)
      return {head.at("sweep"), head.at("runs"), head.at("results")};
  } catch (const json::exception&) {
  }
  throw ConfigError(file.string() + ": line 1: expected the head of a sweep's runs (" +
                    std::string(kSchema) + "); expected another --out, or remove the file");
}

std::string line_of(const RunEnd& end) {
  json results = json::array();
  for (const std::string& text : end.results) results.push_back(json::parse(text));
  const json line = {
      {"run", end.run}, {"outcome", end.outcome}, {"results", results}, {"message", end.message}};
  return line.dump();
}

// nothing for a line that is damaged
std::optional<RunEnd> end_of(const std::string& line) {
  try {
    const json j = json::parse(line);
    RunEnd end{j.at("run"), j.at("outcome"), {}, j.at("message")};
    for (const json& value : j.at("results")) end.results.push_back(value.dump());
    return end;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string line_at(const fs::path& file, std::uint64_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  if (!std::getline(in, line)) throw RecordError(file.string() + ": cannot be read any more");
  return line;
}

}  // namespace

bool RunEnd::is_lasting() const {
  return outcome == "ok" || outcome.rfind("exit ", 0) == 0;
}

fs::path journal_file(const fs::path& table, std::uint64_t shard, std::uint64_t shards) {
  std::string name = table.string() + ".runs";
  if (shards > 1) name += "-" + std::to_string(shard) + "-of-" + std::to_string(shards);
  return name;
}

std::vector<fs::path> journal_files(const fs::path& table) {
  const fs::path folder = table.has_parent_path() ? table.parent_path() : fs::path(".");
  const std::string begin = table.filename().string() + ".runs";
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(begin, 0) != 0) continue;
    const std::string rest = name.substr(begin.size());
    unsigned long long shard = 0;
    unsigned long long shards = 0;
    int used = 0;
    if (rest.empty() ||
        (std::sscanf(rest.c_str(), "-%llu-of-%llu%n", &shard, &shards, &used) == 2 &&
         static_cast<std::size_t>(used) == rest.size()))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Journals::Journals(const fs::path& table, const JournalHead& head)
    : files_(journal_files(table)), places_(head.runs) {
  if (files_.size() > kMaxFiles)
    throw ConfigError(table.string() + ": " + std::to_string(files_.size()) +
                      " files of runs, expected at most " + std::to_string(kMaxFiles));
  for (std::uint64_t i = 0; i < files_.size(); ++i) read_file(i, head);
}

void Journals::read_file(std::uint64_t number, const JournalHead& head) {
  const fs::path& file = files_[number];
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ConfigError(file.string() + ": cannot be read: " + std::strerror(errno));
  std::string line;
  // an empty file, or one whose head was cut short, has no runs
  if (!std::getline(in, line) || in.eof()) return;
  const bool is_ours = head_of(line, file) == head;
  std::uint64_t offset = line.size() + 1;
  while (std::getline(in, line) && !in.eof()) {
    if (!is_ours)
      throw ConfigError(file.string() +
                        ": these runs are of another sweep: the sweep file, its scenario, a robot "
                        "or the program has changed since; expected another --out, or --restart");
    const auto end = end_of(line);
    const bool fits = end && end->run < head.runs &&
                      (end->results.empty() || end->results.size() == head.results.size());
    if (fits) add(*end, number, offset);
    offset += line.size() + 1;
  }
}

void Journals::add(const RunEnd& end, std::uint64_t file, std::uint64_t offset) {
  std::uint64_t& place = places_[end.run];
  const std::uint64_t earlier = place >> kOffsetBits;  // file number + 1
  if (place != 0 && earlier != file + 1) {
    const RunEnd other = read(end.run);
    if (other.is_lasting() && end.is_lasting() && other != end)
      throw ConfigError(files_[file].string() + ": run " + std::to_string(end.run) +
                        " ended differently in '" + files_[earlier - 1].string() +
                        "'; remove the file that is wrong");
    if (other.is_lasting()) return;
  }
  if (place == 0) ++done_;
  place = (file + 1) << kOffsetBits | offset;
}

std::uint64_t Journals::first_missing() const {
  return static_cast<std::uint64_t>(std::find(places_.begin(), places_.end(), 0) - places_.begin());
}

RunEnd Journals::read(std::uint64_t run) const {
  const std::uint64_t place = places_.at(run);
  const fs::path& file = files_.at((place >> kOffsetBits) - 1);
  const std::uint64_t offset = place & ((std::uint64_t{1} << kOffsetBits) - 1);
  if (const auto end = end_of(line_at(file, offset)); end && end->run == run) return *end;
  throw RecordError(file.string() + ": has changed while it was read; call again");
}

void Journals::forget(std::uint64_t run) {
  if (places_.at(run) == 0) return;
  places_[run] = 0;
  --done_;
}

JournalWriter::JournalWriter(const fs::path& table, std::uint64_t shard, std::uint64_t shards)
    : file_(journal_file(table, shard, shards)) {
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw RecordError(file_.string() + ": cannot be written: " + std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(descriptor_);
    throw RecordError(file_.string() +
                      (error == EWOULDBLOCK
                           ? ": another process writes these runs; wait for its end"
                           : std::string(": ") + std::strerror(error)));
  }
}

JournalWriter::~JournalWriter() {
  close(descriptor_);
}

void JournalWriter::clear() {
  if (ftruncate(descriptor_, 0) != 0)
    throw RecordError(file_.string() + ": cannot be shortened: " + std::strerror(errno));
}

void JournalWriter::begin(const JournalHead& head) {
  // up to the last line end; what follows was being written when the process ended
  std::ifstream in(file_, std::ios::binary);
  std::uint64_t offset = 0;
  std::uint64_t lines = 0;
  for (std::string line; std::getline(in, line) && !in.eof(); ++lines) offset += line.size() + 1;
  // a head without runs may be of an earlier version of the sweep
  size_ = lines > 1 ? offset : 0;
  if (ftruncate(descriptor_, static_cast<off_t>(size_)) != 0)
    throw RecordError(file_.string() + ": cannot be shortened: " + std::strerror(errno));
  if (size_ == 0) write_line(head_json(head).dump());
}

void JournalWriter::add(const RunEnd& end) {
  write_line(line_of(end));
}

void JournalWriter::write_line(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = pwrite(descriptor_, text.data() + written, text.size() - written,
                                 static_cast<off_t>(size_ + written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      // a part of a line would be dropped by the next reader, too
      static_cast<void>(!ftruncate(descriptor_, static_cast<off_t>(size_)));
      throw RecordError(file_.string() + ": cannot be written: " + std::strerror(error));
    }
    written += static_cast<std::size_t>(count);
  }
  size_ += text.size();
}

void JournalWriter::sync() {
  if (fdatasync(descriptor_) != 0)
    throw RecordError(file_.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace kagami::tools
