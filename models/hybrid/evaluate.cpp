#include "models/hybrid/evaluate.hpp"

#include <cmath>
#include <limits>

namespace kagami::models::hybrid {

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

}  // namespace kagami::models::hybrid
