#include "tools/check/twin_check.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "models/base/errors.hpp"
#include "models/base/temporary_folder.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "runtime/record/byte_sink.hpp"
#include "tools/check/check_findings.hpp"
#include "tools/robot/stored_slot.hpp"

namespace kagami::tools {
namespace {

/// Discards what is written: the record of a check is not kept, and it can be larger than the disk.
class NoRecord final : public runtime::ByteSink {
 public:
  explicit NoRecord(std::unique_ptr<ByteSink> file) : file_(std::move(file)) {}
  runtime::SinkResult write_at(std::uint64_t /*offset*/,
                               std::span<const std::byte> bytes) noexcept override {
    return {bytes.size(), 0};
  }
  int truncate(std::uint64_t /*size*/) noexcept override { return 0; }
  int sync() noexcept override { return 0; }
  const std::string& name() const noexcept override { return file_->name(); }

 private:
  std::unique_ptr<ByteSink> file_;
};

/// The run in simulated time, of one pass of the motion.
runtime::RunConfig virtual_run(const runtime::RunConfig& config) {
  runtime::RunConfig run = config;
  run.robot = "virtual";
  run.clock = runtime::ClockKind::kVirtual;
  run.realtime = runtime::RealtimeRequest::kOff;
  run.loop = run.report = run.live = run.unproven = false;
  run.disturbances.clear();
  run.board_faults.clear();
  run.more_gains.clear();
  run.more_motions.clear();
  run.timeline.clear();
  return run;
}

// where the virtual robot begins
std::optional<JointArray<double>> begin_of(const motions::Motion& motion) {
  if (motion.start != motions::Start::kStanding) return std::nullopt;
  return JointArray<double>{};
}

void play_on_twin(MotionCheck& check, const runtime::RunSetup& setup, runtime::RunConfig config,
                  const TwinCheckOptions& options) {
  const TemporaryFolder folder;
  config.out_dir = folder.path();
  MotionWatch watch(setup.robot, check.speed_limit, setup.motion.start);
  runtime::RunHooks hooks;
  hooks.stop = options.stop;
  hooks.disk = [](std::unique_ptr<runtime::ByteSink> file) {
    return std::make_unique<NoRecord>(std::move(file));
  };
  hooks.row = [&watch](const runtime::CycleRecord& row) { watch.add(row); };
  if (options.progress) {
    hooks.progress = [&](const runtime::Progress& progress) {
      options.progress(progress.fraction);
    };
  }
  std::optional<StoredSlot> slot;
  if (config.mode == runtime::RunMode::kStored) {
    slot.emplace(StoredSlotChoice{.slot = config.stored_slot}, setup.motion, setup.robot.wiring,
                 "the virtual robot");
    hooks.store_motion = [&slot](drivers::BytePort& port, drivers::Clock& clock) {
      slot->store(port, clock, {});
    };
  }
  const runtime::RunResult run = runtime::run(config, hooks);
  add_twin_findings(check, setup.robot, setup.motion, config.speed, watch, run);
  if (options.seen) options.seen(check, watch);
}

}  // namespace

MotionCheck check_on_twin(const runtime::RunConfig& given, const TwinCheckOptions& options) {
  const runtime::RunConfig config = virtual_run(given);
  MotionCheck check;
  try {
    const runtime::RunSetup setup = runtime::read_setup(config);
    const auto present = options.present ? options.present : begin_of(setup.motion);
    check = check_motion(setup.motion, setup.robot.wiring, setup.cycle.play.mode, present,
                         config.speed);
    check.file = config.motion_file.string();
    if (options.longest && check.duration / config.speed > *options.longest) {
      check.findings.push_back(
          {Verdict::kAmber, "length", "", std::nullopt,
           fmt::format("it lasts {:.0f} s: balance, falls, loads and collisions of a motion longer "
                       "than {:.0f} s are not checked here; 'kagami check' checks them",
                       check.duration / config.speed, *options.longest)});
      return check;
    }
    play_on_twin(check, setup, config, options);
  } catch (const ConfigError& error) {  // a file that this robot cannot play
    check.motion = config.motion_file.stem().string();
    check.file = config.motion_file.string();
    check.findings.push_back({Verdict::kRed, "file", "", std::nullopt, error.what()});
  }
  return check;
}

}  // namespace kagami::tools
