/// Colours, fonts and layout of the report: one palette for page and figures.
#pragma once

#include <string>

namespace kagami::tools {

/// Style sheet of the page, light and dark, for screens of every width and for print.
std::string page_style();
/// Style sheet inside an SVG file: the light palette.
std::string svg_file_style();

}  // namespace kagami::tools
