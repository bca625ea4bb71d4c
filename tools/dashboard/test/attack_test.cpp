// A run with hostile clients beside it does what it does without any: the same bits at every tick.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tools/dashboard/run_dashboard.hpp"
#include "tools/dashboard/test/fake_side.hpp"
#include "tools/dashboard/test/ws_client.hpp"
#include "tools/test/source_folder.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::kSource;
using test::kToken;
using test::WsClient;

struct Rows {
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;  // tick, state hash
  runtime::RunResult result;
  ServerCounters counters;
};

/// Floods, never reads, requests files, connects with foreign names, until `ends`.
void attack(std::uint16_t port, int kind, const std::atomic<bool>& ends) {
  while (!ends) {
    try {
      if (kind == 0) {
        WsClient flood(port, "/ws?rate=60");
        while (!ends && flood.try_to_say(R"({"op":"getParameters","parameterNames":[]})")) {
        }
      } else if (kind == 1) {
        WsClient deaf(port, "/ws?rate=60");
        std::string all = R"({"op":"subscribe","subscriptions":[)";
        for (int k = 1; k <= 14; ++k) {
          const std::string id = std::to_string(k);
          all += (k > 1 ? "," : "") + std::string(R"({"id":)") + id + R"(,"channelId":)" + id + "}";
        }
        deaf.say(all + "]}");
        ends.wait(false);
      } else if (kind == 2) {
        (void)test::ask(port, test::http::verb::get, "/robot/robot.urdf", {{"Host", "evil"}});
      } else {
        WsClient wrong(port, "/ws?token=guess");
      }
    } catch (const std::exception&) {
      // refused or ended, as it should be
    }
  }
}

Rows run_beside(int attackers) {
  const test::TempFolder folder;
  runtime::RunConfig config;
  config.robot_folder = kSource / "models/data/khr1";
  config.motion_file = kSource / "motions/data/bow.json";
  config.gains_file = kSource / "control/data/gains/awa_2009.json";
  config.clock = runtime::ClockKind::kVirtual;
  config.out_dir = folder.path() / "session";
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  settings.max_clients = 8;
  RunDashboard dashboard(settings, {"test", folder.path(), folder.path()}, config, live);
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int k = 0; k < attackers; ++k) {
    threads.emplace_back(attack, dashboard.server().port(), k % 4, std::cref(ends));
  }
  Rows rows;
  runtime::RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  hooks.row = [&](const runtime::CycleRecord& row) {
    rows.seen.emplace_back(row.in.tick, row.out.state_hash);
    live.finish();  // it ends with the motion
    if (attackers == 0 || rows.seen.size() % 8 != 0) return;
    // the run waits for the attack, never the reverse: it continues throughout
    const ServerCounters before = dashboard.server().counters();
    while (dashboard.server().counters().requests == before.requests &&
           dashboard.server().counters().flooded == before.flooded) {
      std::this_thread::yield();
    }
  };
  dashboard.hook_into(hooks);
  rows.result = runtime::run(config, hooks);
  rows.counters = dashboard.server().counters();
  ends = true;
  ends.notify_all();
  for (std::thread& thread : threads) thread.join();
  return rows;
}

TEST(AttackedRun, HasTheSameBitsAtEveryTickAsOneLeftAlone) {
  const Rows alone = run_beside(0);
  const Rows attacked = run_beside(6);
  EXPECT_GT(alone.seen.size(), 100u);
  EXPECT_EQ(attacked.seen, alone.seen);
  EXPECT_EQ(attacked.result.ticks, alone.result.ticks);
  EXPECT_EQ(attacked.result.state_hash, alone.result.state_hash);
  EXPECT_EQ(attacked.result.late_ticks, 0);
  EXPECT_EQ(attacked.result.skipped_ticks, 0);
  EXPECT_EQ(attacked.result.lost_records, 0u);
  EXPECT_EQ(attacked.result.end, runtime::RunEnd::kCompleted) << attacked.result.end_text;
  EXPECT_GE(attacked.counters.requests + attacked.counters.flooded, attacked.seen.size() / 8);
  EXPECT_GT(attacked.counters.refused, 0u);
}

}  // namespace
}  // namespace kagami::tools
