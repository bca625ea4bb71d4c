/// Small parts of the report's page.
#pragma once

#include <string>
#include <vector>

#include "tools/report/record_facts.hpp"

namespace kagami::tools {

/// "<section id=...><h2>...": the caller closes it.
std::string section_begin(const std::string& id, const std::string& title);
/// A table whose cells are HTML. `alignment` has a letter per column: 'l' left, 'w' left and
/// wrapped, 'r' right; further columns are right.
std::string table_element(const std::vector<std::string>& head,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::string& alignment);
std::string measures_table(const std::vector<Measure>& rows);

}  // namespace kagami::tools
