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
#include "tools/commands/preflight.hpp"
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

/// Keeps simulated time at the rate of the wall clock, for people.
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

ServerSettings server_settings(const LiveOptions& opt, const Console& io) {
  ServerSettings settings;
  settings.guard.address = opt.listen;
  settings.guard.port = opt.port;
  settings.guard.token =
      opt.token.empty() ? io.environment("KAGAMI_TOKEN").value_or(new_token()) : opt.token;
  settings.guard.allowed_origins = opt.allowed_origins;
  constexpr int kFurtherPorts = 20;
  settings.more_ports = opt.next_port ? kFurtherPorts : 0;
  settings.dead_man_s = opt.dead_man_s;
  settings.max_clients = opt.max_clients;
  return settings;
}

// the address of all interfaces (0.0.0.0, ::) cannot be opened in a browser
std::string url(const ServerSettings& settings, std::uint16_t port) {
  std::string host = settings.guard.address;
  if (host == "0.0.0.0" || host == "::") host = "localhost";
  if (host.find(':') != std::string::npos && host[0] != '[') host = "[" + host + "]";
  return "http://" + host + ":" + std::to_string(port) + "/#token=" + settings.guard.token;
}

RunSideSettings side_settings(const LiveOptions& opt, const runtime::RunConfig& config,
                              const Console& io) {
  const std::filesystem::path sessions = sessions_folder(io);
  return {config.motion_file.stem().string() + " on " +
              (config.robot == "virtual" ? "the virtual robot" : config.robot),
          sessions.parent_path() / "gains", sessions, find_data(io, opt.run.robot.data).motions};
}

runtime::RunResult run_with_dashboard(const LiveOptions& opt, const runtime::RunConfig& config,
                                      Console& io) {
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  const ServerSettings settings = server_settings(opt, io);
  RunDashboard dashboard(settings, side_settings(opt, config, io), config, live);
  const std::string address = url(settings, dashboard.server().port());
  io.say("dashboard  " + address);
  if (!opt.no_open && !io.json) (void)open_page(io, address);  // it is printed anyway
  io.say(
      "Ctrl-C slows down, holds and ends; a second one stops at once, a third one releases the "
      "servos");

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

void add_live_options(Command& command, LiveOptions& opt) {
  command.start_group("Dashboard");
  command.add_option("--port", opt.port, "TCP port of the dashboard. 0: any free port.")
      .value("N")
      .with_default();
  command.add_flag("--next-port", opt.next_port,
                   "If that port is in use, try the 20 ports after it.");
  command
      .add_option("--listen", opt.listen,
                  "Address to listen on. Any but 127.0.0.1 and ::1 requires the token from every "
                  "client.")
      .value("ADDRESS")
      .with_default();
  command
      .add_option("--token", opt.token,
                  "Token that a client needs to move the robot or to change values. Default: the "
                  "variable KAGAMI_TOKEN, else a new one.")
      .value("TOKEN");
  command
      .add_option("--allow-origin", opt.allowed_origins,
                  "Web page that may connect too, such as https://app.example.")
      .value("ORIGIN");
  command
      .add_option("--dead-man", opt.dead_man_s,
                  "Slow down and hold if the controlling client is silent for this time, s. 0: "
                  "never.")
      .value("SECONDS")
      .range(0.0, 60.0)
      .with_default();
  command.add_flag("--no-open", opt.no_open, "Do not open the page in the browser.");
  command.add_option("--clients", opt.max_clients, "Largest number of connected clients.")
      .value("N")
      .range(1, 1000)
      .with_default();
}

void tune_live(const LiveOptions& opt, Console& io) {
  runtime::RunConfig config = run_config_of(opt.run, io);
  runtime::check_run_config(config);
  if (!may_move(opt.run, config, io)) return;
  const SessionFolder folder(config, io);
  const runtime::RunResult result = run_with_dashboard(opt, config, io);
  const PostRunAnalysis after = analyse_run(config, result, io);
  print_run(result, after, {}, io);
  io.exit_with(exit_code_for(opt.run, result, io));
}

}  // namespace kagami::tools
