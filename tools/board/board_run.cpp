#include "tools/board/board_run.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "drivers/virtual/pty_server.hpp"
#include "models/base/errors.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/board/board_report.hpp"
#include "tools/board/board_watch.hpp"
#include "tools/board/hosted_program.hpp"
#include "tools/board/mirror_line.hpp"
#include "tools/board/modem_lines.hpp"
#include "tools/board/virtual_board.hpp"
#include "tools/cli/open_page.hpp"
#include "tools/cli/stop_signals.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr auto kPoll = std::chrono::milliseconds(5);
// Ctrl-C reaches a program of --exec as well: time for an end of its own
constexpr auto kProgramPatience = std::chrono::milliseconds(1000);
// a program may end with its last request on the line: longest frame, answer and their latencies
constexpr int kPollsAfterProgram = 20;

/// Joins its thread, whatever ends the scope.
class ServingThread {
 public:
  explicit ServingThread(const std::function<void(const std::atomic<bool>&)>& serve)
      : thread_([this, serve] { serve(end_); }) {}
  ~ServingThread() { stop(); }
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;
  void stop() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> end_{false};
  std::thread thread_;
};

/// The error of the board memory's file, from the serving thread to the one that prints.
class MemoryErrors {
 public:
  /// Empty = the file is complete.
  void note(std::string error) {
    const std::lock_guard lock(mutex_);
    if (error != newest_) is_new_ = true;
    newest_ = std::move(error);
  }
  /// What changed since the last call; empty = the file is complete again.
  std::optional<std::string> take() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_new_, false)) return std::nullopt;
    return newest_;
  }

 private:
  std::mutex mutex_;
  std::string newest_;
  bool is_new_ = false;
};

class BoardRun {
 public:
  BoardRun(const BoardOptions& opt, Console& io)
      : opt_(opt), io_(io), place_(find_board_place(opt, io)) {}

  void run(const MakeBoardView& make_view) {
    const StopSignals signals(stop_);
    // a port that cannot be had is reported before anything else is made
    if (!opt_.mirror.empty()) open_port();
    if (opt_.mirror.empty()) robot_.emplace(make_virtual_board(opt_, place_));
    if (opt_.is_watched()) make_watch(make_view);
    open_terminal();
    if (opt_.exec) modem_ = std::make_unique<ModemLines>(end_.pty);
    ServingThread serving(serve());
    greet();
    if (opt_.exec) start_program();
    wait_for_end();
    if (program_ != nullptr) end_program();
    serving.stop();
    finish();
  }

 private:
  void open_port();
  void make_watch(const MakeBoardView& make_view);
  void open_terminal();
  std::function<void(const std::atomic<bool>&)> serve();
  vr::LineListener listener();
  void greet();
  void start_program();
  void end_program();
  void look_after();
  void wait_for_end();
  bool has_ended();
  void warn_meanwhile();
  void finish();

  const BoardOptions& opt_;
  Console& io_;
  runtime::StopRequest stop_;
  runtime::SteadyClock clock_;
  BoardPlace place_;
  std::optional<vr::VirtualRobot> robot_;
  std::unique_ptr<MirrorPort> port_;
  std::optional<JointArray<double>> read_pose_;
  std::optional<runtime::RunSetup> setup_;
  std::unique_ptr<BoardView> view_;
  std::unique_ptr<BoardWatch> watch_;
  std::unique_ptr<vr::PtyServer> server_;
  std::unique_ptr<MirrorLine> mirror_;
  std::unique_ptr<ModemLines> modem_;
  std::unique_ptr<HostedProgram> program_;
  std::atomic<bool> dtr_was_high_{false};  // while requests came
  bool dtr_is_reported_ = false;
  MemoryErrors memory_errors_;
  BoardEnd end_;
};

