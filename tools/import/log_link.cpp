#include "tools/import/log_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kTurnNs = 4'000'000;     // between two commands that keep a mean
constexpr std::int64_t kClosestNs = 2'000'000;  // the model keeps 64 commands
constexpr double kWhole = 1e-3;                 // deg; nearer than that an angle is a whole one
constexpr long kLastCount = 180;

}  // namespace

LogLink::LogLink(const RobotWiring& wiring, const ServoLogFacts& facts)
    : wiring_(wiring),
      facts_(facts),
      keeps_mean_(wiring.speed.duration(0, 1.0) < 1e-9 * static_cast<double>(kTurnNs)) {}

void LogLink::start(std::int64_t at_ns) {
  for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
    const std::optional<double> commanded = facts_.first_commanded[j];
    const std::optional<double> measured = facts_.first_measured[j];
    commanded_[j] = reference_[j] = commanded.value_or(0.0);
    sample_.angle[j] = measured.value_or(commanded_[j]);
  }
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    sample_.reading[b].sampled_ns = sample_.reading[b].received_ns = at_ns;
    sample_.reading[b].written_ns = at_ns;
  }
}

void LogLink::take(const ServoLogRow& row, std::int64_t at_ns) {
  for (std::size_t b = 0; b < row.speed_code.size() && b < speed_.size(); ++b) {
    if (row.speed_code[b]) speed_[b] = static_cast<std::uint8_t>(*row.speed_code[b]);
  }
  for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
    if (row.reference[j]) reference_[j] = *row.reference[j];
    if (!row.commanded[j]) continue;
    if (!facts_.columns.joints[j].reference) reference_[j] = *row.commanded[j];
    const std::size_t b = idx(wiring_.joints[j].board());
    // a table of ours has an angle where a frame arrived, and no other
    const bool is_new = sample_.command[b].sequence == 0 || *row.commanded[j] != commanded_[j] ||
                        !facts_.columns.speed_code.empty();
    commanded_[j] = *row.commanded[j];
    if (!is_new) continue;
    is_commanded_[b] = true;
    commanded_ns_[b] = at_ns;
  }
  take_readings(row, at_ns);
}

bool LogLink::reads(const ServoLogRow& row, std::size_t board) const {
  for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
    if (row.measured[j] && idx(wiring_.joints[j].board()) == board) return true;
  }
  return false;
}

void LogLink::begin_tick() {
  for (drivers::BoardReading& reading : sample_.reading) reading.is_new = false;
}

void LogLink::take_readings(const ServoLogRow& row, std::int64_t at_ns) {
  const bool any = std::any_of(row.measured.begin(), row.measured.end(),
                               [](const std::optional<double>& angle) { return !!angle; });
  if (!any) return;
  if (was_read_) ++crowded_;
  was_read_ = true;
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    drivers::BoardReading& reading = sample_.reading[b];
    if (!reads(row, b)) continue;
    for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
      const JointWiring& joint = wiring_.joints[j];
      if (idx(joint.board()) != b) continue;
      const std::optional<double> angle = row.measured[j];
      // a joint without a number in this row has no reading in it
      sample_.angle[j] = angle.value_or(std::numeric_limits<double>::quiet_NaN());
      if (!angle) continue;
      // the end of the range stands for all that lies beyond it; here the angle itself is known
      const double count = joint.home_deg + joint.sign * to_deg(*angle);
      const bool is_end = std::abs(count) < kWhole || std::abs(count - kLastCount) < kWhole;
      const long inside = std::clamp(std::lround(count), 1L, kLastCount - 1);
      reading.counts[idx(joint.slot())] =
          static_cast<std::uint8_t>(is_end ? std::lround(count) : inside);
    }
    reading.is_new = true;
    reading.written_ns = reading.sampled_ns = reading.received_ns = at_ns;
  }
}

void LogLink::end_tick(std::int64_t now_ns, std::int64_t tick) {
  ++sample_.round;
  has_reading_ = was_read_;
  if (was_read_) ++readings_;
  was_read_ = false;
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    const std::int64_t last_ns = sample_.command[b].effective_ns;
    if (is_commanded_[b] && (sample_.command[b].sequence == 0 || now_ns - last_ns >= kClosestNs)) {
      send(b, std::max(commanded_ns_[b], last_ns), tick);
      is_commanded_[b] = false;
      continue;
    }
    if (sample_.command[b].sequence == 0 || now_ns - last_ns < kTurnNs) continue;
    if (keeps_mean_ && is_between(b)) send(b, now_ns, tick);
  }
}

// one of its angles is no whole degree
bool LogLink::is_between(std::size_t board) const {
  for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
    const double angle = to_deg(commanded_[j]);
    const bool is_whole = std::abs(angle - std::round(angle)) < kWhole;
    if (!is_whole && idx(wiring_.joints[j].board()) == board) return true;
  }
  return false;
}

void LogLink::send(std::size_t board, std::int64_t at_ns, std::int64_t tick) {
  drivers::BoardCommand& command = sample_.command[board];
  command.mode = drivers::TargetMode::kPositions;
  command.speed = speed_[board];
  command.sequence = ++sequence_;
  command.cycle = tick;
  command.effective_ns = at_ns;
  command.complete = true;
  for (std::size_t j = 0; j < wiring_.joints.size(); ++j) {
    const JointWiring& joint = wiring_.joints[j];
    if (idx(joint.board()) != board) continue;
    const double wanted = to_deg(commanded_[j]);
    const bool is_whole = std::abs(wanted - std::round(wanted)) < kWhole;
    const bool is_rounded = is_whole || !keeps_mean_;
    const double whole = std::round(is_rounded ? wanted : wanted + carried_[j]);
    const long count = joint.home_deg + joint.sign * std::lround(whole);
    const long sent = std::clamp(count, 0L, kLastCount);
    const double got = static_cast<double>(joint.sign * (sent - joint.home_deg));
    carried_[j] = is_rounded ? 0.0 : std::clamp(wanted + carried_[j] - got, -1.0, 1.0);
    command.counts[idx(joint.slot())] = static_cast<std::uint8_t>(sent);
  }
}

}  // namespace kagami::tools
