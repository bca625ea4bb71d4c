// kagami replay MOTION: plays a motion on the robot and on its model, and reports how far apart
// they were.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/log_digest.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/preflight.hpp"
#include "tools/commands/replay_end.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/robot/stored_slot.hpp"

namespace kagami::tools {
namespace {

using runtime::RunConfig;
using runtime::RunResult;

const char* phase_text(runtime::Phase phase) {
  // in the order of Phase
  constexpr const char* kNames[] = {"waiting for the first reading",
                                    "to the first pose",
                                    "playing",
                                    "settling",
                                    "done",
                                    "slowing down",
                                    "held",
                                    "released",
                                    "releasing",
                                    "sitting down",
                                    "refused",
                                    "testing a joint"};
  return kNames[static_cast<std::size_t>(phase)];
}

RunResult run_with_progress(const RunConfig& config, runtime::StopRequest& stop, StoredSlot* slot,
                            Console& io) {
  runtime::RunHooks hooks;
  hooks.progress = [&io](const runtime::Progress& progress) {
    std::string text = phase_text(progress.phase);
    if (progress.motion_time > 0.0) text += " " + fixed(progress.motion_time, 1) + " s";
    if (progress.rms_deg >= 0.0) text += ", " + fixed(progress.rms_deg, 2) + " deg RMS";
    io.progress(progress.fraction, text);
  };
  LogDigest remarks(io);
  hooks.log = [&remarks](std::string_view sentence) { remarks.add(sentence); };
  hooks.stop = &stop;
  if (slot != nullptr) {
    const auto is_stopped = [&stop] { return stop.level() != runtime::StopLevel::kNone; };
    hooks.store_motion = [slot, &remarks, is_stopped](drivers::BytePort& port,
                                                      drivers::Clock& clock) {
      slot->store(port, clock, is_stopped);
      if (!slot->text().empty()) remarks.add(slot->text());
    };
    hooks.restore_memory = [slot](drivers::BytePort& port, drivers::Clock& clock, bool is_still) {
      slot->restore(port, clock, is_still);
    };
  }
  RunResult result = runtime::run(config, hooks);
  io.end_progress();
  remarks.finish();
  return result;
}

/// With --mode stored: what will be in the boards' memories.
std::optional<StoredSlot> slot_of(const ReplayOptions& opt, const RunConfig& config) {
  if (config.mode != runtime::RunMode::kStored) {
    if (!opt.slot && !opt.slot_overwrite && !opt.slot_restore) return std::nullopt;
    throw ConfigError("--slot, --slot-overwrite and --slot-restore: expected --mode stored");
  }
  const runtime::RunSetup setup = runtime::read_setup(config);
  return StoredSlot(
      {.slot = config.stored_slot, .overwrites = opt.slot_overwrite, .restores = opt.slot_restore},
      setup.motion, setup.robot.wiring, config.robot);
}

}  // namespace

void replay(const ReplayOptions& opt, Console& io) {
  RunConfig config = run_config_of(opt, io);
  runtime::check_run_config(config);
  std::optional<StoredSlot> slot = slot_of(opt, config);
  if (!may_move(opt, config, io)) return;
  const SessionFolder folder(config, io);
  // to the end of this function: a press while the answer is made must not take it away
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  const RunResult result = run_with_progress(config, stop, slot ? &*slot : nullptr, io);
  const PostRunAnalysis after = analyse_run(config, result, io);
  print_run(result, after, slot ? slot->json() : nlohmann::json(), io);
  io.exit_with(exit_code_for(opt, result, io));
  if (!slot || slot->problem().empty()) return;
  io.error(slot->problem());
  io.exit_with(ExitCode::kCommunication);
}

void add_replay(Command& app, Console& io) {
  auto opt = std::make_shared<ReplayOptions>();
  Command cmd = app.add_command(
      "replay", "Play a motion on the robot and its model, and compare them joint by joint.");
  add_replay_options(cmd, *opt);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "replay walk_forward",
                     "replay walk_forward --clock virtual --plant twin --json");
  cmd.on_run([opt, &io] { replay(*opt, io); });
}

}  // namespace kagami::tools