void BoardRun::open_port() {
  port_ = std::make_unique<MirrorPort>(opt_.mirror, clock_);
  for (const std::string& note : port_->notes()) io_.say(note);
  read_pose_ = read_pose(*port_, clock_, wiring_of(place_.robot_folder));
  if (!read_pose_) {
    io_.warn(opt_.mirror +
             ": a board did not answer the reading of its positions; the model starts at home");
  }
}

void BoardRun::make_watch(const MakeBoardView& make_view) {
  setup_.emplace(make_board_setup(opt_, place_));
  runtime::RunHooks hooks;
  hooks.log = [this](std::string_view sentence) { io_.warn(std::string(sentence)); };
  if (opt_.view) {
    view_ = make_view(opt_, *setup_, io_);
    view_->hook_into(hooks);
  }
  BoardWatchSettings settings;
  settings.record = opt_.record;
  settings.replace_record = opt_.force;
  settings.source = "a program" + (opt_.pty.empty() ? "" : " on " + opt_.pty);
  if (robot_) settings.plant_text = plant_text(opt_, place_, *setup_);
  settings.start = read_pose_.value_or(place_.start.angle.value_or(JointArray<double>{}));
  settings.begins_at_once = opt_.view;
  if (robot_) settings.memory = vr::load_memory(setup_->robot.wiring, opt_.memory);
  watch_ = std::make_unique<BoardWatch>(settings, *setup_, clock_, std::move(hooks));
}

void BoardRun::open_terminal() {
  if (port_ != nullptr) {
    mirror_ = std::make_unique<MirrorLine>(*port_, clock_, opt_.pty);
    end_.pty = mirror_->path();
  } else {
    server_ = std::make_unique<vr::PtyServer>(*robot_, clock_, opt_.pty);
    end_.pty = server_->path();
  }
  end_.path = opt_.pty.empty() ? end_.pty : opt_.pty;
}

// everything here runs on the serving thread
vr::LineListener BoardRun::listener() {
  vr::LineListener watching;
  if (watch_ != nullptr) watching = watch_->listener(robot_ ? &*robot_ : nullptr);
  vr::LineListener all;
  all.bytes = [this, bytes = std::move(watching.bytes)](std::int64_t at_ns, bool from_host,
                                                        std::span<const std::uint8_t> some) {
    if (from_host && modem_ != nullptr && modem_->dtr_is_high()) dtr_was_high_ = true;
    if (bytes) bytes(at_ns, from_host, some);
  };
  all.turn = [this, turn = std::move(watching.turn)](std::int64_t now_ns) {
    if (robot_) {
      if (opt_.obey_dtr && modem_ != nullptr) {
        robot_->set_dtr(opt_.dtr_high || modem_->dtr_is_high());
      }
      if (!opt_.memory.empty()) memory_errors_.note(robot_->memory_error());
    }
    if (turn) turn(now_ns);
  };
  return all;
}

std::function<void(const std::atomic<bool>&)> BoardRun::serve() {
  if (mirror_ != nullptr) {
    mirror_->listen(listener());
    return [this](const std::atomic<bool>& end) { mirror_->serve(end); };
  }
  server_->listen(listener());
  return [this](const std::atomic<bool>& end) { server_->serve(end); };
}

void BoardRun::greet() {
  // with --exec standard output belongs to the program, under --json to the object at the end
  if (!io_.json && !opt_.exec) io_.print(end_.path + "\n");
  const std::string place = opt_.pty.empty() ? end_.pty : end_.path + " (" + end_.pty + ")";
  if (mirror_ != nullptr) {
    io_.say("the boards at " + opt_.mirror + " answer on " + place +
            "; every byte is passed on as it is");
  } else {
    io_.say("a virtual KHR-1 answers on " + place + ": two RCB-1 boards, IDs 0 and 1, 115200 8N1");
  }
  if (!opt_.exec) {
    io_.say("any program for the RCB-1 can open it, e.g. kagami replay bow --robot " + end_.path +
            " --unproven; Ctrl-C ends it");
    io_.say(
        "for a program that fails because the terminal has no DTR: kagami board --exec PROGRAM "
        "{port}");
  }
  if (view_ == nullptr) return;
  io_.say("view  " + view_->address());
  if (!opt_.no_open && !io_.json) static_cast<void>(open_page(io_, view_->address()));
}

