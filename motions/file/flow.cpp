#include "motions/file/flow.hpp"

#include <map>
#include <tuple>

#include "models/base/errors.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {
namespace {

// passes through steps without a pose, of all loops together
constexpr int kMaxPasses = 10 * kMaxPoses;

/// Where a flow is: the step to come and the counters that decide its way.
struct FlowState {
  int step = 0;
  std::map<int, int> counters;
  bool operator<(const FlowState& other) const {
    return std::tie(step, counters) < std::tie(other.step, other.counters);
  }
};

class Unroller {
 public:
  Unroller(const std::vector<FlowStep>& steps, const std::set<int>& taken, const std::string& file)
      : steps_(steps), taken_(taken), file_(file) {}

  Unrolled run(int start) {
    FlowState state{start, {}};
    for (int pass = 0; state.step != FlowStep::kEnd && !result_.loops; ++pass) {
      if (state.step < 0 || state.step >= static_cast<int>(steps_.size())) {
        throw ConfigError(file_ + ": the flow leads to item " + std::to_string(state.step) +
                          ", expected one of the " + std::to_string(steps_.size()) + " items");
      }
      if (pass > kMaxPasses || result_.poses.size() > kMaxPoses) {
        throw ConfigError(file_ + ": the loops give more than " + std::to_string(kMaxPoses) +
                          " poses");
      }
      if (!is_repeated(state)) advance(state);
    }
    return std::move(result_);
  }

 private:
  // the same step with the same counters again: what follows repeats for ever
  bool is_repeated(const FlowState& state) {
    const auto [found, is_new] = seen_.emplace(state, result_.poses.size());
    if (is_new) return false;
    if (found->second > 0 || result_.poses.empty()) {
      throw ConfigError(file_ + ": the loop back to " + name_of(state.step) +
                        " has no end, expected an end or a counter");
    }
    result_.loops = true;
    return true;
  }

  void advance(FlowState& state) {
    const int at = state.step;
    const FlowStep& step = steps_[static_cast<std::size_t>(at)];
    state.step = step.next;
    switch (step.kind) {
      case FlowStep::Kind::kPass:
        break;
      case FlowStep::Kind::kPose:
        result_.poses.push_back(step.value);
        break;
      case FlowStep::Kind::kSetCounter:
        state.counters[step.counter] = step.value;
        break;
      case FlowStep::Kind::kCountDown:
        if (--state.counters[step.counter] > 0) state.step = step.branch;
        break;
      case FlowStep::Kind::kCompare:
        compare(at, step, state);
        break;
    }
  }

  void compare(int at, const FlowStep& step, FlowState& state) {
    const bool is_taken = taken_.contains(at);
    if (is_taken) state.step = step.branch;
    if (!warned_.insert(at).second) return;
    result_.warnings.push_back(
        step.name + " depends on a sensor or a button: read as if it were " +
        (is_taken ? "true" : "false, --branch " + std::to_string(at) + " reads the other way"));
  }

  [[nodiscard]] std::string name_of(int step) const {
    return steps_[static_cast<std::size_t>(step)].name;
  }

  const std::vector<FlowStep>& steps_;
  const std::set<int>& taken_;
  const std::string& file_;
  std::map<FlowState, std::size_t> seen_;  // and the poses so far
  std::set<int> warned_;
  Unrolled result_;
};

}  // namespace

Unrolled unroll(const std::vector<FlowStep>& steps, int start, const std::set<int>& taken,
                const std::string& file) {
  return Unroller(steps, taken, file).run(start);
}

}  // namespace kagami::motions
