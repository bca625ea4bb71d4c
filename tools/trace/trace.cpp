#include "tools/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace kagami::tools {
namespace {

// RFC 4180
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

using Parts = std::vector<std::vector<std::string>>;

// by joint type: what follows the joint's name, empty for the name alone
std::vector<std::string> names_of(const models::Model& model, const Parts& parts) {
  std::vector<std::string> names;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    for (const std::string& part : parts[static_cast<std::size_t>(b.joint.type)])
      names.push_back(b.joint_name + (part.empty() ? "" : "." + part));
  }
  return names;
}

}  // namespace

std::size_t Trace::index(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw std::logic_error("no column '" + name + "'");
  return static_cast<std::size_t>(found - columns.begin());
}

std::vector<double> Trace::column(const std::string& name) const {
  const std::size_t at = index(name);
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::vector<double>& row : rows) values.push_back(row[at]);
  return values;
}

const std::vector<double>* Trace::row_at(double t) const {
  for (const std::vector<double>& row : rows)
    if (std::abs(row.front() - t) <= 1e-9) return &row;
  return nullptr;
}

std::string full_digits(double value) {
  return fmt::format("{:.17g}", value);
}

std::string trace_csv(const Trace& trace) {
  std::string text;
  for (const std::string& name : trace.columns) text += (text.empty() ? "" : ",") + csv_cell(name);
  text += "\n";
  for (const std::vector<double>& row : trace.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{}{:.17g}", i > 0 ? "," : "", row[i]);
    text += "\n";
  }
  return text;
}

std::vector<std::string> coordinate_names(const models::Model& model) {
  static const Parts kParts = {{},
                               {""},
                               {""},
                               {"1", "2"},
                               {"qw", "qx", "qy", "qz"},
                               {"px", "py", "pz", "qw", "qx", "qy", "qz"}};
  return names_of(model, kParts);
}

std::vector<std::string> velocity_names(const models::Model& model) {
  static const Parts kParts = {
      {}, {""}, {""}, {"1", "2"}, {"wx", "wy", "wz"}, {"wx", "wy", "wz", "vx", "vy", "vz"}};
  return names_of(model, kParts);
}

}  // namespace kagami::tools
