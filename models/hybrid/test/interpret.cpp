#include "models/hybrid/test/interpret.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "models/base/idx.hpp"

namespace kagami::models::hybrid {
namespace {

// values of the outputs in one lane, from a value for every input
std::vector<double> evaluate(const Graph& graph, const std::vector<Output>& outputs, int lane,
                             const std::function<double(const Input&)>& value_of) {
  const auto size = static_cast<std::size_t>(graph.size());
  std::vector<bool> wanted(size, false);
  for (const Output& o : outputs) wanted[static_cast<std::size_t>(o.value.id)] = true;
  for (std::size_t id = size; id-- > 0;) {
    if (!wanted[id]) continue;
    for (const int operand :
         {graph.node(static_cast<int>(id)).a, graph.node(static_cast<int>(id)).b})
      if (operand >= 0) wanted[static_cast<std::size_t>(operand)] = true;
  }
  std::vector<double> x(size, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t id = 0; id < size; ++id) {
    if (!wanted[id]) continue;
    const Node& n = graph.node(static_cast<int>(id));
    const double a = n.a >= 0 ? x[static_cast<std::size_t>(n.a)] : 0.0;
    const double b = n.b >= 0 ? x[static_cast<std::size_t>(n.b)] : 0.0;
    switch (n.op) {
      case Op::kConstant:
        x[id] = n.value[static_cast<std::size_t>(lane)];
        break;
      case Op::kInput:
        x[id] = value_of(n.input);
        break;
      case Op::kAdd:
        x[id] = a + b;
        break;
      case Op::kSubtract:
        x[id] = a - b;
        break;
      case Op::kMultiply:
        x[id] = a * b;
        break;
      case Op::kDivide:
        x[id] = a / b;
        break;
      case Op::kNegate:
        x[id] = -a;
        break;
      case Op::kSqrt:
        x[id] = std::sqrt(a);
        break;
    }
  }
  std::vector<double> values;
  for (const Output& o : outputs) values.push_back(x[static_cast<std::size_t>(o.value.id)]);
  return values;
}

class Interpreter {
 public:
  Interpreter(const Program& program, const JointVector& q, const JointVector& v,
              const JointVector& in, const JointVector& J)
      : p_(program), q_(q), v_(v), in_(in), J_(J), out_(JointVector::Zero(v.size())) {}

  JointVector run() {
    for (const Block& block : p_.blocks) {
      const int lanes = p_.plan.units[idx(block.unit)].lanes;
      std::array<std::vector<double>, 2> x;
      for (int lane = 0; lane < lanes; ++lane)
        x[idx(lane)] = evaluate(*p_.graph, block.outputs, lane,
                                [&](const Input& in) { return value_of(in, lane); });
      for (std::size_t i = 0; i < block.outputs.size(); ++i)
        put(block, block.outputs[i], x[0][i], lanes == 2 ? x[1][i] : x[0][i]);
    }
    return out_;
  }

 private:
  // of a joint in a lane; a single one shows the same in both
  const PlanBody& body(int unit, int lane) const {
    return p_.plan.bodies[idx(p_.plan.units[idx(unit)].body[idx(lane)])];
  }

  double value_of(const Input& in, int lane) const {
    switch (in.source) {
      case Source::kSin:
        return std::sin(q_[body(in.unit, lane).q]);
      case Source::kCos:
        return std::cos(q_[body(in.unit, lane).q]);
      case Source::kRate:
        return v_[body(in.unit, lane).v];
      case Source::kForce:
        return in_[body(in.unit, lane).v];
      case Source::kInertia:
        return J_[body(in.unit, lane).v];
      case Source::kBase:
        if (in.slot >= 19) return J_[in.slot - 19];
        return in.slot < 7 ? q_[in.slot] : in.slot < 13 ? v_[in.slot - 7] : in_[in.slot - 13];
      case Source::kStore:
        return memory_.at({in.unit, in.slot})[idx(lane)];
      case Source::kPosition:
        return q_[body(in.unit, lane).q + in.slot];
      case Source::kHandle:
        return handles_.at(in.unit * ChainHandle::kSize + in.slot);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  void put(const Block& block, const Output& o, double left, double right) {
    switch (o.sink) {
      case Sink::kStore:
        memory_[{block.unit, o.slot}] = {left, right};
        break;
      case Sink::kStoreSum:
        memory_[{block.unit, o.slot}] = {left + right, left + right};
        break;
      case Sink::kJoint:
        out_[body(o.slot, 1).v] = right;
        out_[body(o.slot, 0).v] = left;
        break;
      case Sink::kBase:
        out_[o.slot] = left;
        break;
      case Sink::kHandle:
        handles_[o.slot] = left;
        break;
    }
  }

  const Program& p_;
  const JointVector &q_, &v_, &in_, &J_;
  JointVector out_;
  std::map<std::pair<int, int>, Lanes> memory_;  // by unit and slot
  std::map<int, double> handles_;
};

}  // namespace

JointVector interpret(const Program& program, const JointVector& q, const JointVector& v,
                      const JointVector& in, const JointVector& J) {
  return Interpreter(program, q, v, in, J).run();
}

}  // namespace kagami::models::hybrid
