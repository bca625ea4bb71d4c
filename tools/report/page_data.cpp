#include "tools/report/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tools/analysis/report.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/report_style.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

constexpr std::size_t kMostCsvBytes = 100'000;
constexpr std::int32_t kNone = -32768;
constexpr std::int32_t kMost = 32767;
constexpr double kBytesOfStretch = 4.0 * 4.0 / 3.0;  // two numbers in base64

json curve_json(const DrawnCurve& curve) {
  const Extremes range = curve.envelope.range();
  const double low = static_cast<double>(range.first);
  const double high = static_cast<double>(range.second);
  const double offset = 0.5 * (low + high);
  const double step = std::max(0.5 * (high - low) / kMost, 1e-6);
  std::string bytes;
  const auto add = [&](float value) {
    const std::int32_t number = std::isnan(value)
                                    ? kNone
                                    : std::clamp(static_cast<std::int32_t>(std::lround(
                                                     (static_cast<double>(value) - offset) / step)),
                                                 -kMost, kMost);
    bytes += static_cast<char>(number & 0xFF);
    bytes += static_cast<char>((number >> 8) & 0xFF);
  };
  for (const Extremes& e : curve.envelope.stretches()) {
    add(e.first);
    add(e.second);
  }
  return {{"key", curve.key},
          {"label", curve.label},
          {"offset", offset},
          {"step", step},
          {"least", low},
          {"greatest", high},
          {"bridge_s", curve.envelope.longest_bridge()},
          {"values", base64(bytes)}};
}

/// The width that lets all curves fit.
double stretch_width(const ReportData& data, std::size_t most_bytes) {
  std::size_t curves = 0;
  double widest = 0.0;
  for (std::size_t j = 0; j < data.run.comparison.joints.size(); ++j) {
    for (const DrawnCurve& curve : drawn_curves(data, j, 0.0)) {
      ++curves;
      widest = std::max(widest, curve.envelope.width());
    }
  }
  const double stretches =
      static_cast<double>(most_bytes) / (kBytesOfStretch * static_cast<double>(curves + 1));
  return std::max(widest, data.run.course.duration / std::max(stretches, 1.0));
}

json span_json(const std::vector<RunSpan>& spans) {
  json list = json::array();
  for (const RunSpan& s : spans) {
    list.push_back(
        {{"from", s.from}, {"to", s.to}, {"what", s.what}, {"level", static_cast<int>(s.level)}});
  }
  return list;
}

}  // namespace

json page_data(const ReportData& data, std::size_t most_bytes) {
  const RunCourse& course = data.run.course;
  const double width = stretch_width(data, most_bytes);
  json joints = json::array();
  for (const std::size_t j : by_error(data.run.comparison)) {
    const JointComparison& joint = data.run.comparison.joints[j];
    json curves = json::array();
    double stretch = width;
    for (const DrawnCurve& curve : drawn_curves(data, j, width)) {
      stretch = curve.envelope.width();
      curves.push_back(curve_json(curve));
    }
    joints.push_back({{"name", joint.name},
                      {"id", "joint-" + std::to_string(j)},
                      {"rms_deg", number_or_null(joint.rms_deg)},
                      {"max_deg", number_or_null(joint.max_deg)},
                      {"stretch_s", stretch},
                      {"curves", std::move(curves)}});
  }
  json events = json::array();
  for (const RunEvent& e : course.events) {
    events.push_back({{"time", e.time},
                      {"level", static_cast<int>(runtime::event_level(e.event.code))},
                      {"name", runtime::event_name(e.event.code)},
                      {"text", e.sentence}});
  }
  json gains = json::array();
  for (const GainMark& g : course.gains) {
    gains.push_back({{"time", g.time}, {"what", g.what}, {"applied", g.is_applied}});
  }
  json csv = json::object();  // of the figures whose curves are not above
  for (const ReportFigure& figure : other_figures(data)) {
    if (figure.csv.size() < kMostCsvBytes) csv[figure.id] = figure.csv;
  }
  return {{"schema", "kagami.report/1"},
          {"svg_style", svg_file_style()},
          {"csv", std::move(csv)},
          {"duration_s", course.duration},
          {"heat_limits_deg", heat_limits()},
          {"joints", std::move(joints)},
          {"events", std::move(events)},
          {"gains", std::move(gains)},
          {"states", span_json(course.states)},
          {"controllers", span_json(course.controllers)},
          {"faults", span_json(course.faults)}};
}

std::string script_safe(const json& object) {
  const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else if (c == '&') {
      safe += "\\u0026";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[k]))
                              : 0U;
    };
    const std::uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[word >> 18];
    text += kDigits[(word >> 12) & 63];
    text += i + 1 < bytes.size() ? kDigits[(word >> 6) & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[word & 63] : '=';
  }
  return text;
}

}  // namespace kagami::tools
