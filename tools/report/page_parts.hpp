/// Small parts of the report's page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/record_facts.hpp"

namespace kagami::tools {

/// "1.45", a dash where it is not known.
std::string digits(const std::optional<double>& value, int decimals);
/// "<section id=...><h2>...": to be closed by the caller.
std::string section_begin(const std::string& id, const std::string& title);
/// A table whose cells are HTML; `left` names the columns (from 0) that are text.
std::string table_element(const std::vector<std::string>& head,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::string& left);
std::string measures_table(const std::vector<Measure>& rows);

}  // namespace kagami::tools
