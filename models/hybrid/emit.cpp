#include "models/hybrid/emit.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "models/base/idx.hpp"
#include "models/hybrid/block_writer.hpp"
#include "models/hybrid/generated.hpp"

namespace kagami::models::hybrid {
namespace {

std::string text_of(int i) {
  return std::to_string(i);
}

// a fused block stays one function; more operations than this are split into one block per unit
constexpr int kMostFusedOperations = 700;

// where each unit's memory starts; pairs on even places
struct Memory {
  std::vector<int> start;
  int size = 0;
};

Memory lay_out(const Program& p) {
  Memory m;
  for (std::size_t i = 0; i < p.plan.units.size(); ++i) {
    m.start.push_back(m.size);
    m.size += p.slots[i] * p.plan.units[i].lanes;
    m.size += m.size % 2;
  }
  return m;
}

bool is_driven(const Program& p) {
  return p.task == Task::kDrivenDynamics;
}

std::string parameters(const BlockText& b, const Program& p) {
  std::string text =
      "[[maybe_unused]] const double* q, [[maybe_unused]] const double* v, "
      "[[maybe_unused]] const double* f, ";
  if (is_driven(p)) text += "[[maybe_unused]] const double* j, ";
  if (p.fused) return text + "[[maybe_unused]] const double* x, [[maybe_unused]] double* out";
  text += "[[maybe_unused]] double* y0, [[maybe_unused]] double* out";
  for (std::size_t i = 0; i < b.units.size(); ++i) {
    const std::string n = std::to_string(i);
    text += std::string(", [[maybe_unused]] ") + (i == 0 ? "" : "const ") + "double* m" + n +
            ", [[maybe_unused]] const double* x" + n;
  }
  return text;
}

std::string call(const Program& p, const Memory& memory, const std::string& function,
                 const BlockText& b) {
  std::string text = "  " + function + (is_driven(p) ? "(q, v, f, j, " : "(q, v, f, ");
  if (p.fused) return text + "x, out);\n";
  text += "y + " + text_of(p.plan.units[idx(b.units[0])].column) + ", out";
  for (const int unit : b.units) {
    text += ", m + " + text_of(memory.start[idx(unit)]) + ", x + " +
            text_of(p.plan.units[idx(unit)].column);
  }
  return text + ");\n";
}

std::string scatter(const Plan& plan) {
  std::string text;
  for (const LimbUnit& u : plan.units) {
    for (int lane = 0; lane < u.lanes; ++lane) {
      const PlanBody& b = plan.bodies[idx(u.body[idx(lane)])];
      if (b.axis < 0) continue;
      text += "  out[" + text_of(b.v) + "] = y[" + text_of(u.column + lane) + "];\n";
    }
  }
  return text;
}

// length of a row: the plan's columns, a multiple of four
int column_count(const Plan& plan) {
  return (plan.columns + 3) / 4 * 4;
}

// rows of x[]
int row_count(const Program& p) {
  return p.fused ? 2 : is_driven(p) ? 5 : 4;
}

// fills x[], a row per quantity, a column per joint: sine and cosine of q, and unless the program
// is fused the rate from v, the force from f, what is added to the diagonal from j; columns that
// fill up the last four turn by zero
std::string gather_statements(const Program& p) {
  const Plan& plan = p.plan;
  const int columns = column_count(plan);
  std::vector<std::string> angle(idx(columns), "0.0");
  std::string text;
  for (const LimbUnit& u : plan.units) {
    const PlanBody& a = plan.bodies[idx(u.body[0])];
    const PlanBody& b = plan.bodies[idx(u.body[1])];
    if (a.axis < 0) continue;
    const bool turns = a.move == Move::kTurn;
    if (turns) angle[idx(u.column)] = "q[" + text_of(a.q) + "]";
    if (turns && u.lanes == 2) angle[idx(u.column + 1)] = "q[" + text_of(b.q) + "]";
    for (int row = 2; row < row_count(p); ++row) {
      const std::string place = "x[" + text_of(row) + " * kColumns + " + text_of(u.column) + "]";
      const std::string array(1, "scvfj"[row]);
      const std::string first = array + "[" + text_of(a.v) + "]";
      // a pair goes in by one store, as it will be read by one load
      text += u.lanes == 1 ? "  " + place + " = " + first + ";\n"
                           : "  *reinterpret_cast<D2Memory*>(&" + place + ") = D2{" + first + ", " +
                                 array + "[" + text_of(b.v) + "]};\n";
    }
  }
  for (int c = 0; c < columns; c += 4) {
    text += "  sines(" + angle[idx(c)] + ", " + angle[idx(c + 1)] + ", " + angle[idx(c + 2)] +
            ", " + angle[idx(c + 3)] + ", x + " + text_of(c) + ", x + kColumns + " + text_of(c) +
            ");\n";
  }
  return text;
}

// the program in one of its two forms
std::string emit_form(const Program& p, const std::string& name, bool wide) {
  const std::string target = wide ? "[[gnu::target(\"avx2,fma\")]] " : "";
  const Memory memory = lay_out(p);
  const int columns = column_count(p.plan);
  std::string functions;
  std::string calls;
  std::map<std::string, std::string> known;
  for (const Block& block : p.blocks) {
    const BlockText b = write_block(p, block);
    const std::string body = "(" + parameters(b, p) + ") noexcept {\n" + b.statements + "}\n";
    const auto [it, is_new] = known.try_emplace(body, name + "_" + std::to_string(known.size()));
    if (is_new) functions += target + "[[gnu::noinline]] static void " + it->second + body;
    calls += call(p, memory, it->second, b);
  }
  const std::string form = wide ? "wide" : "plain";
  std::string text =
      "namespace " + form + " {\nusing namespace kagami::models::hybrid::" + form + ";\n";
  text += "namespace {\nconstexpr int kColumns = " + text_of(columns) + ";\n" + functions + "}\n";
  text += target + "static void " + name + "(const double* q, const double* v, const double* f, " +
          (is_driven(p) ? "const double* j, " : "") + "double* out) noexcept {\n";
  text += "  alignas(32) double x[" + text_of(row_count(p)) + " * kColumns];\n";
  if (!p.fused)
    text += "  alignas(32) double y[kColumns];\n  alignas(32) double m[" +
            text_of(std::max(memory.size, 2)) + "];\n";
  text += gather_statements(p) + calls;
  if (!p.fused) text += scatter(p.plan);
  text += "}\n";
  return text + "}  // namespace " + form + "\n";
}

// the functions `name` in namespaces plain and wide; blocks with equal text become one function, so
// a chain of equal links is one link's code
std::string emit_forms(const Program& program, const std::string& name) {
  return emit_form(program, name, false) + emit_form(program, name, true);
}

// the way the pairs, the blocks and the fusing are chosen: fused while the code is small, else a
// block per unit and limbs in pairs
Program best_program(const Model& model, Task task) {
  const Plan pairs = make_plan(model, true);
  const bool has_pairs = std::any_of(pairs.units.begin(), pairs.units.end(),
                                     [](const LimbUnit& u) { return u.lanes == 2; });
  if (!has_pairs && pairs.units.size() <= 32) {
    Program fused = derive(pairs, task, true);
    if (short_path_pays(fused)) fused = derive(pairs, task, true, EliminationOrder::kShortPath);
    if (operation_count(fused) <= kMostFusedOperations) return fused;
  }
  return derive(pairs, task, false);
}

}  // namespace

std::string identifier(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0;
    out += fine ? c : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "_" + out;
  return out;
}

std::string emit_unit(const Model& model, std::uint64_t hash, const std::string& name) {
  const std::string id = identifier(name);
  std::string text =
      "// Generated from the model '" + id + "' by Kagami's hybrid modelling; not to be edited.\n";
  text += "#include \"models/hybrid/generated.hpp\"\n#include \"models/hybrid/lanes.hpp\"\n";
  text += "namespace kagami::models::hybrid {\nnamespace {\n";
  text +=
      "namespace forward {\n" + emit_forms(best_program(model, Task::kForwardDynamics), id) + "}\n";
  text += "namespace inverse {\n" + emit_forms(best_program(model, Task::kInverseDynamics), id) +
          "}\nnamespace driven {\n" + emit_forms(best_program(model, Task::kDrivenDynamics), id) +
          "}\n}\n";
  text += "extern \"C\" const GeneratedTable* kagami_generated_" + id + "() noexcept {\n";
  text += "  static constexpr GeneratedTable table{" + std::to_string(kGeneratorVersion) + "u, " +
          std::to_string(hash) + "u, \"" + id + "\", " + text_of(model.num_q()) + ", " +
          text_of(model.num_v()) + ",\n    {forward::plain::" + id + ", forward::wide::" + id +
          "},\n    {inverse::plain::" + id + ", inverse::wide::" + id +
          "},\n    {driven::plain::" + id + ", driven::wide::" + id + "}};\n";
  return text + "  return &table;\n}\n}\n";
}

std::string emit_registry(const std::vector<std::string>& names) {
  std::string text = "// Generated: the registry of the shipped robots' code.\n";
  text += "#include \"models/hybrid/generated.hpp\"\nnamespace kagami::models::hybrid {\n";
  for (const std::string& n : names)
    text +=
        "extern \"C\" const GeneratedTable* kagami_generated_" + identifier(n) + "() noexcept;\n";
  text += "const GeneratedTable* generated_at(int index) noexcept {\n  switch (index) {\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += "    case " + std::to_string(i) + ": return kagami_generated_" + identifier(names[i]) +
            "();\n";
  text += "    default: return nullptr;\n  }\n}\n";
  text += "const GeneratedTable* find_generated(std::uint64_t model_hash) noexcept {\n";
  text += "  for (int i = 0; const GeneratedTable* t = generated_at(i); ++i) {\n";
  text += "    if (t->model_hash == model_hash) return t;\n  }\n  return nullptr;\n}\n";
  text += "bool has_wide_units() noexcept {\n";
  text += "  return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\");\n}\n";
  return text + "}\n";
}

}  // namespace kagami::models::hybrid
