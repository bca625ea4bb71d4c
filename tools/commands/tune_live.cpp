#include "tools/commands/tune_live.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "runtime/app/run.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/cli/log_digest.hpp"
#include "tools/cli/open_page.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/commands/replay_end.hpp"
#include "tools/dashboard/run_dashboard.hpp"

namespace kagami::tools {
namespace {

using runtime::StopLevel;

/// Ctrl-C at the terminal: a stop like the dashboard's, and the end of the run.
class TerminalStop {
 public:
  explicit TerminalStop(runtime::LiveControl& live) : live_(live), signals_(pressed_) {}

  /// Hands on what was pressed since the last call. Any thread.
  void look() {
    const auto level = static_cast<int>(pressed_.level());
    if (seen_.exchange(level) == level) return;
    live_.stop(static_cast<StopLevel>(level));
    live_.finish();
  }

 private:
  runtime::LiveControl& live_;
  runtime::StopRequest pressed_;
  StopSignals signals_;
  std::atomic<int> seen_{0};
};

/// Keeps simulated time at the pace of the wall's: people look at it.
class Pacemaker {
 public:
  void wait_for(std::int64_t run_ns) {
    const auto now = std::chrono::steady_clock::now();
    if (!begun_) begin_ = now - std::chrono::nanoseconds(run_ns);
    begun_ = true;
    std::this_thread::sleep_until(begin_ + std::chrono::nanoseconds(run_ns));
  }

 private:
  bool begun_ = false;
  std::chrono::steady_clock::time_point begin_;
};

ServerSettings server_settings(const LiveOptions& words, const Console& io) {
  ServerSettings settings;
  settings.guard.address = words.listen;
  settings.guard.port = words.port;
  settings.guard.token =
      words.token.empty() ? io.environment("KAGAMI_TOKEN").value_or(new_token()) : words.token;
  settings.guard.allowed_origins = words.allowed_origins;
  constexpr int kFurtherPorts = 20;
  settings.more_ports = words.next_port ? kFurtherPorts : 0;
  settings.dead_man_s = words.dead_man_s;
  settings.max_clients = words.max_clients;
  return settings;
}

// an address that stands for all of them is none to go to
std::string url(const ServerSettings& settings, std::uint16_t port) {
  std::string host = settings.guard.address;
  if (host == "0.0.0.0" || host == "::") host = "localhost";
  if (host.find(':') != std::string::npos && host[0] != '[') host = "[" + host + "]";
  return "http://" + host + ":" + std::to_string(port) + "/#token=" + settings.guard.token;
}

RunSideSettings side_settings(const LiveOptions& words, const runtime::RunConfig& config,
                              const Console& io) {
  const std::filesystem::path sessions = sessions_folder(io);
  return {config.motion_file.stem().string() + " on " +
              (config.robot == "virtual" ? "the virtual robot" : config.robot),
          sessions.parent_path() / "gains", sessions, find_data(io, words.run.robot.data).motions};
}

runtime::RunResult run_with_dashboard(const LiveOptions& words, const runtime::RunConfig& config,
                                      Console& io) {
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  const ServerSettings settings = server_settings(words, io);
  RunDashboard dashboard(settings, side_settings(words, config, io), config, live);
  const std::string address = url(settings, dashboard.server().port());
  io.say("dashboard  " + address);
  if (!words.no_open && !io.json) (void)open_page(io, address);  // it is printed anyway
  io.say("Ctrl-C slows down, holds and ends; a second one stops at once, a third lets go limp");

  TerminalStop terminal(live);
  Pacemaker pacemaker;
  LogDigest remarks(io);
  runtime::RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  hooks.stay_released = true;  // the page can still save the gains
  hooks.log = [&remarks](std::string_view sentence) { remarks.add(sentence); };
  hooks.progress = [&terminal](const runtime::Progress&) { terminal.look(); };
  hooks.row = [&, is_simulated = config.clock ==
                                 runtime::ClockKind::kVirtual](const runtime::CycleRecord& row) {
    terminal.look();
    if (is_simulated) pacemaker.wait_for(row.in.now_ns);
  };
  dashboard.hook_into(hooks);
  runtime::RunResult result = runtime::run(config, hooks);
  remarks.finish();
  dashboard.say_goodbye(result.end_text);
  const ServerCounters counters = dashboard.server().counters();
  io.detail("dashboard: " + std::to_string(counters.sent) + " messages sent, " +
            std::to_string(counters.dropped) + " dropped for slow clients, " +
            std::to_string(counters.refused) + " requests refused");
  return result;
}

}  // namespace

void add_live_options(CLI::App& command, LiveOptions& words) {
  command.add_option("--port", words.port, "of the dashboard; 0: any that is free")
      ->capture_default_str();
  command.add_flag("--next-port", words.next_port,
                   "where that port is taken, the next free one of the 20 after it");
  command
      .add_option("--listen", words.listen,
                  "address to listen on; any but 127.0.0.1 and ::1 asks everybody for the token")
      ->capture_default_str();
  command.add_option(
      "--token", words.token,
      "of those who may move and change things; default: KAGAMI_TOKEN, or a new one");
  command.add_option("--allow-origin", words.allowed_origins,
                     "web page that may connect too, as https://app.example");
  command
      .add_option("--dead-man", words.dead_man_s,
                  "s without a word of the client that writes after which the robot slows down "
                  "and holds; 0: never")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  command.add_flag("--no-open", words.no_open,
                   "do not show the page in the browser of this desktop");
  command.add_option("--clients", words.max_clients, "most WebSockets at once")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

void tune_live(const LiveOptions& words, Console& io) {
  runtime::RunConfig config = run_config_of(words.run, io);
  runtime::check_run_config(config);
  if (!is_agreed(words.run, config, io)) {
    io.error("the robot was not moved: it takes --yes, or 'y' typed at a terminal");
    return io.exit_with(ExitCode::kUsage);
  }
  const SessionFolder folder(config, io);
  const runtime::RunResult result = run_with_dashboard(words, config, io);
  const PostRunAnalysis after = analyse_run(config, result, io);
  print_run(result, after, io);
  io.exit_with(exit_code_for(words.run, result, io));
}

}  // namespace kagami::tools
