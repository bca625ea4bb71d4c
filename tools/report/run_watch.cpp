#include "tools/report/run_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/channels/supervisor_state.hpp"
#include "tools/analysis/value_changes.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;

constexpr std::size_t kMostEvents = 2000;
constexpr std::size_t kMostSpans = 2000;
constexpr std::size_t kMostNamedValues = 12;  // of a set
constexpr std::size_t kMostGainSets = 64;

/// Lengthens the last span, or begins another one.
void extend(std::vector<RunSpan>& spans, double time, const std::string& what) {
  if (!spans.empty()) spans.back().to = time;
  if (!spans.empty() && spans.back().what == what) return;
  if (spans.size() < kMostSpans) spans.push_back({time, time, what, runtime::EventLevel::kInfo});
}

/// "pid khr1_walk" of every gain set that the run began with.
std::vector<std::string> gain_set_names(const RunRecord& record) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kMostGainSets; ++k) {
    const auto attachment = record.reader().attachment(runtime::gains_attachment(k));
    if (!attachment) break;
    const nlohmann::json set = nlohmann::json::parse(attachment->text(), nullptr, false);
    const auto text = [&](const char* key) {
      return set.is_object() && set.contains(key) && set[key].is_string()
                 ? set[key].get<std::string>()
                 : std::string();
    };
    names.push_back(text("controller") + " " + text("name"));
  }
  return names;
}

DurationHistogram duration_histogram(const runtime::Histogram& histogram, std::string name,
                                     std::string meaning) {
  DurationHistogram result{std::move(name), std::move(meaning), {}, 0.0, 0.0, 0.0};
  const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
  for (const runtime::Histogram::Bar& bar : histogram.bars()) {
    result.bars.push_back({us(bar.upper_ns), static_cast<double>(bar.count)});
  }
  result.p50 = us(histogram.quantile_ns(0.50));
  result.p99 = us(histogram.quantile_ns(0.99));
  result.max = us(histogram.max_ns());
  return result;
}

}  // namespace

RunWatch::RunWatch(const RunRecord& record) : names_(record.joint_names()), tunables_(record) {
  reading_a_record([&] { gain_names_ = gain_set_names(record); });
  for (const JointWiring& joint : record.wiring().joints) {
    steps_.emplace_back(static_cast<int>(board_.size()));
    board_.push_back(joint.board());
  }
  course_.curves.resize(names_.size());
  last_sampled_ns_.fill(std::numeric_limits<std::int64_t>::min());
}

double RunWatch::seconds_of(std::int64_t at_ns) const {
  return kSecondsPerNs * (static_cast<double>(at_ns) - static_cast<double>(*first_ns_));
}

void RunWatch::add(const CycleRecord& row) {
  if (first_ns_ && row.in.now_ns <= last_ns_) return;
  if (first_ns_) tick_.add(row.in.now_ns - last_ns_);
  if (!first_ns_) first_ns_ = row.in.now_ns;
  last_ns_ = row.in.now_ns;
  const double time = seconds_of(row.in.now_ns);
  course_.duration = time;
  if (!course_.began && row.out.phase == runtime::Phase::kPlaying) course_.began = time;
  add_values(row, time);
  extend(course_.states, time, runtime::name(row.out.state));
  extend(course_.controllers, time, controller_name(row.out));
  add_curves(row, time);
  if (row.in.sample_is_new) add_readings(row);
  add_events(row, time);
  course_.line = row.in.sample.counters;
}

std::string RunWatch::controller_name(const runtime::CycleOutput& out) const {
  if (out.controller < 0) return "motion alone";
  const std::size_t place = idx(out.controller);
  if (place < gain_names_.size()) return gain_names_[place];
  return "controller " + std::to_string(out.controller + 1);
}

