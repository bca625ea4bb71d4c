/// Re-execution of a record: the recorded inputs give the recorded outputs, bit by bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/cycle_core.hpp"

namespace kagami::runtime {

/// Fills in the next row of /cycle; false at the end. May throw RecordError.
using CycleRecordSource = std::function<bool(CycleRecord&)>;

/// Builds the controller that a row names in `handover_id`; called before that row is stepped. May
/// throw; null is a record that cannot be verified.
using HandoverSource = std::function<std::unique_ptr<ControllerInstance>(const CycleInput&)>;

struct VerifyResult {
  bool identical = false;
  std::uint64_t rows = 0;        ///< compared
  std::uint64_t state_hash = 0;  ///< of the last computed row
  std::int64_t tick = -1;        ///< of the first row that differs
  std::string field;             ///< that differs, e.g. "q_simulated[3]"
  std::string recorded;          ///< its value, all digits
  std::string computed;
  bool complete = true;       ///< every sample of the run is in the record, and its end
  std::string incomplete;     ///< why it is not complete
  std::uint64_t missing = 0;  ///< samples that the record lacks before `tick`: no other difference
  std::string note;           ///< the reason where it is known: rows lost, empty record
};

/// Feeds every recorded input to `core`, which must be fresh and built from the record's robot,
/// motion and configuration. Stops at the first difference. Set-up code.
VerifyResult verify(const CycleRecordSource& next, CycleCore& core,
                    const HandoverSource& handover = {});

}  // namespace kagami::runtime
