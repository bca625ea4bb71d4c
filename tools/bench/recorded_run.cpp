#include "tools/bench/recorded_run.hpp"

#include "models/base/temporary_folder.hpp"
#include "runtime/app/run.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::bench {

RecordedRun record_run(const std::string& motion, runtime::Scene on, const std::string& gains,
                       models::Algorithm dynamics) {
  namespace fs = std::filesystem;
  const TemporaryFolder out;
  RecordedRun run;
  run.config.robot_folder = fs::path(KAGAMI_SOURCE_TREE) / "models/data/khr1";
  run.config.motion_file = fs::path(KAGAMI_SOURCE_TREE) / "motions/data" / (motion + ".json");
  run.config.on = on;
  run.config.dynamics = dynamics;
  if (!gains.empty()) {
    run.config.gains_file = fs::path(KAGAMI_SOURCE_TREE) / "control/data/gains" / gains;
  }
  run.config.clock = runtime::ClockKind::kVirtual;
  run.config.out_dir = out.path();
  run.config.replace_record = true;
  const runtime::RunResult result = runtime::run(run.config, {});
  const tools::RunRecord record(result.record);
  run.num_joints = static_cast<int>(record.wiring().joints.size());
  record.for_each_row([&](const runtime::CycleRecord& row) { run.rows.push_back(row); });
  return run;
}

}  // namespace kagami::bench
