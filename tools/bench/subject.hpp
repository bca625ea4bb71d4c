/// What rows of ours measure: a model of the comparison with its states.
#pragma once

#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/our_model.hpp"
#include "tools/bench/shipped.hpp"

namespace kagami::bench {

/// A model, the states to visit, and room for an answer.
struct Subject {
  explicit Subject(const ModelDef& def)
      : model(def.robot.empty() ? our_model(def) : shipped_model(def.robot)),
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

  /// Over the states and the rows of `matrix` after call(i): its entries of the revolute joints.
  template <class Call, class Matrix>
  double checksum_rows(Call call, const Matrix& matrix, Eigen::Index first_row) {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      call(i);
      for (Eigen::Index r = first_row; r < matrix.rows(); ++r) {
        const JointVector row = matrix.row(r).tail(joints);
        sum.add(row.data(), joints);
      }
    }
    return sum.value();
  }

  models::Model model;
  std::vector<OurState> states;
  int joints;
  JointVector out;
};

/// A row whose answer, accelerations or torques, is left in s.out: checked against the peers' and
/// timed.
template <class Call>
void run_checked(benchmark::State& state, Subject& s, Call call) {
  state.counters["checksum"] = s.checksum(call);
  measure(state, call);
}

}  // namespace kagami::bench
