/// What the runs of a sweep ended with, one line each in the order in which they ended: the files
/// from which a sweep goes on and its table is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kagami::tools {

/// How one run ended.
struct RunEnd {
  std::uint64_t run = 0;
  std::string outcome;               ///< "ok", "exit 2", "signal SEGV", "timeout", ...
  std::vector<std::string> results;  ///< JSON texts; empty: the run printed no answer
  std::string message;               ///< last line of its errors

  bool operator==(const RunEnd&) const = default;

  /// The same wherever and whenever the run is repeated: the program ended by itself.
  [[nodiscard]] bool is_lasting() const;
};

/// What all journals of one sweep have in common.
struct JournalHead {
  std::string hash;  ///< of the sweep file, of all it depends on and of the program's version
  std::uint64_t runs = 0;
  std::vector<std::string> results;  ///< names of the columns

  bool operator==(const JournalHead&) const = default;
};

/// All journals of a sweep, read. Holds eight bytes per run; the lines stay in the files.
class Journals {
 public:
  /// Reads TABLE.runs, TABLE.runs-1-of-4 and so on. A line that was cut short or damaged counts as
  /// not written. Throws ConfigError for a journal of another sweep, or if two state different
  /// lasting ends of one run.
  Journals(const std::filesystem::path& table, const JournalHead& head);

  [[nodiscard]] bool has(std::uint64_t run) const { return places_[run] != 0; }
  [[nodiscard]] std::uint64_t done() const { return done_; }
  /// The first run without a line, or the number of runs.
  [[nodiscard]] std::uint64_t first_missing() const;
  /// The end of a run that has one. Throws RecordError when its file has changed.
  [[nodiscard]] RunEnd read(std::uint64_t run) const;
  /// Runs that are to be repeated count as missing.
  void forget(std::uint64_t run);

 private:
  void read_file(std::uint64_t number, const JournalHead& head);
  void add(const RunEnd& end, std::uint64_t file, std::uint64_t offset);

  std::vector<std::filesystem::path> files_;
  std::vector<std::uint64_t> places_;  // file number + 1 in the upper 16 bits, offset below
  std::uint64_t done_ = 0;
};

/// The journal that one process writes.
class JournalWriter {
 public:
  /// Opens or creates TABLE.runs, or TABLE.runs-SHARD-of-SHARDS, for this process alone. Throws
  /// RecordError when another process writes it, or it cannot be written.
  JournalWriter(const std::filesystem::path& table, std::uint64_t shard, std::uint64_t shards);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Forgets all runs.
  void clear();
  /// Removes what an interrupted write left at the end; writes the head into an empty file.
  void begin(const JournalHead& head);
  /// One line, written as a whole or not at all. Throws RecordError (disk full).
  void add(const RunEnd& end);
  /// Waits until the disk has it.
  void sync();

 private:
  void write_line(const std::string& line);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// "TABLE.runs", or "TABLE.runs-2-of-8" for a shard of several.
std::filesystem::path journal_file(const std::filesystem::path& table, std::uint64_t shard,
                                   std::uint64_t shards);
/// The journals beside a table that exist, sorted.
std::vector<std::filesystem::path> journal_files(const std::filesystem::path& table);

}  // namespace kagami::tools
