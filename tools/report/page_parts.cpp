#include "tools/report/page_parts.hpp"

#include "tools/analysis/html.hpp"

namespace kagami::tools {

std::string section_begin(const std::string& id, const std::string& title) {
  return "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id +
         "-title\">" + html_escaped(title) + "</h2>\n";
}

std::string table_element(const std::vector<std::string>& head,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::string& alignment) {
  const auto class_of_column = [&](std::size_t k) -> std::string {
    const char c = k < alignment.size() ? alignment[k] : 'r';
    return c == 'l' ? " class=\"l\"" : c == 'w' ? " class=\"wrap\"" : "";
  };
  std::string table = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (std::size_t k = 0; k < head.size(); ++k) {
    table += "<th scope=\"col\"" + class_of_column(k) + ">" + head[k] + "</th>";
  }
  table += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    table += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string cell = k == 0 ? "th scope=\"row\"" : "td";
      table += "<" + cell + class_of_column(k) + ">" + row[k] + (k == 0 ? "</th>" : "</td>");
    }
    table += "</tr>\n";
  }
  return table + "</tbody></table></div>\n";
}

std::string measures_table(const std::vector<Measure>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Measure& m : rows) {
    cells.push_back({html_escaped(m.name), html_escaped(m.value), html_escaped(m.against),
                     html_escaped(m.meaning)});
  }
  return table_element({"quantity", "value", "compare with", "definition"}, cells, "lllw");
}

}  // namespace kagami::tools
