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
constexpr double kBytesOfStates = 60.0;   // with time and ages
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

std::string states_text(const runtime::CycleRecord& row, std::size_t boards) {
  const runtime::CycleOutput& out = row.out;
  std::string text = fmt::format(
      ",{},{},{},{},{},{},{},{},", static_cast<int>(out.state), static_cast<int>(row.in.stop),
      out.controller, static_cast<int>(out.control_status), static_cast<int>(out.test),
      static_cast<int>(out.paused), static_cast<int>(out.reverse), static_cast<int>(out.fell));
  for (int e = 0; e < out.num_events; ++e) {
    text +=
        (e > 0 ? " " : "") + std::string(event_name(out.events[static_cast<std::size_t>(e)].code));
  }
  for (std::size_t b = 0; b < boards; ++b) {
    const std::int64_t at_ns = row.in.sample.reading[b].sampled_ns;
    text += ',';
    if (at_ns >= 0) {
      fmt::format_to(std::back_inserter(text), "{:.6f}",
                     1e-9 * static_cast<double>(row.in.now_ns - at_ns));
    }
  }
  return text;
}

}  // namespace

std::string gain_column(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return c < 0x20 || c == ',' || c == '"' || c == ';'; }, '_');
  return "gain/" + name;
}

CycleCsv::CycleCsv(std::ostream& out, const RobotWiring& wiring,
                   const std::vector<std::string>& gains)
    : out_(out),
      num_joints_(wiring.joints.size()),
      num_boards_(wiring.boards.size()),
      num_gains_(gains.size()),
      rows_(wiring, [this](const CycleLine& line) { write(line); }) {
  std::string header = "t,phase,motion_time";
  const auto add_group = [&](const std::string& group) {
    for (const JointWiring& joint : wiring.joints) header += column_name(group, joint.joint);
  };
  for (const char* group : kBefore) add_group(group);
  add_group("q_measured");
  add_group("residual");
  add_group("torque_simulated");
  header += ",run_state,stop,controller,control_status,test,paused,reverse,fell,events";
  for (const char* group : {"reading_age", "speed_code"}) {
    for (std::size_t b = 1; b <= wiring.boards.size(); ++b) {
      header += column_name(group, std::to_string(b));
    }
  }
  add_group("q_received");
  for (const std::string& gain : gains) header += "," + gain_column(gain);
  out_ << header << "\n";
}

void CycleCsv::add(const runtime::CycleRecord& row) {
  std::string gains;
  for (std::size_t k = 0; k < num_gains_; ++k) {
    if (new_gains_ && k < new_gains_->size()) {
      append_cell(gains, (*new_gains_)[k]);
    } else {
      gains += ',';
    }
  }
  texts_.emplace_back(states_text(row, num_boards_), std::move(gains));
  if (rows_.add(row)) {
    new_gains_.reset();
  } else {
    texts_.pop_back();
  }
}

double CycleCsv::expected_bytes(std::uint64_t rows) const {
  const double n = static_cast<double>(num_joints_);
  return static_cast<double>(rows) * (kBytesOfStates + 4.0 * n * kBytesPerCell +
                                      3.0 * n * kBytesPerReading + static_cast<double>(num_gains_));
}

void CycleCsv::write(const CycleLine& line) {
  std::string text = fmt::format("{:.9f},{}", line.t, static_cast<int>(line.phase));
  append_cell(text, line.motion_time);
  for (const auto* joints : {&line.reference, &line.commanded, &line.simulated, &line.measured,
                             &line.residual, &line.torque})
    append_cells(text, *joints, num_joints_);
  text += texts_.front().first;
  for (std::size_t b = 0; b < num_boards_; ++b) append_cell(text, line.speed_code[b]);
  append_cells(text, line.received, num_joints_);
  out_ << text << texts_.front().second << "\n";
  texts_.pop_front();
  ++lines_;
}

}  // namespace kagami::tools
