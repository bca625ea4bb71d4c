/// Scalar expressions as a shared graph: the form in which algorithms are derived ahead of time.
///
/// Equal expressions are one node, constants fold, zeros and ones vanish. A value has one or two
/// lanes: two limbs of equal structure are derived together, lane 0 the one, lane 1 the other.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace kagami::models::hybrid {

/// A constant, one value per lane.
using Lanes = std::array<double, 2>;

enum class Op : std::uint8_t {
  kConstant,  ///< value
  kInput,     ///< input
  kAdd,       ///< a + b
  kSubtract,  ///< a - b
  kMultiply,  ///< a b
  kDivide,    ///< a / b
  kNegate,    ///< -a
  kSqrt,      ///< square root of a
};

/// Where an input comes from. Joint quantities are of a unit's joint; base quantities of the root.
enum class Source : std::uint8_t {
  kSin,      ///< sine of the joint's angle
  kCos,      ///< its cosine
  kRate,     ///< its rate (rad/s), or its acceleration for inverse dynamics (kForce)
  kForce,    ///< its force (N m); inverse dynamics: its acceleration (rad/s^2)
  kInertia,  ///< its entry of the diagonal (kg m^2, kg), where that comes with the call
  kBase,  ///< entry `slot` of what the caller gives for the base: q 0-6, v 7-12, tau or vdot 13-18,
          ///< the diagonal 19-24
  kStore,     ///< slot of `unit`'s own memory
  kPosition,  ///< coordinate `slot` of `unit`'s joint, as it is
  kHandle,    ///< entry `slot` of handle `unit` between two sub-chains
};

struct Input {
  Source source = Source::kStore;
  int unit = 0;
  int slot = 0;
  auto operator<=>(const Input&) const = default;  // NOLINT(modernize-use-nullptr): no pointer here
};

struct Node {
  Op op = Op::kConstant;
  int a = -1;
  int b = -1;
  Lanes value{};  ///< kConstant
  Input input{};  ///< kInput
};

class Graph;

/// Handle of a node; default-constructed it is no expression. Copy freely; the graph must outlive
/// it.
struct Expr {
  Graph* graph = nullptr;
  int id = -1;
  [[nodiscard]] bool is_zero() const;
  [[nodiscard]] bool is_constant() const;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr sqrt(Expr a);
inline Expr& operator+=(Expr& a, Expr b) {
  return a = a + b;
}
inline Expr& operator-=(Expr& a, Expr b) {
  return a = a - b;
}

/// Owns the nodes; operands always stand before their users. Set-up only.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Expr constant(double value) { return constant(Lanes{value, value}); }
  Expr constant(const Lanes& value);
  Expr input(const Input& input);
  /// The simplest node equal to `op` of the operands; b is ignored by operations of one operand.
  Expr apply(Op op, Expr a, Expr b);

  [[nodiscard]] const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }

 private:
  Expr add_node(const Node& node);
  Expr simplify_sum(Op op, Expr a, Expr b, bool& done);
  Expr simplify_product(Op op, Expr a, Expr b, bool& done);

  using Key = std::tuple<Op, int, int, std::uint64_t, std::uint64_t, Input>;
  std::vector<Node> nodes_;
  std::map<Key, int> index_;
};

}  // namespace kagami::models::hybrid
