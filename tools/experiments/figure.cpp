// Layout in pixels, y downwards; gnuplot takes fractions of the whole, y upwards. Two columns of
// panels, each with its legend to its right. Colours: Okabe and Ito's, distinguishable with every
// kind of colour vision; yellow, too pale on white, is left out.
#include "tools/experiments/figure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "models/base/errors.hpp"
#include "tools/cli/run_program.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kWidth = 1204;  // labels of the right column beyond its axis
constexpr double kHead = 74;
constexpr double kRow = 228;
constexpr double kFoot = 34;
constexpr double kColumn = 590;
constexpr double kLeft = 78;               // of a panel's axis in its column
constexpr double kAxis = 404;              // its length
constexpr double kTop = 30;                // of a panel's axis in its row
constexpr double kHeight = 164;            // its length
constexpr std::size_t kMostPoints = 3000;  // of a curve: more than the panel has pixels
constexpr double kTimeout = 60.0;          // s

constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#333333"};

// in gnuplot's single quotes
std::string in_quotes(const std::string& text) {
  std::string inside;
  for (const char c : text) inside += c == '\'' ? std::string("''") : std::string(1, c);
  return "'" + inside + "'";
}

// gnuplot reads _ and ^ as indices; names are to be printed as they are
std::string plain(const std::string& text) {
  std::string inside;
  for (const char c : text) inside += c == '_' ? std::string("\\_") : std::string(1, c);
  return in_quotes(inside);
}

std::string head(const Figure& figure, const std::string& below, double height) {
  return fmt::format(
      "# draw again: gnuplot {file}.gp\n"
      "set terminal svg size {w:.0f},{h:.0f} font 'sans-serif,12' background '#ffffff' "
      "linewidth 1\n"
      "set output {out}\n"
      "set datafile separator ','\n"
      "set datafile columnheaders\n"
      "set encoding utf8\n"
      "set multiplot\n"
      "set label 1 {title} at screen {x:.5f},{y1:.5f} left font 'sans-serif,17' "
      "textcolor '#222222'\n"
      "set label 2 {below} at screen {x:.5f},{y2:.5f} left font 'sans-serif,12' "
      "textcolor '#666666'\n"
      "set border 3 linecolor '#999999' linewidth 1\n"
      "set tics nomirror out scale 0.5 textcolor '#444444'\n"
      "set grid xtics ytics linetype 1 linecolor '#e6e6e6' linewidth 0.7\n"
      "set format x '%g'\n",
      fmt::arg("file", figure.file), fmt::arg("w", kWidth), fmt::arg("h", height),
      fmt::arg("out", in_quotes(figure.file + ".svg")), fmt::arg("title", plain(figure.title)),
      fmt::arg("below", plain(below)), fmt::arg("x", kLeft / kWidth),
      fmt::arg("y1", 1.0 - 28.0 / height), fmt::arg("y2", 1.0 - 50.0 / height));
}

std::size_t rows_shown(const Figure& figure, const Trace& trace) {
  if (figure.from == figure.to) return trace.rows.size();
  return static_cast<std::size_t>(
      std::count_if(trace.rows.begin(), trace.rows.end(), [&](const std::vector<double>& row) {
        return row.front() >= figure.from && row.front() <= figure.to;
      }));
}

std::string ranges(const Figure& figure, const Panel& panel) {
  const auto end = [](double x) { return x > 0.0 ? fmt::format("{:g}", x) : std::string("*"); };
  std::string text = panel.bottom > 0.0 ? "set logscale y\n" : "unset logscale y\n";
  if (figure.from != figure.to)
    text += fmt::format("set xrange [{:g}:{:g}]\n", figure.from, figure.to);
  return text + "set yrange [" + end(panel.bottom) + ":" + end(panel.top) + "]\n";
}

// a column's numbers as they are drawn
std::string drawn(const Panel& panel, const Curve& curve, const Trace& trace) {
  const std::string value = fmt::format("${}*{:.17g}", trace.index(curve.column) + 1, curve.scale);
  if (panel.bottom <= 0.0) return "(" + value + ")";
  return fmt::format("({0}<{1:g} ? {1:g} : {0})", value, panel.bottom);
}

std::string panel_text(const Figure& figure, std::size_t index, const Trace& trace,
                       const std::string& csv, double height) {
  const Panel& panel = figure.panels[index];
  const bool lowest = index + 2 >= figure.panels.size();
  const double left = kColumn * static_cast<double>(index % 2) + kLeft;
  const std::size_t row = index / 2;
  const double top = kHead + kRow * static_cast<double>(row) + kTop;
  const std::size_t every = rows_shown(figure, trace) / kMostPoints + 1;
  std::string text = fmt::format(
      "\nset lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set label 3 {} at graph 0,1 left offset 0,0.9 font 'sans-serif,13' textcolor '#222222'\n",
      left / kWidth, (left + kAxis) / kWidth, 1.0 - top / height, 1.0 - (top + kHeight) / height,
      plain(panel.title));
  text += fmt::format(
      "set key at screen {:.5f},{:.5f} left top vertical Left reverse samplen 1.4 spacing 1.15 "
      "textcolor '#333333'\n",
      (left + kAxis + 6.0) / kWidth, 1.0 - (top - 4.0) / height);
  text += lowest ? "set xlabel " + in_quotes(figure.across) + " textcolor '#444444' offset 0,0.4\n"
                 : "unset xlabel\n";
  text += panel.si_prefix
              ? "unset ylabel\nset format y '%.0s %c" + panel.axis + "'\n"
              : "set ylabel " + in_quotes(panel.axis) + " textcolor '#444444'\nset format y '%g'\n";
  text += ranges(figure, panel);
  text += "plot";
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    text += fmt::format(
        "{} {} every {} using 1:{} with {} linewidth 1.6 linecolor '{}'{} title {}",
        i > 0 ? ", \\\n    " : "", in_quotes(csv), every, drawn(panel, curve, trace),
        figure.points ? "linespoints pointtype 7 pointsize 0.6" : "lines",
        kColours[i % std::size(kColours)], curve.dashed ? " dashtype 2" : "", plain(curve.label));
  }
  return text + "\nunset label 1\nunset label 2\n";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const Trace& trace, const std::string& csv,
                           const std::string& below) {
  const std::size_t rows = (figure.panels.size() + 1) / 2;
  const double height = kHead + kRow * static_cast<double>(rows) + kFoot;
  std::string text = head(figure, below, height);
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    text += panel_text(figure, i, trace, csv, height);
  return text + "\nunset multiplot\n";
}

fs::path find_gnuplot(const Console& io) {
  std::istringstream folders(io.environment("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "gnuplot";
    std::error_code ignored;
    if (!folder.empty() && fs::is_regular_file(program, ignored) &&
        access(program.c_str(), X_OK) == 0)
      return program;
  }
  return {};
}

void draw(const fs::path& gnuplot, const fs::path& script) {
  const fs::path file = fs::absolute(script);
  const ProgramOutput output =
      run_program(gnuplot, {"-e", "cd " + in_quotes(file.parent_path().string()), file.string()},
                  /*cpu=*/-1, kTimeout);
  if (!output.error.empty())
    throw Error("gnuplot could not draw '" + script.string() + "': " + output.error);
}

}  // namespace kagami::tools