void RunWatch::add_curves(const CycleRecord& row, double time) {
  const bool has_command = row.out.targets.mode == drivers::TargetMode::kPositions;
  for (std::size_t j = 0; j < names_.size(); ++j) {
    JointCurves& curves = course_.curves[j];
    const double command = has_command ? to_deg(row.out.targets.angle[j]) : NAN;
    const double simulated = to_deg(row.out.q_simulated[j]);
    curves.command.add(time, command);
    curves.reference.add(time, to_deg(row.out.q_ref[j]));
    curves.simulated.add(time, simulated);
    curves.loop.add(time, to_deg(row.out.q_loop[j]));
    steps_[j].add_tick(time, command, simulated);
  }
}

void RunWatch::add_readings(const CycleRecord& row) {
  for (std::size_t b = 0; b < row.in.sample.reading.size(); ++b) {
    const drivers::BoardReading& reading = row.in.sample.reading[b];
    if (!reading.is_new || reading.sampled_ns <= last_sampled_ns_[b]) continue;
    if (last_sampled_ns_[b] >= *first_ns_)
      interval_[b].add(reading.sampled_ns - last_sampled_ns_[b]);
    if (reading.written_ns >= 0 && reading.received_ns >= reading.written_ns) {
      answer_[b].add(reading.received_ns - reading.written_ns);
    }
    age_.add(row.in.now_ns - reading.sampled_ns);
    last_sampled_ns_[b] = reading.sampled_ns;
    const double time = seconds_of(reading.sampled_ns);
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (board_[j] != static_cast<int>(b)) continue;
      const double angle = to_deg(row.in.sample.angle[j]);
      course_.curves[j].measured.add(time, angle);
      steps_[j].add_reading(time, angle);
    }
  }
}

void RunWatch::add_events(const CycleRecord& row, double time) {
  for (int e = 0; e < row.out.num_events; ++e) {
    const runtime::Event& event = row.out.events[idx(e)];
    if (course_.events.size() >= kMostEvents) {
      ++course_.events_left_out;
    } else {
      course_.events.push_back(
          {time, event, runtime::event_sentence(event, names_, tunables_.event_names())});
    }
  }
}

void RunWatch::add_values(const CycleRecord& row, double time) {
  std::vector<double> before = tunables_.values();
  tunables_.add(row);
  if (const auto& taken = tunables_.taken()) {
    const std::string name = taken->key + " " + taken->gains;
    if (taken->replaced.empty()) {
      gain_names_.push_back(name);
    } else {
      gain_names_[idx(row.in.handover_place)] = name;
    }
    before = tunables_.values();
  }
  if (!row.in.tuning_is_new || course_.gains.size() >= kMostSpans) return;
  std::vector<ValueDifference> changed =
      differences(tunables_.names(), before, values_of(row.in.tuning));
  const std::size_t count = changed.size();
  changed.resize(std::min(count, kMostNamedValues));
  std::string text = differences_text(changed);
  if (count > kMostNamedValues) {
    text += " and " + std::to_string(count - kMostNamedValues) + " further values";
  }
  if (text.empty()) return;  // speed, pause or another request: the events have it
  const bool is_applied = row.out.tuning_version == row.in.tuning.version;
  course_.gains.push_back({time, text, is_applied});
}

RunCourse RunWatch::take() {
  for (StepWatch& watch : steps_) {
    for (StepResponse& step : watch.take()) course_.steps.push_back(std::move(step));
  }
  course_.faults = episodes(course_.events, course_.duration);
  const auto add = [&](const runtime::Histogram& h, const std::string& name,
                       const std::string& meaning) {
    if (h.count() > 0) course_.durations.push_back(duration_histogram(h, name, meaning));
  };
  add(tick_, "tick interval", "Time between two ticks of the control cycle.");
  for (std::size_t b = 0; b < kMaxBoards; ++b) {
    const std::string board = " of board " + std::to_string(b);
    add(answer_[b], "answer time" + board,
        "Time from the request of a reading to the last byte of the answer.");
    add(interval_[b], "reading interval" + board,
        "Time between two readings of the board's joints.");
  }
  add(age_, "age of a reading", "Age of a reading when the control cycle used it first.");
  return std::move(course_);
}

}  // namespace kagami::tools
