#include "tools/export/cycle_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kPatience = 500'000'000;  // ns that a line waits for late readings
constexpr double kBytesPerCell = 10.6;           // as seen in records of walk_forward
constexpr double kBytesPerReading = 1.6;         // most cells of readings are empty
constexpr double kBytesOfStates = 60.0;          // with time and ages
constexpr std::array kBefore = {"q_reference", "q_commanded", "q_simulated"};

void append_cell(std::string& text, double value) {
  text += ',';
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(text), "{:.7g}", value);
}

void append_cell(std::string& text, const std::optional<double>& value) {
  append_cell(text, value.value_or(std::numeric_limits<double>::quiet_NaN()));
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
    : out_(out), wiring_(wiring), num_gains_(gains.size()) {
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
  for (const JointWiring& joint : wiring.joints) board_.push_back(joint.board());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

void CycleCsv::add(const runtime::CycleRecord& row) {
  if (!first_ns_) first_ns_ = row.in.now_ns;
  if (!waiting_.empty() && row.in.now_ns <= waiting_.back().at_ns) {
    ++left_out_;
    return;
  }
  const std::size_t n = board_.size();
  Line line;
  line.at_ns = row.in.now_ns;
  line.before = fmt::format("{:.9f},{}", 1e-9 * static_cast<double>(row.in.now_ns - *first_ns_),
                            static_cast<int>(row.out.phase));
  append_cell(line.before, row.out.motion_time);
  for (const auto* joints : {&row.out.q_ref, &row.out.targets.angle, &row.out.q_simulated})
    for (std::size_t j = 0; j < n; ++j) append_cell(line.before, (*joints)[j]);
  for (std::size_t j = 0; j < n; ++j) append_cell(line.after, row.out.torque_simulated[j]);
  line.measured.resize(n);
  line.residual.resize(n);
  line.received.resize(n);
  line.speed_code.resize(wiring_.boards.size());
  line.states = states_text(row, wiring_.boards.size());
  for (std::size_t k = 0; k < num_gains_; ++k) {
    if (new_gains_ && k < new_gains_->size()) {
      append_cell(line.gains, (*new_gains_)[k]);
    } else {
      line.gains += ',';
    }
  }
  new_gains_.reset();
  waiting_.push_back(std::move(line));
  place_commands(row);
  if (row.in.sample_is_new) place_readings(row);
  while (waiting_.size() > 1 && waiting_.back().at_ns - waiting_.front().at_ns > kPatience) {
    write(waiting_.front());
    waiting_.pop_front();
  }
}

void CycleCsv::finish() {
  for (const Line& line : waiting_) write(line);
  waiting_.clear();
}

double CycleCsv::expected_bytes(std::uint64_t rows) const {
  const double n = static_cast<double>(board_.size());
  return static_cast<double>(rows) * (kBytesOfStates + 4.0 * n * kBytesPerCell +
                                      3.0 * n * kBytesPerReading + static_cast<double>(num_gains_));
}

void CycleCsv::place_readings(const runtime::CycleRecord& row) {
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const std::int64_t at_ns = reading.sampled_ns;
    if (!reading.is_new || at_ns < 0 || at_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = at_ns;
    Line& nearest = nearest_line(at_ns);
    for (std::size_t j = 0; j < board_.size(); ++j) {
      if (board_[j] != static_cast<int>(b)) continue;
      nearest.measured[j] = row.in.sample.angle[j];
      if (row.out.residual_is_new[b]) nearest.residual[j] = row.out.residual[j];
    }
  }
}

CycleCsv::Line& CycleCsv::nearest_line(std::int64_t at_ns) {
  return *std::min_element(waiting_.begin(), waiting_.end(), [at_ns](const Line& x, const Line& y) {
    return std::llabs(x.at_ns - at_ns) < std::llabs(y.at_ns - at_ns);
  });
}

// counts of the boards as angles, by home and sign
void CycleCsv::place_commands(const runtime::CycleRecord& row) {
  constexpr std::uint8_t kLastCount = 180;
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    const drivers::BoardCommand& command = row.in.sample.command[b];
    const bool is_known = command.sequence == command_[b].sequence &&
                          command.effective_ns == command_[b].effective_ns;
    if (is_known) continue;
    command_[b] = command;
    if (command.mode != drivers::TargetMode::kPositions) continue;
    Line& nearest = nearest_line(command.effective_ns);
    nearest.speed_code[b] = command.speed;
    for (std::size_t j = 0; j < board_.size(); ++j) {
      const JointWiring& joint = wiring_.joints[j];
      const std::uint8_t count = command.counts[static_cast<std::size_t>(joint.slot())];
      if (board_[j] != static_cast<int>(b) || count > kLastCount) continue;
      nearest.received[j] = to_rad(joint.sign * (count - joint.home_deg));
    }
  }
}

void CycleCsv::write(const Line& line) {
  std::string text = line.before;
  for (const auto& value : line.measured) append_cell(text, value);
  for (const auto& value : line.residual) append_cell(text, value);
  text += line.after + line.states;
  for (const auto& code : line.speed_code) append_cell(text, code);
  for (const auto& value : line.received) append_cell(text, value);
  out_ << text << line.gains << "\n";
  ++lines_;
}

}  // namespace kagami::tools
