/// What a run answers to a request: a ticket, or the reason for which nothing was changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kagami::runtime {

/// Why nothing was changed.
struct LiveRefusal {
  std::string name;    ///< of the parameter or of the request: "play"
  double value = 0.0;  ///< requested value; 0 where there is none
  /// "0..1000 1/s", "a finite number", "a robot that holds"
  std::string expected;
};

/// Either a ticket for what will happen at a tick, or why it will not.
struct LiveAnswer {
  std::uint64_t ticket = 0;  ///< version of the tuning; rises
  std::optional<LiveRefusal> refusal;
  [[nodiscard]] static LiveAnswer refuse(std::string name, double value, std::string expected);
  [[nodiscard]] bool ok() const noexcept { return !refusal.has_value(); }
  /// One sentence: "pid/left_knee/kp: 2000 is refused, expected 0..1000 1/s"; empty when ok.
  [[nodiscard]] std::string sentence() const;
};

}  // namespace kagami::runtime
