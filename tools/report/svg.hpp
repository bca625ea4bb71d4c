/// Figures as SVG: shapes with classes, whose colours the page or the file's own style gives.
#pragma once

#include <string>
#include <vector>

#include "tools/report/envelope.hpp"

namespace kagami::tools {

/// From a quantity to pixels, linear or logarithmic. Set-up code, as all of this folder.
struct SvgScale {
  double from = 0.0;
  double to = 1.0;
  double from_px = 0.0;
  double to_px = 1.0;
  bool is_log = false;  ///< then from and to are above 0

  [[nodiscard]] double operator()(double value) const;
};

/// Round values (1, 2, 5 times a power of ten) from `from` to `to`, about `most` of them.
std::vector<double> round_ticks(double from, double to, int most);
/// 1, 10, 100, ... and, where there are few of those, also 2 and 5 times them.
std::vector<double> log_ticks(double from, double to);
/// A tick as text, with as many digits as its distance from the next one needs.
std::string tick_text(double value, double step);
/// "4.51", "0.0123", "1200": about three digits.
std::string short_number(double value);

/// The area of one plot inside a figure.
struct PlotArea {
  SvgScale x;
  SvgScale y;
};

/// One figure. Texts are escaped here.
class Svg {
 public:
  Svg(double width, double height, std::string title);

  /// A tip is shown while the pointer rests on the shape; "" = none.
  void rect(double x, double y, double width, double height, const std::string& classes,
            const std::string& tip = "");
  void line(double x0, double y0, double x1, double y1, const std::string& classes);
  void text(double x, double y, const std::string& text, const std::string& classes);
  void circle(double x, double y, double radius, const std::string& classes,
              const std::string& tip = "");
  /// Straight lines through the points; a value that is not finite is a gap.
  void curve(const PlotArea& area, const std::vector<double>& x, const std::vector<double>& y,
             const std::string& classes);
  /// Both extremes of every stretch; `most` stretches at most, wider ones where there are more.
  void curve(const PlotArea& area, const Envelope& envelope, std::size_t most,
             const std::string& classes);
  /// Grid, numbers and labels; `x_label` is empty where another plot below has the numbers.
  void axes(const PlotArea& area, const std::string& x_label, const std::string& y_label);

  /// As part of a page: colours and fonts come from its style.
  [[nodiscard]] std::string inline_text() const;
  /// As a file of its own.
  [[nodiscard]] std::string file_text() const;

 private:
  [[nodiscard]] std::string element(const std::string& attributes, const std::string& style) const;

  double width_;
  double height_;
  std::string title_;
  std::string body_;
};

}  // namespace kagami::tools
