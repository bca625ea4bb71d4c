#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/app/run.hpp"

namespace kagami::runtime {
namespace {

TEST(Replay, Smoke) {
  RunConfig c;
  c.robot_folder = KAGAMI_SOURCE_DIR "/models/data/khr1";
  c.motion_file = KAGAMI_SOURCE_DIR "/motions/data/walk_forward.json";
  c.clock = ClockKind::kVirtual;
  c.out_dir = "/tmp/kagami_replay_smoke";
  RunHooks hooks;
  hooks.log = [](std::string_view s) { std::cerr << s << "\n"; };
  const RunResult r = run(c, hooks);
  std::cerr << run_result_json(r).dump(1) << "\n";
  const VerifyResult v = verify_record(r.record);
  EXPECT_TRUE(v.identical) << v.field << v.note << v.recorded << v.computed;
}

}  // namespace
}  // namespace kagami::runtime
