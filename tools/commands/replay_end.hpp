/// After a run that moved a robot: analysis, printed results, exit code.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "runtime/app/run_config.hpp"
#include "runtime/app/run_result.hpp"
#include "tools/analysis/compare.hpp"
#include "tools/analysis/happenings.hpp"
#include "tools/cli/console.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/gap/explain.hpp"

namespace kagami::tools {

/// Comparison and report of a finished run; what cannot be made is reported and left out. So is
/// what came too late to act.
struct PostRunAnalysis {
  std::optional<Comparison> comparison;
  std::vector<JointExplanation> explanation;  ///< of the gap; empty where it is not known
  std::vector<Happening> happenings;          ///< of the gap; empty where it is not known
  std::vector<Disturbance> disturbances;      ///< as the run was configured
  std::filesystem::path report;
};
PostRunAnalysis analyse_run(const runtime::RunConfig& config, const runtime::RunResult& result,
                            Console& io);

/// Text, or `kagami.run/1` under --json. `stored`: what became of the boards' memories, or null.
void print_run(const runtime::RunResult& result, const PostRunAnalysis& after,
               const nlohmann::json& stored, Console& io);

/// The code of the run's end; a run to the end may still miss a requirement.
ExitCode exit_code_for(const ReplayOptions& opt, const runtime::RunResult& result, Console& io);

}  // namespace kagami::tools
