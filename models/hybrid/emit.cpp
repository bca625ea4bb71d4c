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

std::string parameters(const BlockText& b, bool fused) {
  if (fused)
    return "[[maybe_unused]] const double* q, [[maybe_unused]] const double* v, "
           "[[maybe_unused]] const double* f, [[maybe_unused]] const double* x, "
           "[[maybe_unused]] double* out";
  std::string text =
      "[[maybe_unused]] const double* q, [[maybe_unused]] const double* v, "
      "[[maybe_unused]] const double* f, [[maybe_unused]] double* y0, "
      "[[maybe_unused]] double* out";
  for (std::size_t i = 0; i < b.units.size(); ++i) {
    const std::string n = std::to_string(i);
    text += std::string(", [[maybe_unused]] ") + (i == 0 ? "" : "const ") + "double* m" + n +
            ", [[maybe_unused]] const double* x" + n;
  }
  return text;
}

std::string call(const Program& p, const Memory& memory, const std::string& function,
                 const BlockText& b) {
  if (p.fused) return "  " + function + "(q, v, f, x, out);\n";
  std::string text =
      "  " + function + "(q, v, f, y + " + text_of(p.plan.units[idx(b.units[0])].column) + ", out";
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

// fills x[], a row per quantity, a column per joint: sine and cosine of q, and unless `sines_alone`
// the rate from v and the force from f; columns that fill up the last four turn by zero
std::string gather_statements(const Plan& plan, bool sines_alone) {
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
    for (const char* row : {"2v", "3f"}) {
      if (sines_alone) break;
      const std::string place =
          std::string("x[") + row[0] + " * kColumns + " + text_of(u.column) + "]";
      const std::string array(1, row[1]);
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
    const std::string body = "(" + parameters(b, p.fused) + ") noexcept {\n" + b.statements + "}\n";
    const auto [it, is_new] = known.try_emplace(body, name + "_" + std::to_string(known.size()));
    if (is_new) functions += target + "[[gnu::noinline]] static void " + it->second + body;
    calls += call(p, memory, it->second, b);
  }
  const std::string form = wide ? "wide" : "plain";
  std::string text =
      "namespace " + form + " {\nusing namespace kagami::models::hybrid::" + form + ";\n";
  text += "namespace {\nconstexpr int kColumns = " + text_of(columns) + ";\n" + functions + "}\n";
  text += target + "static void " + name +
          "(const double* q, const double* v, const double* f, double* out) noexcept {\n";
  text += std::string("  alignas(32) double x[") + (p.fused ? "2" : "4") + " * kColumns];\n";
  if (!p.fused)
    text += "  alignas(32) double y[kColumns];\n  alignas(32) double m[" +
            text_of(std::max(memory.size, 2)) + "];\n";
  text += gather_statements(p.plan, p.fused) + calls;
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
          "}\n}\n";
  text += "extern \"C\" const GeneratedTable* kagami_generated_" + id + "() noexcept {\n";
  text += "  static constexpr GeneratedTable table{" + std::to_string(kGeneratorVersion) + "u, " +
          std::to_string(hash) + "u, \"" + id + "\", " + text_of(model.num_q()) + ", " +
          text_of(model.num_v()) + ",\n    {forward::plain::" + id + ", forward::wide::" + id +
          "},\n    {inverse::plain::" + id + ", inverse::wide::" + id + "}};\n";
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
