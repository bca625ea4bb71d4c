/// Makes a clean, indexed copy of a cut or damaged record.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/record/mcap_reader.hpp"

namespace kagami::runtime {

struct RecoverReport {
  std::uint64_t messages = 0;             ///< copied
  std::uint64_t attachments = 0;          ///< copied
  std::uint64_t damaged_attachments = 0;  ///< wrong CRC or malformed, metadata too: left out
  std::uint64_t end_time_ns = 0;          ///< last log time that was kept
  DamageReport damage;                    ///< of the input
};

/// Reads every whole chunk of input, whatever its summary states, and writes output. Messages come
/// out in the order of log time with their sequence numbers; metadata "kagami.recovered" states
/// what was missing. @throws RecordError when the input is no MCAP file, the output cannot be
/// written, or both are the same file
RecoverReport recover(const std::string& input, const std::string& output);

}  // namespace kagami::runtime
