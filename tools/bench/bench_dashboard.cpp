// kagami-bench-dashboard: what the dashboard costs beside a run, and how soon a turned gain is
// acknowledged, over loopback.
#include <dirent.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "models/base/temporary_folder.hpp"
#include "runtime/app/run.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/recorded_run.hpp"
#include "tools/dashboard/row_stream.hpp"
#include "tools/dashboard/run_dashboard.hpp"
#include "tools/dashboard/test/ws_client.hpp"

namespace kagami::bench {
namespace {

using Clock = std::chrono::steady_clock;
using tools::DashboardServer;
using tools::RowStream;

const std::string kToken = "0123456789abcdef0123456789abcdef";
constexpr int kRowsPerSecond = 100;
constexpr int kSeconds = 3;

/// s of processor time of this process's thread of that name. Its schedstat begins with ns.
double cpu_of_thread(const std::string& name) {
  double seconds = 0.0;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  for (const dirent* task = nullptr; tasks && (task = readdir(tasks.get())) != nullptr;) {
    const std::string folder = std::string("/proc/self/task/") + task->d_name;
    std::string comm;
    std::ifstream(folder + "/comm") >> comm;
    double ns = 0.0;
    if (comm == name && std::ifstream(folder + "/schedstat") >> ns) seconds += 1e-9 * ns;
  }
  return seconds;
}

const RecordedRun& recorded() {
  static const RecordedRun run = record_run("walk_forward", runtime::Scene::kFloor, "");
  return run;
}

const runtime::RunSetup& setup() {
  static const runtime::RunSetup made = runtime::read_setup(recorded().config);
  return made;
}

/// The rows that a run hands on: one in ten.
class HandedOn {
 public:
  const runtime::CycleRecord& next() {
    // the motion restarts at its end, the clock continues
    if (at_ + 10 >= recorded().rows.size()) at_ = 0;
    at_ += 10;
    row_ = recorded().rows[at_];
    now_ns_ += 1'000'000'000 / kRowsPerSecond;
    row_.in.now_ns = now_ns_;
    for (auto& reading : row_.in.sample.reading) reading.sampled_ns = now_ns_;
    return row_;
  }

 private:
  std::size_t at_ = 0;
  std::int64_t now_ns_ = 0;
  runtime::CycleRecord row_;
};

/// "ns", "min_ns": thread CPU time of one row with all its messages. "bytes": of these, mean.
void print_rows(benchmark::State& state) {
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  double bytes = 0.0;
  RowStream stream(
      setup().robot, live.gains(),
      [&](tools::Topic, std::uint64_t, const std::string& text) {
        bytes += static_cast<double>(text.size());
      },
      [](const runtime::AppliedGains&) {});
  HandedOn rows;
  std::vector<double> batches;
  int done = 0;
  for ([[maybe_unused]] const auto _ : state) {
    const double begin = cpu_seconds();
    for (int k = 0; k < 200; ++k, ++done) stream.row(rows.next());
    const double seconds = cpu_seconds() - begin;
    state.SetIterationTime(seconds);
    batches.push_back(1e9 * seconds / 200);
  }
  tell_batches(state, batches);
  state.counters["bytes"] = bytes / done;
}

class NoSide : public tools::DashboardBackend {
 public:
  std::string name() const override { return "bench"; }
  std::vector<tools::OfferedChannel> channels() const override { return tools::live_topics(); }
  std::vector<tools::OfferedService> services() const override { return {}; }
  std::vector<tools::Parameter> parameters(std::span<const std::string>) const override {
    return {};
  }
  void set_parameters(std::vector<tools::SetParameters::Entry>,
                      std::function<void(std::string)> done) override {
    done("");
  }
  void call(const std::string&, nlohmann::json, std::function<void(nlohmann::json)> done) override {
    done({});
  }
  void writer_lost() override {}
};

/// A client that reads the four curves until the server ends.
void read_curves(std::uint16_t port, int rate_hz, std::atomic<std::int64_t>& messages) {
  try {
    test::WsClient client(port, "/ws?rate=" + std::to_string(rate_hz));
    client.say(
        R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1},{"id":2,"channelId":2},)"
        R"({"id":3,"channelId":3},{"id":4,"channelId":4}]})");
    for (;;) {
      (void)client.receive();
      ++messages;
    }
  } catch (const std::exception&) {
    // the server has ended
  }
}

