#include "runtime/cycle/verify.hpp"

#include <memory>

#include "runtime/cycle/cycle_compare.hpp"

namespace kagami::runtime {

VerifyResult verify(const CycleRecordSource& next, CycleCore& core,
                    const HandoverSource& handover) {
  VerifyResult result;
  const auto row = std::make_unique<CycleRecord>();
  const auto computed = std::make_unique<CycleOutput>();
  while (next(*row)) {
    if (row->in.handover_id != 0 && handover) core.hand_over(handover(row->in));
    core.step(row->in, *computed);
    const std::unique_ptr<ControllerInstance> replaced = core.take_back();
    ++result.rows;
    result.state_hash = computed->state_hash;
    const auto difference = first_difference(row->out, *computed, core.num_joints());
    if (!difference) continue;

    result.tick = row->in.tick;
    result.field = difference->field;
    result.recorded = difference->first;
    result.computed = difference->second;
    if (row->out.steps > computed->steps) {
      result.missing = row->out.steps - computed->steps;
      result.note =
          std::to_string(result.missing) + " rows are missing from the record before this tick";
    }
    return result;
  }
  result.identical = result.rows > 0;
  if (result.rows == 0) result.note = "the record has no rows";
  return result;
}

}  // namespace kagami::runtime
