/// A figure of the report: on the page, as an SVG file and as a CSV file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/report/svg.hpp"

namespace kagami::tools {

/// {class of the shape, text}
using Keys = std::vector<std::pair<std::string, std::string>>;

struct ReportFigure {
  std::string id;  ///< file name without its ending, and name on the page
  std::string title;
  Svg svg;
  std::string csv;  ///< first line: names of the columns with their units
  Keys keys;        ///< lines of the legend, where the figure has none of its own
};

/// A name as part of an id or a file name: letters, digits and '_'; what is not becomes '_'.
std::string safe_name(const std::string& name);
/// A text as a cell of a CSV file.
std::string csv_text(const std::string& text);
/// A number as a cell; "" where it is not finite.
std::string csv_number(double value);

}  // namespace kagami::tools
