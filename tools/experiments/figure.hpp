/// Figures by gnuplot: a script that draws from the CSV file, and the SVG that it makes.
#pragma once

#include <filesystem>
#include <string>

#include "tools/cli/console.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// A gnuplot script that draws `figure` from `csv` into an SVG file beside it, both named without
/// folder. `below`: one line under the title. Throws std::logic_error for a curve without a column.
std::string gnuplot_script(const Figure& figure, const Trace& trace, const std::string& csv,
                           const std::string& below);

/// The program gnuplot on PATH; empty when there is none.
std::filesystem::path find_gnuplot(const Console& io);

/// Runs the script in its folder. Throws Error with gnuplot's last output.
void draw(const std::filesystem::path& gnuplot, const std::filesystem::path& script);

}  // namespace kagami::tools
