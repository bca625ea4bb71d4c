/// Cycle records as bytes: the `/cycle` channel of a record.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

inline constexpr const char* kCycleTopic = "/cycle";
inline constexpr const char* kCycleSchemaName = "kagami_msgs/msg/Cycle";
inline constexpr const char* kCycleSchemaEncoding = "ros2msg";
inline constexpr const char* kCycleMessageEncoding = "cdr";

/// Text of the ros2msg schema: one line per field, in the order of the bytes.
std::string cycle_schema();

/// Little-endian CDR of one record, bit exact; joint arrays are sequences of `num_joints` numbers
/// (1..kMaxJoints). Empties `bytes` first and keeps its capacity. Throws RecordError for a number
/// of joints or events out of range.
void write_cycle_cdr(const CycleRecord& record, int num_joints, std::vector<std::byte>& bytes);

enum class CdrStatus : std::uint8_t {
  kOk,
  kTruncated,  ///< ends early, or its header is not that of little-endian CDR
  kBadValue,   ///< a bool, enumeration, number of joints or events that cannot be
  kTrailing,   ///< more bytes than fields
};

/// Reads what write_cycle_cdr wrote; checks every length. Places beyond the joints are 0. Outputs
/// are untouched unless kOk.
[[nodiscard]] CdrStatus read_cycle_cdr(std::span<const std::byte> bytes, CycleRecord& record,
                                       int& num_joints) noexcept;

}  // namespace kagami::runtime
