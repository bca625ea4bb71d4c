/// Requests to a run at times that were defined before: for scenarios and tests that
/// repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/app/run_config.hpp"

namespace kagami::runtime {

/// "2.5:pause" as time and request. Throws ConfigError for a time that is no number in 0..86400 s
/// or a request that is not one of these:
///
/// reverse · forwards · test=KIND:JOINT:DEGREES:SECONDS (step, ramp, chirp, relay; from a hold) ·
/// pause · play · play=MOTION · play_again · step=MS · speed=FACTOR · loop · no_loop ·
/// controller=NAME (empty or motion: the motion alone) · add=GAIN_FILE · add=GAIN_FILE@NAME (in
/// place of NAME) · stop=slow|hold|release · undo · redo · store=A|B · select=A|B · NAME=VALUE of a
/// parameter, several with commas between them
TimedCommand timed_command(std::string_view text);

/// The calling thread of a run: in virtual time after every round of the line, so that the same run
/// gives the same record; in real time every 20 ms.
class Timeline {
 public:
  /// Sorts by time; equal ones keep their order. Throws as timed_command does.
  explicit Timeline(std::vector<TimedCommand> requests);
  /// Asks for everything that is due at `now_ns` of the run's clock; `log`: refusals.
  void run_until(std::int64_t now_ns, LiveControl& live,
                 const std::function<void(std::string_view)>& log);
  /// What the run refused, a sentence each; also given to `log`.
  [[nodiscard]] const std::vector<std::string>& refusals() const noexcept { return refusals_; }
  [[nodiscard]] bool is_over() const noexcept { return next_ == requests_.size(); }

 private:
  std::vector<TimedCommand> requests_;
  std::size_t next_ = 0;
  std::vector<std::string> refusals_;
};

/// Checks every name, file and number of the requests against a run that is open but has not begun:
/// motions, controllers, joints, parameters, gain files. Throws ConfigError with the request and
/// what was expected. After an `add=` further controllers and parameters are possible.
void check_timeline(const std::vector<TimedCommand>& requests, LiveControl& live);

}  // namespace kagami::runtime
