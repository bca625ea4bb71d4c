/// What rows of ours measure: a model of the comparison with its states.
#pragma once

#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::bench {

/// A model, the states to visit, and room for an answer.
struct Subject {
  explicit Subject(const ModelDef& def)
      : model(our_model(def)),
        states(our_states(def)),
        joints(def.num_joints()),
        out(JointVector::Zero(model.num_v())) {}

  [[nodiscard]] const OurState& at(int i) const { return states[static_cast<std::size_t>(i)]; }

  /// Over the states, of what call(i) leaves in `out`.
  template <class Call>
  double checksum(Call call) {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      call(i);
      sum.add(out.data() + (model.num_v() - joints), joints);
    }
    return sum.value();
  }

  models::Model model;
  std::vector<OurState> states;
  int joints;
  JointVector out;
};

/// A row whose answer is accelerations: checked against the peers' and timed.
template <class Call>
void run_forward(benchmark::State& state, Subject& s, Call call) {
  state.counters["checksum"] = s.checksum(call);
  measure(state, call);
}

}  // namespace kagami::bench
