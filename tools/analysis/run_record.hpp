/// A recorded run as the commands read it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/mcap_reader.hpp"
#include "runtime/record/record_end.hpp"
#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// Runs a function that reads a record; its RecordError becomes a ConfigError, because to the user
/// of a command an unreadable record is a bad input file.
template <class Read>
auto reading_a_record(Read&& read) {
  try {
    return read();
  } catch (const RecordError& error) {
    throw ConfigError(error.what());
  }
}

/// Message for a record whose samples have other fields than in this program: which version wrote
/// it, and what can be read.
std::string other_version(const runtime::McapReader& reader);

/// The value of a key of a metadata record; "" where there is none.
std::string metadata_entry(const runtime::StringMap& map, const std::string& key);

/// Opens a record for reading. A file that is no record, or is damaged where it is read, throws
/// ConfigError: to the user of a command it is a bad input file.
class RunRecord {
 public:
  explicit RunRecord(const std::filesystem::path& file);

  [[nodiscard]] const runtime::McapReader& reader() const { return reader_; }
  [[nodiscard]] const RobotWiring& wiring() const { return wiring_; }
  [[nodiscard]] std::vector<std::string> joint_names() const;
  /// Name of the motion that was played; empty = not in the record.
  [[nodiscard]] const std::string& motion() const { return motion_; }
  /// Rows of /cycle, as far as the index lists them.
  [[nodiscard]] std::uint64_t num_rows() const;

  /// Whether the record holds every sample of its run.
  [[nodiscard]] runtime::Completeness completeness() const {
    return runtime::completeness_of(reader_, runtime::kCycleTopic);
  }

  /// Calls visit for every row of /cycle in order.
  void for_each_row(const std::function<void(const runtime::CycleRecord&)>& visit) const;
  /// The curves of the run. Keeps one number per joint and tick.
  [[nodiscard]] RunSeries series() const;

 private:
  runtime::McapReader reader_;
  RobotWiring wiring_;
  std::string motion_;
};

}  // namespace kagami::tools
