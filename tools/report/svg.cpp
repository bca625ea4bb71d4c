#include "tools/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/analysis/html.hpp"
#include "tools/report/report_style.hpp"

namespace kagami::tools {
namespace {

constexpr double kFine = 4.0;  // path units in a pixel

/// "M12 30l4 -2..." in quarters of a pixel.
class PathText {
 public:
  void go(double x, double y) {
    const auto column = static_cast<long>(std::lround(kFine * std::clamp(x, -1e5, 1e5)));
    const auto row = static_cast<long>(std::lround(kFine * std::clamp(y, -1e5, 1e5)));
    if (is_up_) {
      text_ += fmt::format("M{} {}l0 0", column, row);
    } else if (column != column_ || row != row_) {
      text_ += fmt::format("l{} {}", column - column_, row - row_);
    }
    column_ = column;
    row_ = row;
    is_up_ = false;
  }
  void lift() { is_up_ = true; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  long column_ = 0;
  long row_ = 0;
  bool is_up_ = true;
};

std::string path_element(const PathText& path, const std::string& classes) {
  if (path.text().empty()) return "";
  return "<path class=\"fine " + classes + "\" transform=\"scale(.25)\" d=\"" + path.text() +
         "\"/>\n";
}

std::string tip_element(const std::string& tip) {
  return tip.empty() ? "" : "<title>" + html_escaped(tip) + "</title>";
}

}  // namespace

double SvgScale::operator()(double value) const {
  const double share =
      is_log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  return from_px + share * (to_px - from_px);
}

std::vector<double> round_ticks(double from, double to, int most) {
  const double span = to - from;
  if (!(span > 0.0) || !std::isfinite(span)) return {from};
  const double rough = span / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> ticks;
  for (double k = std::ceil(from / step - 1e-9); k * step <= to + 1e-9 * span; ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

std::vector<double> log_ticks(double from, double to) {
  std::vector<double> ticks;
  const bool is_short = to / from < 1000.0;
  for (double power = std::pow(10.0, std::floor(std::log10(from))); power <= to; power *= 10.0) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * power;
      if ((factor == 1.0 || is_short) && tick >= from && tick <= to) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  return fmt::format("{:.{}f}", value == 0.0 ? 0.0 : value, digits);
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  const int digits = size >= 100.0 ? 0 : size >= 10.0 ? 1 : size >= 1.0 || size == 0.0 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

Svg::Svg(double width, double height, std::string title)
    : width_(width), height_(height), title_(std::move(title)) {}

void Svg::rect(double x, double y, double width, double height, const std::string& classes,
               const std::string& tip) {
  body_ += fmt::format(
               "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">",
               classes, x, y, std::max(0.0, width), height) +
           tip_element(tip) + "</rect>\n";
}

void Svg::line(double x0, double y0, double x1, double y1, const std::string& classes) {
  body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", classes, x0, y0,
                       x1, y1);
}

void Svg::text(double x, double y, const std::string& text, const std::string& classes) {
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">", classes, x, y) +
           html_escaped(text) + "</text>\n";
}

void Svg::circle(double x, double y, double radius, const std::string& classes,
                 const std::string& tip) {
  body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">", classes, x,
                       y, radius) +
           tip_element(tip) + "</circle>\n";
}

void Svg::curve(const PlotArea& area, const std::vector<double>& x, const std::vector<double>& y,
                const std::string& classes) {
  PathText path;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const double column = area.x(x[i]);
    const double row = area.y(y[i]);
    if (std::isfinite(column) && std::isfinite(row)) {
      path.go(column, row);
    } else {
      path.lift();
    }
  }
  body_ += path_element(path, classes);
}

void Svg::curve(const PlotArea& area, const Envelope& envelope, std::size_t most,
                const std::string& classes) {
  if (envelope.is_empty()) return;
  const double least_width = envelope.width() * static_cast<double>(envelope.stretches().size()) /
                             static_cast<double>(most);
  const Envelope thin = envelope.widened(least_width);
  const double bridge = thin.longest_bridge();
  PathText path;
  double last = -INFINITY;
  for (std::size_t k = 0; k < thin.stretches().size(); ++k) {
    const Extremes e = thin.stretches()[k];
    if (std::isnan(e.first)) continue;
    const double middle = thin.width() * (static_cast<double>(k) + 0.5);
    if (middle - last > bridge) path.lift();
    path.go(area.x(middle - 0.25 * thin.width()), area.y(static_cast<double>(e.first)));
    if (e.second != e.first) {
      path.go(area.x(middle + 0.25 * thin.width()), area.y(static_cast<double>(e.second)));
    }
    last = middle;
  }
  body_ += path_element(path, classes);
}

void Svg::axes(const PlotArea& area, const std::string& x_label, const std::string& y_label) {
  const double left = area.x.from_px;
  const double right = area.x.to_px;
  const double bottom = area.y.from_px;
  const double top = area.y.to_px;
  const auto ticks_of = [](const SvgScale& scale, double pixels_each) {
    if (scale.is_log) return log_ticks(scale.from, scale.to);
    const double pixels = std::abs(scale.to_px - scale.from_px);
    return round_ticks(scale.from, scale.to, std::max(2, static_cast<int>(pixels / pixels_each)));
  };
  const auto label_of = [](const SvgScale& scale, const std::vector<double>& ticks, double tick) {
    if (scale.is_log || ticks.size() < 2) return fmt::format("{:g}", tick);
    return tick_text(tick, ticks[1] - ticks[0]);
  };
  const std::vector<double> rows = ticks_of(area.y, 28.0);
  for (const double tick : rows) {
    const double y = area.y(tick);
    line(left, y, right, y, tick == 0.0 ? "zero" : "grid");
    text(left - 5.0, y + 4.0, label_of(area.y, rows, tick), "tick end");
  }
  const std::vector<double> columns = ticks_of(area.x, 90.0);
  for (const double tick : columns) {
    const double x = area.x(tick);
    line(x, top, x, bottom, "grid");
    if (!x_label.empty()) text(x, bottom + 15.0, label_of(area.x, columns, tick), "tick middle");
  }
  line(left, bottom, right, bottom, "frame");
  if (!x_label.empty()) text(right, bottom + 29.0, x_label, "label end");
  text(left, top - 5.0, y_label, "label");
}

std::string Svg::element(const std::string& attributes, const std::string& style) const {
  return fmt::format("<svg {}viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n",
                     attributes, width_, height_, html_escaped(title_)) +
         style + body_ + "</svg>\n";
}

std::string Svg::inline_text() const {
  return element("", "");
}

std::string Svg::file_text() const {
  const std::string size = fmt::format(
      "xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" ", width_, height_);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         element(size, "<style>" + std::string(svg_file_style()) +
                           "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
}

}  // namespace kagami::tools