/// "ns": of the server's thread per message that a client got; "server_pct", "record_pct": share of
/// a core of the server's thread, and of the thread that prints; "per_client": messages a second.
/// Rows come at the pace of a run, for kSeconds.
void serve(benchmark::State& state, int num_clients, int rate_hz) {
  NoSide side;
  tools::ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  auto server = std::make_unique<DashboardServer>(settings, side, std::vector<tools::ServedFile>{});
  std::atomic<std::int64_t> messages{0};
  std::vector<std::thread> clients;
  for (int k = 0; k < num_clients; ++k) {
    clients.emplace_back(read_curves, server->port(), rate_hz, std::ref(messages));
  }
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  RowStream stream(
      setup().robot, live.gains(),
      [&](tools::Topic topic, std::uint64_t time_ns, std::string text) {
        server->publish(static_cast<std::uint32_t>(topic), time_ns, std::move(text));
      },
      [](const runtime::AppliedGains&) {});
  HandedOn rows;
  for ([[maybe_unused]] const auto _ : state) {
    while (server->counters().clients < num_clients) std::this_thread::yield();
    messages = 0;
    const Clock::time_point start = Clock::now();
    const double served = cpu_of_thread("dashboard");
    const double printed = cpu_seconds();
    for (int k = 0; k < kSeconds * kRowsPerSecond; ++k) {
      stream.row(rows.next());
      std::this_thread::sleep_until(start + std::chrono::milliseconds(10) * (k + 1));
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    state.SetIterationTime(seconds);
    state.counters["server_pct"] = 100.0 * (cpu_of_thread("dashboard") - served) / seconds;
    state.counters["record_pct"] = 100.0 * (cpu_seconds() - printed) / seconds;
    state.counters["ns"] = 1e9 * (cpu_of_thread("dashboard") - served) /
                           std::max<double>(1.0, static_cast<double>(messages));
    state.counters["per_client"] = static_cast<double>(messages) / num_clients / seconds;
    // where none was, the variation over repetitions would be 0 / 0, which JSON cannot say
    if (const auto dropped = server->counters().dropped; dropped > 0) {
      state.counters["dropped"] = static_cast<double>(dropped);
    }
  }
  server.reset();
  for (std::thread& client : clients) client.join();
}

/// "p50_us", "p90_us", "p99_us" from the message `setParameters` to its acknowledgement by the
/// cycle, at 1 kHz in real time on the virtual robot; 200 changes. "ns" is the median too.
void acknowledge(benchmark::State& state) {
  constexpr int kChanges = 200;
  const TemporaryFolder folder;
  runtime::RunConfig config = recorded().config;
  const std::filesystem::path source = KAGAMI_SOURCE_TREE;
  config.gains_file = source / "control/data/gains/awa_2009.json";
  config.on = runtime::Scene::kStand;
  config.clock = runtime::ClockKind::kReal;
  config.realtime = runtime::RealtimeRequest::kOff;
  config.late = runtime::LatePolicy::kSkip;
  config.loop = true;
  config.out_dir = folder.path() / "session";
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  tools::ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  tools::RunDashboard dashboard(settings, {"bench", folder.path(), folder.path()}, config, live);
  runtime::RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  dashboard.hook_into(hooks);
  std::thread run([&] { (void)runtime::run(config, hooks); });
  std::vector<double> took;
  for ([[maybe_unused]] const auto _ : state) {
    while (live.status().tick < 0) std::this_thread::yield();
    test::WsClient client(dashboard.server().port(), "/ws?token=" + kToken);
    const double begin_all = cpu_seconds();
    for (int k = 0; k < kChanges; ++k) {
      const std::string id = std::to_string(k);
      const Clock::time_point begin = Clock::now();
      client.say(R"({"op":"setParameters","id":")" + id +
                 R"(","parameters":[{"name":"/pid/left_knee/kp","value":)" +
                 (k % 2 == 0 ? "3.5" : "4.5") + "}]}");
      while (client.receive_op("parameterValues").value("id", "") != id) {
      }
      took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      std::this_thread::sleep_until(begin + std::chrono::milliseconds(25));  // 50 messages/s
    }
    state.SetIterationTime(cpu_seconds() - begin_all);
  }
  live.finish();
  live.stop(runtime::StopLevel::kHoldNow);
  run.join();
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) {
    return took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))];
  };
  state.counters["ns"] = 1e3 * at(0.5);
  state.counters["min_ns"] = 1e3 * took.front();
  state.counters["p50_us"] = at(0.5);
  state.counters["p90_us"] = at(0.9);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = at(1.0);
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  add_row("dashboard/row", print_rows);
  add_row("dashboard/acknowledged", acknowledge, 1);
  add_row(
      "dashboard/10_clients_60hz", [](benchmark::State& s) { serve(s, 10, 60); }, 1);
  add_row(
      "dashboard/10_clients_30hz", [](benchmark::State& s) { serve(s, 10, 30); }, 1);
  add_row(
      "dashboard/1_client_60hz", [](benchmark::State& s) { serve(s, 1, 60); }, 1);
  return run_rows(argc, argv, "kagami");
}
