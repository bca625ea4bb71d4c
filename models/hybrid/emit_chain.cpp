#include "models/hybrid/emit_chain.hpp"

#include <map>

#include "models/base/idx.hpp"
#include "models/hybrid/block_writer.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/generated.hpp"
#include "models/hybrid/segment.hpp"

namespace kagami::models::hybrid {
namespace {

struct Derived {
  Segment segment;
  Program program;
};

std::string emit_form(const Plan& plan, const std::vector<Derived>& segments, bool wide) {
  const std::string target = wide ? "[[gnu::target(\"avx2,fma\")]] " : "";
  const std::string form = wide ? "wide" : "plain";
  const std::string parameters =
      "([[maybe_unused]] const double* r, [[maybe_unused]] const double* x, "
      "[[maybe_unused]] double* m0, [[maybe_unused]] double* y, "
      "[[maybe_unused]] double* out) noexcept {\n";
  const int columns = column_count(plan);
  std::string functions;
  std::string table;
  std::map<std::string, std::string> known;
  for (const Derived& d : segments) {
    std::string entry;
    for (const Block& block : d.program.blocks) {
      const std::string body = write_block(d.program, block).statements;
      const auto [it, is_new] = known.try_emplace(body, "part_" + std::to_string(known.size()));
      if (is_new) functions += target + "void " + it->second + parameters + body + "}\n";
      entry += it->second + ", ";
    }
    const PlanBody& root = plan.bodies[idx(d.segment.first)];
    table += "    {" + entry + std::to_string(d.program.slots[idx(d.segment.first)]) + ", " +
             std::to_string(plan.units[idx(d.segment.first)].column) + ", " +
             std::to_string(root.parent >= 0 ? root.axis : -1) + "},\n";
  }
  std::string text = "namespace " + form + " {\nusing namespace kagami::models::hybrid::" + form +
                     ";\nconstexpr int kColumns = " + std::to_string(columns) + ";\n" + functions;
  text += target +
          "void gather(const double* q, const double* v, const double* f, double* x) noexcept "
          "{\n" +
          gather_statements(plan, false) + "}\n";
  return text + "constexpr GeneratedSegment kSegments[] = {\n" + table + "};\n}\n";
}

}  // namespace

std::string emit_chain(const Model& model, std::uint64_t hash, const std::string& name,
                       const std::vector<int>& lengths) {
  const Plan plan = make_plan(model, false);
  std::vector<Derived> segments;
  for (const Segment& s : split_chain(plan, lengths))
    segments.push_back({s, derive_segment(plan, s)});
  const std::string id = identifier(name);
  std::string text = "// Generated sub-chains of '" + id + "'; not to be edited.\n";
  text +=
      "#include \"models/hybrid/generated.hpp\"\n#include \"models/hybrid/generated_chain.hpp\"\n";
  text += "#include \"models/hybrid/lanes.hpp\"\nnamespace kagami::models::hybrid {\nnamespace {\n";
  text += "namespace chain {\n" + emit_form(plan, segments, false) +
          emit_form(plan, segments, true) + "}\n}\n";
  text += "extern \"C\" const GeneratedChain* kagami_chain_" + id + "() noexcept {\n";
  text += "  static constexpr GeneratedChain table{" + std::to_string(kGeneratorVersion) + "u, " +
          std::to_string(hash) + "u, \"" + id + "\", " + std::to_string(segments.size()) + ", " +
          std::to_string(column_count(plan)) + ", " + (plan.floating ? "true" : "false") +
          ",\n    {chain::plain::gather, chain::plain::kSegments},\n"
          "    {chain::wide::gather, chain::wide::kSegments}};\n";
  return text + "  return &table;\n}\n}\n";
}

std::string emit_chain_registry(const std::vector<std::string>& names) {
  std::string text = "// Generated: the registry of the shipped chains in sub-chains.\n";
  text += "#include \"models/hybrid/generated_chain.hpp\"\nnamespace kagami::models::hybrid {\n";
  for (const std::string& n : names)
    text += "extern \"C\" const GeneratedChain* kagami_chain_" + identifier(n) + "() noexcept;\n";
  text += "const GeneratedChain* find_generated_chain(std::uint64_t model_hash) noexcept {\n";
  for (const std::string& n : names)
    text += "  if (const GeneratedChain* c = kagami_chain_" + identifier(n) +
            "(); c->model_hash == model_hash) return c;\n";
  return text + "  return nullptr;\n}\n}\n";
}

}  // namespace kagami::models::hybrid
