#include "models/hybrid/expression.hpp"

#include <bit>
#include <cmath>
#include <utility>

namespace kagami::models::hybrid {
namespace {

bool both_lanes(const Node& n, double value) {
  return n.op == Op::kConstant && n.value[0] == value && n.value[1] == value;
}

double fold(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kNegate:
      return -a;
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kConstant:
    case Op::kInput:
      break;
  }
  return a;
}

bool one_operand(Op op) {
  return op == Op::kNegate || op == Op::kSqrt;
}

}  // namespace

bool Expr::is_zero() const {
  return both_lanes(graph->node(id), 0.0);
}
bool Expr::is_constant() const {
  return graph->node(id).op == Op::kConstant;
}

Expr operator+(Expr a, Expr b) {
  return a.graph->apply(Op::kAdd, a, b);
}
Expr operator-(Expr a, Expr b) {
  return a.graph->apply(Op::kSubtract, a, b);
}
Expr operator*(Expr a, Expr b) {
  return a.graph->apply(Op::kMultiply, a, b);
}
Expr operator/(Expr a, Expr b) {
  return a.graph->apply(Op::kDivide, a, b);
}
Expr operator-(Expr a) {
  return a.graph->apply(Op::kNegate, a, a);
}
Expr sqrt(Expr a) {
  return a.graph->apply(Op::kSqrt, a, a);
}

Expr Graph::add_node(const Node& node) {
  const Key key{node.op,
                node.a,
                node.b,
                std::bit_cast<std::uint64_t>(node.value[0]),
                std::bit_cast<std::uint64_t>(node.value[1]),
                node.input};
  const auto [it, is_new] = index_.try_emplace(key, size());
  if (is_new) nodes_.push_back(node);
  return {this, it->second};
}

Expr Graph::constant(const Lanes& value) {
  // one zero, not two
  return add_node({.op = Op::kConstant, .value = {value[0] + 0.0, value[1] + 0.0}});
}

Expr Graph::input(const Input& input) {
  return add_node({.op = Op::kInput, .input = input});
}

// a + b, a - b: zeros vanish, signs move outwards
Expr Graph::simplify_sum(Op op, Expr a, Expr b, bool& done) {
  done = true;
  const Node na = node(a.id);
  const Node nb = node(b.id);
  if (both_lanes(nb, 0.0)) return a;
  if (both_lanes(na, 0.0)) return op == Op::kAdd ? b : -b;
  if (op == Op::kSubtract && a.id == b.id) return constant(0.0);
  if (nb.op == Op::kNegate)
    return apply(op == Op::kAdd ? Op::kSubtract : Op::kAdd, a, {this, nb.a});
  if (na.op == Op::kNegate) {
    const Expr x{this, na.a};
    return op == Op::kAdd ? b - x : -(x + b);
  }
  done = false;
  return {};
}

// a b, a / b: zeros and ones vanish, signs move outwards, constant factors meet
Expr Graph::simplify_product(Op op, Expr a, Expr b, bool& done) {
  done = true;
  const Node na = node(a.id);
  const Node nb = node(b.id);
  if (both_lanes(na, 0.0)) return a;
  if (both_lanes(nb, 1.0)) return a;
  if (both_lanes(nb, -1.0)) return -a;
  if (op == Op::kMultiply) {
    if (both_lanes(nb, 0.0)) return b;
    if (both_lanes(na, 1.0)) return b;
    if (both_lanes(na, -1.0)) return -b;
  }
  if (op == Op::kDivide && a.id == b.id) return constant(1.0);
  if (na.op == Op::kNegate) return -apply(op, {this, na.a}, b);
  if (nb.op == Op::kNegate) return -apply(op, a, {this, nb.a});
  if (op == Op::kMultiply && na.op == Op::kConstant && nb.op == Op::kMultiply &&
      node(nb.a).op == Op::kConstant)
    return apply(op, a * Expr{this, nb.a}, {this, nb.b});
  done = false;
  return {};
}

Expr Graph::apply(Op op, Expr a, Expr b) {
  if (one_operand(op)) b = a;
  const Node na = node(a.id);
  const Node nb = node(b.id);
  if (na.op == Op::kConstant && nb.op == Op::kConstant)
    return constant(Lanes{fold(op, na.value[0], nb.value[0]), fold(op, na.value[1], nb.value[1])});
  if (op == Op::kNegate) {
    if (na.op == Op::kNegate) return {this, na.a};
    if (na.op == Op::kSubtract) return apply(Op::kSubtract, {this, na.b}, {this, na.a});
  }
  // a constant factor comes first, otherwise the older operand
  if (op == Op::kMultiply && na.op != Op::kConstant && (nb.op == Op::kConstant || b.id < a.id))
    std::swap(a, b);
  if (op == Op::kAdd && b.id < a.id) std::swap(a, b);

  bool done = false;
  if (op == Op::kAdd || op == Op::kSubtract) {
    const Expr simple = simplify_sum(op, a, b, done);
    if (done) return simple;
  }
  if (op == Op::kMultiply || op == Op::kDivide) {
    const Expr simple = simplify_product(op, a, b, done);
    if (done) return simple;
  }
  return add_node({.op = op, .a = a.id, .b = one_operand(op) ? -1 : b.id});
}

}  // namespace kagami::models::hybrid
