#include "models/hybrid/block_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "models/base/idx.hpp"
#include "models/hybrid/generated_blocks.hpp"

namespace kagami::models::hybrid {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", x);
  return x < 0.0 ? std::string("(") + text + ")" : text;
}

class Writer {
 public:
  Writer(const Program& program, const Block& block)
      : p_(program), block_(block), g_(*program.graph), pair_(lanes_of(block.unit) == 2) {
    names_.resize(idx(g_.size()));
    uses_.resize(idx(g_.size()), 0);
    product_uses_.resize(idx(g_.size()), 0);
    text_.units.push_back(block.unit);
    text_.pair = pair_;
  }

  BlockText run() {
    count_uses();
    for (const Output& o : block_.outputs) write(o);
    return text_;
  }

 private:
  int lanes_of(int unit) const { return p_.plan.units[idx(unit)].lanes; }
  bool chain() const { return p_.task == Task::kChain; }
  // an entry of one of a sub-chain's two handles
  std::string handle(int number, int entry) const {
    return (number == block_.segment ? "r[" : "h[") + std::to_string(entry) + "]";
  }
  // a segment's columns count from its first
  int column_of(int unit) const {
    const int first = chain() ? p_.plan.units[idx(block_.unit)].column : 0;
    return p_.plan.units[idx(unit)].column - first;
  }
  std::string dof_of(int unit) const {
    return std::to_string(p_.plan.bodies[idx(p_.plan.units[idx(unit)].body[0])].v);
  }
  const Node& node(int id) const { return g_.node(id); }

