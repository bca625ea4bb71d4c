#include "tools/export/cycle_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace kagami::tools {
namespace {

constexpr std::int64_t kPatience = 500'000'000;  // ns that a line waits for late readings
constexpr double kBytesPerCell = 10.6;           // as seen in records of walk_forward
constexpr double kBytesPerReading = 1.6;         // most cells of readings are empty
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

}  // namespace

CycleCsv::CycleCsv(std::ostream& out, const RobotWiring& wiring) : out_(out) {
  std::string header = "t,phase,motion_time";
  const auto add_group = [&](const std::string& group) {
    for (const JointWiring& joint : wiring.joints) header += column_name(group, joint.joint);
  };
  for (const char* group : kBefore) add_group(group);
  add_group("q_measured");
  add_group("residual");
  add_group("torque_simulated");
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
  waiting_.push_back(std::move(line));
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
  return static_cast<double>(rows) * (20.0 + 4.0 * n * kBytesPerCell + 2.0 * n * kBytesPerReading);
}

void CycleCsv::place_readings(const runtime::CycleRecord& row) {
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    const std::int64_t at_ns = reading.sampled_ns;
    if (!reading.is_new || at_ns < 0 || at_ns <= last_sampled_ns_[b]) continue;
    last_sampled_ns_[b] = at_ns;
    const auto nearest =
        std::min_element(waiting_.begin(), waiting_.end(), [at_ns](const Line& x, const Line& y) {
          return std::llabs(x.at_ns - at_ns) < std::llabs(y.at_ns - at_ns);
        });
    for (std::size_t j = 0; j < board_.size(); ++j) {
      if (board_[j] != static_cast<int>(b)) continue;
      nearest->measured[j] = row.in.sample.angle[j];
      if (row.out.residual_is_new[b]) nearest->residual[j] = row.out.residual[j];
    }
  }
}

void CycleCsv::write(const Line& line) {
  std::string text = line.before;
  for (const auto& value : line.measured) append_cell(text, value);
  for (const auto& value : line.residual) append_cell(text, value);
  out_ << text << line.after << "\n";
  ++lines_;
}

}  // namespace kagami::tools
