#include "models/hybrid/emit_blocks.hpp"

#include <array>
#include <map>
#include <set>

#include "models/base/idx.hpp"
#include "models/hybrid/block_writer.hpp"
#include "models/hybrid/chain_blocks.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/generated.hpp"

namespace kagami::models::hybrid {
namespace {

constexpr const char* kParameters =
    "([[maybe_unused]] const double* __restrict s, [[maybe_unused]] const double* __restrict c, "
    "[[maybe_unused]] const double* __restrict v, [[maybe_unused]] const double* __restrict f, "
    "[[maybe_unused]] double* __restrict m0, [[maybe_unused]] double* __restrict r, "
    "[[maybe_unused]] double* __restrict h, [[maybe_unused]] double* __restrict y) noexcept {\n";

// four at a time; the last four are filled up with zeros
constexpr const char* kSines =
    "void all_sines(int n, const double* q, double* s, double* c) noexcept {\n"
    "  int i = 0;\n"
    "  for (; i + 4 <= n; i += 4) sines(q[i], q[i + 1], q[i + 2], q[i + 3], s + i, c + i);\n"
    "  if (i < n)\n"
    "    sines(q[i], i + 1 < n ? q[i + 1] : 0.0, i + 2 < n ? q[i + 2] : 0.0, 0.0, s + i, c + i);\n"
    "}\n";

std::string entries_text(const HandleEntries& e) {
  return "{" + std::to_string(e.zero) + "u, " + std::to_string(e.handed) + "u}";
}

// one sub-chain: names of its three functions
using Entry = std::array<std::string, 3>;

struct Form {
  std::string functions;
  std::string table;
  int size = 0;
};

Form emit_functions(const Program& p, const std::vector<Segment>& segments, bool wide) {
  Form form;
  std::map<std::string, std::string> known;
  std::vector<Entry> entries(segments.size(), Entry{"nullptr", "nullptr", "nullptr"});
  for (const Block& block : p.blocks) {
    const std::string body = write_block(p, block).statements;
    const auto [it, is_new] = known.try_emplace(body, "block_" + std::to_string(known.size()));
    if (is_new)
      form.functions += std::string(wide ? "[[gnu::target(\"avx2,fma\")]] " : "") + "void " +
                        it->second + kParameters + body + "}\n";
    entries[idx(block.segment)][static_cast<std::size_t>(block.pass)] = it->second;
  }
  std::set<std::string> rows;  // equal sub-chains are one
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const std::string row =
        "    {" + std::to_string(segment_hash(p.plan, s.first, s.last)) + "u, " +
        std::to_string(s.last - s.first + 1) + ", " + std::to_string(p.slots[idx(s.first)]) + ", " +
        entries_text(p.handles[i]) + ", " + entries_text(p.handles[i + 1]) + ",\n     " +
        entries[i][0] + ", " + entries[i][1] + ", " + entries[i][2] + "},\n";
    if (!rows.insert(row).second) continue;
    form.table += row;
    ++form.size;
  }
  return form;
}

std::string form_text(const Form& form, bool wide) {
  const std::string name = wide ? "wide" : "plain";
  return "namespace " + name + " {\nusing namespace kagami::models::hybrid::" + name + ";\n" +
         form.functions + (wide ? "[[gnu::target(\"avx2,fma\")]] " : "") + kSines +
         "constexpr GeneratedBlock kBlocks[] = {\n" + form.table + "};\n}\n";
}

}  // namespace

std::string emit_blocks(const Model& model, const std::string& name,
                        const std::vector<int>& lengths) {
  const Plan plan = make_plan(model, false);
  Program program = derive_chain(plan, lengths);
  if (short_path_pays(program)) program = derive_chain(plan, lengths, EliminationOrder::kShortPath);
  const std::vector<Segment> segments = split_chain(plan, lengths);
  const Form plain = emit_functions(program, segments, false);
  const std::string id = identifier(name);
  std::string text = "// Generated blocks of '" + id + "'; not to be edited.\n";
  text +=
      "#include \"models/hybrid/generated.hpp\"\n#include \"models/hybrid/generated_blocks.hpp\"\n";
  text += "#include \"models/hybrid/lanes.hpp\"\nnamespace kagami::models::hybrid {\nnamespace {\n";
  text += "namespace blocks {\n" + form_text(plain, false) +
          form_text(emit_functions(program, segments, true), true) + "}\n}\n";
  text += "extern \"C\" const GeneratedBlocks* kagami_blocks_" + id + "() noexcept {\n";
  text += "  static constexpr GeneratedBlocks table{" + std::to_string(kGeneratorVersion) +
          "u, \"" + id + "\", " + std::to_string(plain.size) +
          ",\n    {blocks::plain::all_sines, blocks::plain::kBlocks},\n"
          "    {blocks::wide::all_sines, blocks::wide::kBlocks}};\n";
  return text + "  return &table;\n}\n}\n";
}

std::string emit_blocks_registry(const std::vector<std::string>& names) {
  std::string text = "// Generated: the registry of the shipped blocks.\n";
  text += "#include \"models/hybrid/generated_blocks.hpp\"\nnamespace kagami::models::hybrid {\n";
  for (const std::string& n : names)
    text += "extern \"C\" const GeneratedBlocks* kagami_blocks_" + identifier(n) + "() noexcept;\n";
  text += "const GeneratedBlocks* generated_blocks_at(int index) noexcept {\n  switch (index) {\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += "    case " + std::to_string(i) + ": return kagami_blocks_" + identifier(names[i]) +
            "();\n";
  return text + "    default: return nullptr;\n  }\n}\n}\n";
}

}  // namespace kagami::models::hybrid
