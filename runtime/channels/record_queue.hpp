/// The rows of /cycle on their way from the cycle to the writer.
#pragma once

#include <array>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// One thread pushes, one pops; neither waits. The values of a tuning take as much as all the rest
/// of a row and are new in few: they travel in a queue of their own, beside the row that they came
/// with.
template <std::size_t kRows, std::size_t kTunings>
class RecordQueue {
 public:
  /// False, and nothing is kept, when there is no room. Cycle code.
  bool push(const CycleRecord& record) noexcept {
    if (rows_.write_available() == 0) return false;
    if (record.in.tuning_is_new && !values_.push(record.in.tuning.values)) return false;
    const auto* bytes = reinterpret_cast<const std::byte*>(&record);
    Row row;
    std::memcpy(row.data(), bytes, kBegin);
    std::memcpy(row.data() + kBegin, bytes + kEnd, sizeof(CycleRecord) - kEnd);
    return rows_.push(row);
  }

  /// False when it is empty. A row whose tuning is not new leaves the values in `record` alone.
  bool pop(CycleRecord& record) noexcept {
    Row row;
    if (!rows_.pop(row)) return false;
    auto* bytes = reinterpret_cast<std::byte*>(&record);
    std::memcpy(bytes, row.data(), kBegin);
    std::memcpy(bytes + kEnd, row.data() + kBegin, sizeof(CycleRecord) - kEnd);
    if (record.in.tuning_is_new) values_.pop(record.in.tuning.values);
    return true;
  }

 private:
  static_assert(std::is_trivially_copyable_v<CycleRecord> &&
                std::is_standard_layout_v<CycleRecord>);
  using Values = decltype(Tuning::values);
  static constexpr std::size_t kBegin =
      offsetof(CycleRecord, in) + offsetof(CycleInput, tuning) + offsetof(Tuning, values);
  static constexpr std::size_t kEnd = kBegin + sizeof(Values);
  /// A record without the values in its middle.
  using Row = std::array<std::byte, sizeof(CycleRecord) - sizeof(Values)>;

  boost::lockfree::spsc_queue<Row, boost::lockfree::capacity<kRows>> rows_;
  boost::lockfree::spsc_queue<Values, boost::lockfree::capacity<kTunings>> values_;
};

}  // namespace kagami::runtime
