/// Many small plots of one kind side by side, with common scales: one per joint, line or cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/figure.hpp"

namespace kagami::tools {

struct SmallSeries {
  std::string label;  ///< the same label has the same colour in every panel
  std::vector<double> x;
  std::vector<double> y;  ///< as long as x; NaN: a gap
  bool has_dots = false;  ///< marks every point, e.g. of runs or of frequencies
  bool is_dashed = false;
  bool has_bars = false;  ///< bars that end at x and begin at the x before
};

struct SmallPanel {
  std::string title;
  std::vector<SmallSeries> series;
  std::string note;  ///< one short line below the title, e.g. "rise 120 ms"
};

struct SmallMultiples {
  std::string id;       ///< of the section and the file names: letters, digits, '-'
  std::string title;    ///< heading
  std::string meaning;  ///< a sentence or two below it
  std::string x_label;  ///< with the unit: "run", "frequency, Hz"
  std::string y_label;
  std::vector<SmallPanel> panels;
  bool is_log_x = false;
  bool has_common_x = true;
  bool has_common_y = true;
  bool begins_at_zero = false;  ///< the y axis
};

/// Empty panels give an empty figure. Times the labels, colours and scales are drawn once.
ReportFigure figure_of(const SmallMultiples& multiples);

}  // namespace kagami::tools
