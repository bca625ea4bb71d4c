// The tables of docs/check.md: every shipped motion has its verdict and findings there, and every
// kind of finding its row.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "models/base/text_file.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/source_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;

/// Cells of the rows of the page's tables.
std::vector<std::vector<std::string>> rows_of_the_page() {
  std::vector<std::vector<std::string>> rows;
  std::istringstream page(read_text_file(test::kSource / "docs/check.md"));
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(2));
    for (std::string cell; std::getline(row, cell, '|');) {
      cell.erase(0, cell.find_first_not_of(" `"));
      cell.erase(cell.find_last_not_of(" `") + 1);
      cells.push_back(cell);
    }
    rows.push_back(cells);
  }
  return rows;
}

/// "start, margin, heat (2)" of an answer.
std::string kinds_of(const nlohmann::json& answer) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const nlohmann::json& finding : answer.at("findings")) {
    const std::string kind = finding.at("kind");
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& entry) { return entry.first == kind; });
    if (found == kinds.end()) {
      kinds.emplace_back(kind, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += (text.empty() ? "" : ", ") + kind;
    if (count > 1) text += " (" + std::to_string(count) + ")";
  }
  return text.empty() ? "-" : text;
}

TEST(CheckTable, ShippedMotionsHaveTheVerdictsOfThePage) {
  std::set<std::string> shipped;
  for (const auto& entry : std::filesystem::directory_iterator(test::kSource / "motions/data")) {
    if (!entry.is_regular_file()) continue;  // the maps of other robots
    shipped.insert(entry.path().stem().string());
  }
  std::set<std::string> checked;
  std::set<std::string> kinds;
  for (const std::vector<std::string>& row : rows_of_the_page()) {
    if (row.size() < 4 || shipped.count(row[0]) == 0) continue;
    SCOPED_TRACE(row[0]);
    CliCase c;
    c.run({"check", row[0], "--on", row[1], "--json"});
    EXPECT_EQ(c.json().at("verdict"), row[2]);
    EXPECT_EQ(kinds_of(c.json()), row[3]);
    EXPECT_EQ(c.code, row[2] == "red" ? 6 : 0);
    for (const nlohmann::json& finding : c.json().at("findings")) {
      EXPECT_NE(finding.at("kind"), "collision") << finding;
      kinds.insert(finding.at("kind"));
    }
    checked.insert(row[0]);
  }
  EXPECT_EQ(checked, shipped);
  std::set<std::string> explained;
  for (const std::vector<std::string>& row : rows_of_the_page()) explained.insert(row[0]);
  for (const std::string& kind : kinds) EXPECT_EQ(explained.count(kind), 1u) << kind;
}

}  // namespace
}  // namespace kagami::tools
