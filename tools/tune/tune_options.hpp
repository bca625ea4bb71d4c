/// The options of `kagami tune` that need neither page nor network, and what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/robot_choice.hpp"

namespace kagami::tools {

struct TuneOptions {
  RobotChoice robot;
  std::string gains = "awa_2009";
  std::string plant;              ///< as --plant of replay: empty, "twin" or a file
  std::vector<std::string> set;   ///< JOINT/GAIN=NUMBER
  std::vector<std::string> step;  ///< JOINT SIZE, likewise the next two
  std::vector<std::string> ramp;
  std::vector<std::string> chirp;
  std::string relay;              ///< JOINT
  std::optional<double> seconds;  ///< of a joint test
  std::string attempt;            ///< --try: a motion, or "hold"
  double at = 0.0;                ///< s into it
  std::string autotune;           ///< JOINT or "all"
  std::string method = "optimise";
  int evaluations = 100;
  std::string track;                 ///< a motion
  int plants = 0;                    ///< drawn ones that track it too
  std::uint64_t plants_seed = 1001;  ///< of the first of them, the next ones follow
  std::string save;                  ///< NAME or a path
};

/// Adds them all, --model and --data too.
void add_tune_options(Command& command, TuneOptions& opt);
/// True if an option requests something that needs no page.
bool is_tuning_requested(const TuneOptions& opt);
/// Does it on the virtual robot and prints the answer: gains before and after, metrics, curves.
/// Throws ConfigError and what the robot folder's readers throw.
void tune_without_page(const TuneOptions& opt, Console& io);

/// "10deg", "10" (degrees), "0.17rad": rad. Throws ConfigError.
double angle_of(const std::string& text);

}  // namespace kagami::tools