  // uses of every node by the block, and those among them that a fused product may absorb
  void count_uses() {
    std::vector<int> open;
    std::vector<bool> seen(idx(g_.size()), false);
    for (const Output& o : block_.outputs) {
      ++uses_[idx(o.value.id)];
      open.push_back(o.value.id);
    }
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      if (seen[idx(id)]) continue;
      seen[idx(id)] = true;
      const Node& n = node(id);
      for (const int operand : {n.a, n.b}) {
        if (operand < 0) continue;
        ++uses_[idx(operand)];
        if (n.op == Op::kAdd || n.op == Op::kSubtract) ++product_uses_[idx(operand)];
        open.push_back(operand);
      }
    }
  }

  bool absorbed(int id) const {
    return node(id).op == Op::kMultiply && names_[idx(id)].empty() &&
           uses_[idx(id)] == product_uses_[idx(id)];
  }

  // position of a unit among the block's parameters
  int parameter(int unit) {
    const auto it = std::find(text_.units.begin(), text_.units.end(), unit);
    if (it != text_.units.end()) return static_cast<int>(it - text_.units.begin());
    text_.units.push_back(unit);
    return static_cast<int>(text_.units.size()) - 1;
  }

  std::string place(const std::string& array, const std::string& offset, int from_lanes) const {
    const std::string element = array + "[" + offset + "]";
    if (!pair_) return element;
    if (from_lanes == 1) return "D2{" + element + ", " + element + "}";
    return "*reinterpret_cast<const D2Memory*>(&" + element + ")";
  }

  // a coordinate as the caller gives it
  std::string position(const Input& in) const {
    const LimbUnit& u = p_.plan.units[idx(in.unit)];
    std::array<std::string, 2> q;
    for (int lane = 0; lane < 2; ++lane)
      q[idx(lane)] =
          "q[" + std::to_string(p_.plan.bodies[idx(u.body[idx(lane)])].q + in.slot) + "]";
    return pair_ ? "D2{" + q[0] + ", " + q[1] + "}" : q[0];
  }

  std::string input(const Input& in) {
    switch (in.source) {
      case Source::kBase: {
        if (chain()) return "r[" + std::to_string(in.slot) + "]";
        constexpr std::string_view kArrays = "vfj";
        if (in.slot < 7) return place("q", std::to_string(in.slot), 1);
        const int n = in.slot - 7;
        return place(std::string(1, kArrays[idx(n / 6)]), std::to_string(n % 6), 1);
      }
      case Source::kStore:
        return place("m" + std::to_string(parameter(in.unit)),
                     std::to_string(in.slot * lanes_of(in.unit)), lanes_of(in.unit));
      case Source::kPosition:
        return position(in);
      case Source::kHandle:
        return handle(in.unit, in.slot);
      case Source::kSin:
      case Source::kCos:
      case Source::kRate:
      case Source::kForce:
      case Source::kInertia:
        break;
    }
    constexpr std::string_view kArrays = "scvfj";
    const std::string own(1, kArrays[static_cast<std::size_t>(in.source)]);
    if (chain()) return own + "[" + std::to_string(column_of(in.unit)) + "]";
    if (p_.fused && in.source >= Source::kRate) return own + "[" + dof_of(in.unit) + "]";
    const std::string row = std::to_string(static_cast<int>(in.source)) + " * kColumns";
    const bool one = p_.fused;  // one array for all joints
    const int base = one ? column_of(in.unit) : 0;
    const std::string array = one ? "x" : "x" + std::to_string(parameter(in.unit));
    return place(array, row + (base != 0 ? " + " + std::to_string(base) : ""), lanes_of(in.unit));
  }

  std::string constant(const Lanes& value) const {
    if (!pair_) return number(value[0]);
    return "D2{" + number(value[0]) + ", " + number(value[1]) + "}";
  }

  std::string sum(const Node& n) {
    const bool add = n.op == Op::kAdd;
    // the younger product is the later one: it goes into the fused operation
    const bool b_product = absorbed(n.b);
    const bool a_product = absorbed(n.a) && !(b_product && n.b >= n.a);
    if (a_product) {
      const std::string c = value(n.b);
      const Node& ab = node(n.a);
      const std::string x = value(ab.a);
      return (add ? "fma(" : "fms(") + x + ", " + value(ab.b) + ", " + c + ")";
    }
    if (b_product) {
      const std::string c = value(n.a);
      const Node& ab = node(n.b);
      const std::string x = value(ab.a);
      return (add ? "fma(" : "fnma(") + x + ", " + value(ab.b) + ", " + c + ")";
    }
    const std::string x = value(n.a);
    return x + (add ? " + " : " - ") + value(n.b);
  }

  std::string expression(int id) {
    const Node& n = node(id);
    switch (n.op) {
      case Op::kConstant:
        return constant(n.value);
      case Op::kInput:
        return input(n.input);
      case Op::kAdd:
      case Op::kSubtract:
        return sum(n);
      case Op::kMultiply: {
        const std::string x = value(n.a);
        return x + " * " + value(n.b);
      }
      case Op::kDivide: {
        const std::string x = value(n.a);
        return x + " / " + value(n.b);
      }
      case Op::kNegate:
        return "-" + value(n.a);
      case Op::kSqrt:
        return "root(" + value(n.a) + ")";
    }
    return {};
  }

  // name of a node's value, written on first demand: operands stand just before their first user
  std::string value(int id) {
    if (node(id).op == Op::kConstant) return constant(node(id).value);
    std::string& name = names_[idx(id)];
    if (!name.empty()) return name;
    const std::string text = expression(id);
    names_[idx(id)] = "t" + std::to_string(count_++);
    text_.statements += std::string("  const ") + (pair_ ? "D2 " : "double ") + names_[idx(id)] +
                        " = " + text + ";\n";
    return names_[idx(id)];
  }

  void write(const Output& o) {
    const std::string x = value(o.value.id);
    std::string& out = text_.statements;
    switch (o.sink) {
      case Sink::kStore:
        out += store("m0", std::to_string(o.slot * lanes_of(block_.unit)), x);
        break;
      case Sink::kStoreSum:
        out += "  m0[" + std::to_string(o.slot * 2) + "] = " + x + "[0] + " + x + "[1];\n";
        break;
      case Sink::kJoint:
        if (p_.fused)
          out += "  out[" + dof_of(o.slot) + "] = " + x + ";\n";
        else
          out += chain() ? store("y", std::to_string(column_of(o.slot)), x) : store("y0", "0", x);
        break;
      case Sink::kBase:
        out += (chain() ? "  r[" + std::to_string(ChainBase::kOut + o.slot)
                        : "  out[" + std::to_string(o.slot)) +
               "] = " + x + ";\n";
        break;
      case Sink::kHandle:
        out += "  " + handle(o.slot / ChainHandle::kSize, o.slot % ChainHandle::kSize) + " = " + x +
               ";\n";
        break;
    }
  }

  std::string store(const std::string& array, const std::string& offset,
                    const std::string& x) const {
    const std::string element = array + "[" + offset + "]";
    if (!pair_) return "  " + element + " = " + x + ";\n";
    // a constant has no lanes of its own to take the address of
    return "  *reinterpret_cast<D2Memory*>(&" + element + ") = " + x + ";\n";
  }

  const Program& p_;
  const Block& block_;
  const Graph& g_;
  bool pair_ = false;
  int count_ = 0;
  std::vector<std::string> names_;
  std::vector<int> uses_;
  std::vector<int> product_uses_;
  BlockText text_;
};

}  // namespace

BlockText write_block(const Program& program, const Block& block) {
  return Writer(program, block).run();
}

int operation_count(const Program& program) {
  int count = 0;
  for (const Block& block : program.blocks) {
    const BlockText text = write_block(program, block);
    for (std::size_t pos = 0; (pos = text.statements.find("const ", pos)) != std::string::npos;
         ++pos) {
      const std::size_t end = text.statements.find('\n', pos);
      const std::string line = text.statements.substr(pos, end - pos);
      if (line.find('[') == std::string::npos) ++count;
    }
  }
  return count;
}

bool short_path_pays(const Program& program) {
  // by measurement: a planar chain of some 40 gains a tenth to a sixth, arms and chains in space of
  // 80 and 130 lose a few parts in a hundred, and so do limbs in pairs
  constexpr int kMostPerBody = 60;
  if (program.task == Task::kInverseDynamics) return false;
  for (const LimbUnit& u : program.plan.units) {
    if (u.lanes > 1 || u.children.size() > 1) return false;
  }
  return operation_count(program) < kMostPerBody * static_cast<int>(program.plan.units.size());
}

}  // namespace kagami::models::hybrid
