/// A motion of the boards' memories that a run writes, plays and puts back.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "tools/robot/stored_motions.hpp"

namespace kagami::tools {

struct StoredSlotChoice {
  int slot = 39;            ///< number of the boards' motion, 0..39
  bool overwrites = false;  ///< another motion that is there gives way
  bool restores = false;    ///< and comes back after the run
};

/// One run. What is written is read back; while it is written the slot is empty, so that a motion
/// is never there by half.
class StoredSlot {
 public:
  /// `motion` is bound. Throws ConfigError for a motion that no board can hold.
  StoredSlot(const StoredSlotChoice& choice, const motions::Motion& motion,
             const RobotWiring& wiring, std::string port_name);

  /// Writes nothing where the boards hold the motion already. Throws ConfigError for a slot that is
  /// used, LinkError for a board that does not keep what it was sent, PortError.
  void store(drivers::BytePort& port, drivers::Clock& clock,
             const std::function<bool()>& is_stopped);
  /// Where it is requested and something was written. `is_still`: no board plays; else nothing is
  /// written. Keeps the reason of a failure.
  void restore(drivers::BytePort& port, drivers::Clock& clock, bool is_still) noexcept;

  /// Why the boards' former motion is not back; empty: it is, or was not to come back.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// "12 poses are in motion 39 of every board"; empty: nothing was done yet.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// {"slot": 39, "written": true, "restored": null, "problem": null}; written: the whole motion.
  [[nodiscard]] nlohmann::json json() const;

 private:
  [[nodiscard]] std::string left_after_failure(drivers::BytePort& port, drivers::Clock& clock);
  [[nodiscard]] std::string doubt() const;
  /// False: it was stopped, and the slot is empty.
  bool write_all(BoardSession& session, const std::vector<StoredMotion>& boards,
                 const std::function<bool()>& is_stopped);

  StoredSlotChoice choice_;
  RobotWiring wiring_;
  std::string port_name_;
  std::vector<StoredMotion> motion_;  ///< by board
  std::vector<StoredMotion> before_;  ///< what the boards held
  bool is_changed_ = false;           // also by half
  bool is_written_ = false;
  bool is_restored_ = false;
  std::string text_;
  std::string problem_;
};

}  // namespace kagami::tools
