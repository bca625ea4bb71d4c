#include "tools/export/cycle_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

namespace kagami::tools {
namespace {

constexpr double kBytesPerCell = 10.6;    // as seen in records of walk_forward
constexpr double kBytesPerReading = 1.6;  // most cells of readings are empty
constexpr std::array kBefore = {"q_reference", "q_commanded", "q_simulated"};

void append_cell(std::string& text, double value) {
  text += ',';
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(text), "{:.7g}", value);
}

void append_cells(std::string& text, const JointArray<double>& values, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) append_cell(text, values[j]);
}

/// Column names end at commas and quotes; joint names come from files.
std::string column_name(const std::string& group, std::string joint) {
  std::replace_if(
      joint.begin(), joint.end(),
      [](unsigned char c) { return c < 0x20 || c == ',' || c == '"' || c == ';' || c == '/'; },
      '_');
  return "," + group + "/" + joint;
}

}  // namespace

CycleCsv::CycleCsv(std::ostream& out, const RobotWiring& wiring)
    : out_(out),
      num_joints_(wiring.joints.size()),
      rows_(wiring, [this](const CycleLine& line) { write(line); }) {
  std::string header = "t,phase,motion_time";
  const auto add_group = [&](const std::string& group) {
    for (const JointWiring& joint : wiring.joints) header += column_name(group, joint.joint);
  };
  for (const char* group : kBefore) add_group(group);
  add_group("q_measured");
  add_group("residual");
  add_group("torque_simulated");
  out_ << header << "\n";
}

double CycleCsv::expected_bytes(std::uint64_t rows) const {
  const double n = static_cast<double>(num_joints_);
  return static_cast<double>(rows) * (20.0 + 4.0 * n * kBytesPerCell + 2.0 * n * kBytesPerReading);
}

void CycleCsv::write(const CycleLine& line) {
  std::string text = fmt::format("{:.9f},{}", line.t, static_cast<int>(line.phase));
  append_cell(text, line.motion_time);
  for (const auto* joints : {&line.reference, &line.commanded, &line.simulated, &line.measured,
                             &line.residual, &line.torque})
    append_cells(text, *joints, num_joints_);
  out_ << text << "\n";
  ++lines_;
}

}  // namespace kagami::tools