void BoardRun::start_program() {
  HostedProgramSettings settings;
  settings.words = opt_.program;
  settings.port = end_.path;
  settings.preload = modem_preload_file(io_.program());
  settings.modem_file = modem_->file();
  settings.output_to_errors = io_.json;
  const bool is_loadable = !settings.preload.empty() &&
                           settings.preload.string().find_first_of(" :") == std::string::npos;
  if (!is_loadable) {
    io_.warn(
        "the library for modem lines was not found beside this program; a program that sets DTR "
        "may fail");
    settings.preload.clear();
  }
  program_ = std::make_unique<HostedProgram>(settings);
}

void BoardRun::end_program() {
  const bool is_signal = stop_.level() != runtime::StopLevel::kNone;
  end_.program_code = program_->stop(is_signal ? kProgramPatience : std::chrono::milliseconds(0),
                                     [this] { look_after(); });
  for (int k = 0; k < kPollsAfterProgram; ++k) {
    std::this_thread::sleep_for(kPoll);
    look_after();
  }
}

bool BoardRun::has_ended() {
  if (stop_.level() != runtime::StopLevel::kNone) {
    end_.text = "stopped by a signal";
    return true;
  }
  if (program_ != nullptr && program_->poll()) {
    end_.text = "the program has ended";
    return true;
  }
  if (mirror_ != nullptr && mirror_->is_gone()) {
    end_.port_gone = true;
    end_.text = opt_.mirror + ": hung up; the device or the other end was disconnected";
    return true;
  }
  return false;
}

void BoardRun::warn_meanwhile() {
  if (dtr_was_high_ && !dtr_is_reported_) {
    dtr_is_reported_ = true;
    io_.warn(
        std::string("the program sends requests with DTR high; real boards do not answer then") +
        (opt_.obey_dtr ? ", and neither do these (--obey-dtr)" : ""));
  }
  const std::optional<std::string> memory = memory_errors_.take();
  if (!memory) return;
  if (memory->empty()) {
    io_.say(opt_.memory + ": written again, complete");
  } else {
    io_.warn(*memory + "; the next attempt is at the next change, the last one at the end");
  }
}

void BoardRun::look_after() {
  if (watch_ != nullptr) watch_->poll();
  warn_meanwhile();
}

void BoardRun::wait_for_end() {
  const double until = io_.seconds() + opt_.seconds.value_or(1e18);
  end_.text = "the time is over";
  while (!has_ended() && io_.seconds() < until) {
    std::this_thread::sleep_for(kPoll);
    look_after();
  }
}

void BoardRun::finish() {
  if (robot_ && !opt_.memory.empty()) {
    robot_->save_memory();
    end_.memory_error = robot_->memory_error();
    if (end_.memory_error.empty()) memory_errors_.note({});
  }
  warn_meanwhile();
  if (watch_ != nullptr) end_.watch = watch_->finish(end_.text);
  if (view_ != nullptr) view_->say_goodbye(end_.text);
  if (modem_ != nullptr) end_.modem_requests = modem_->requests();
  end_.dtr_was_high = dtr_was_high_;
  if (robot_) {
    end_.base = robot_->plant_base();
    end_.robot = robot_->counters();
    end_.line = server_->counters();
  }
  if (end_.program_code) io_.exit_with(static_cast<ExitCode>(*end_.program_code));
  if (end_.port_gone) {
    io_.error(end_.text);
    io_.exit_with(ExitCode::kCommunication);
  }
  print_board_end(opt_, end_, io_);
}

}  // namespace

void run_board(const BoardOptions& opt, const MakeBoardView& make_view, Console& io) {
  BoardRun session(opt, io);
  session.run(make_view);
}

}  // namespace kagami::tools
