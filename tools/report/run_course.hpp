/// What happened in a run and when: curves, events, gains, steps, durations. Times are s since the
/// first tick of the record, angles deg.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drivers/link/samples.hpp"
#include "runtime/channels/event.hpp"
#include "tools/report/envelope.hpp"
#include "tools/report/step_watch.hpp"

namespace kagami::tools {

/// Curves of one joint. A curve that the record does not have is empty.
struct JointCurves {
  Envelope command;     ///< what passed the safety gate
  Envelope reference;   ///< what the motion asks for
  Envelope measured;    ///< of all readings
  Envelope simulated;   ///< of the shadow model
  Envelope loop;        ///< second curve of a run with a controller
  Envelope difference;  ///< simulated minus measured, of all readings that are compared
};

struct RunEvent {
  double time = 0.0;
  runtime::Event event;
  std::string sentence;
};

/// A stretch of the run, e.g. of a state, a controller or a fault.
struct RunSpan {
  double from = 0.0;
  double to = 0.0;
  std::string what;
  runtime::EventLevel level = runtime::EventLevel::kInfo;
};

/// A set of values that was taken or refused.
struct GainMark {
  double time = 0.0;
  std::string what;
  bool is_applied = false;
};

/// Bars of a histogram: its values lie above the bar before and up to `upper`.
struct DurationBar {
  double upper = 0.0;  ///< us
  double count = 0.0;
};

/// How long something took.
struct DurationHistogram {
  std::string name;
  std::string meaning;  ///< one sentence
  std::vector<DurationBar> bars;
  double p50 = 0.0;  ///< us
  double p99 = 0.0;
  double max = 0.0;
};

struct RunCourse {
  double duration = 0.0;
  std::optional<double> began;      ///< of the motion's first tick
  std::vector<JointCurves> curves;  ///< model order
  std::vector<RunEvent> events;
  std::size_t events_left_out = 0;  ///< beyond the number that is kept
  std::vector<RunSpan> states;
  std::vector<RunSpan> controllers;
  std::vector<RunSpan> faults;
  std::vector<GainMark> gains;
  std::vector<StepResponse> steps;
  std::vector<DurationHistogram> durations;
  drivers::LineCounters line;
};

/// Episodes of what has a beginning and an end among the events: faults, limits, silence.
std::vector<RunSpan> episodes(const std::vector<RunEvent>& events, double end);

}  // namespace kagami::tools
