// Long: the program on the machine's clock against virtual boards in a process of their own, with
// random stops of both processes, spoiled answers and Ctrl-C; judged from the record as in
// runtime/app/test/line_stress_test.cpp. `./kagami test --long`; KAGAMI_STRESS_REAL_RUNS sets how
// many runs, 100 by default, KAGAMI_STRESS_SEED the first seed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "control/safety/safety_gate.hpp"
#include "models/base/text_file.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/test/support/line_audit.hpp"
#include "runtime/test/support/line_disturbances.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using runtime::RunEnd;
using runtime::Stalled;
using test::LineDisturbances;

constexpr double kLengthS = 3.4;  // bow with its lead-in
constexpr std::int64_t kPollNs = 2'000'000;
constexpr std::int64_t kLastNs = 30'000'000'000;  // a run that lasts longer hangs

unsigned number(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// `kagami args...` as a process of its own; its standard output goes to a file. The caller has no
/// threads.
class Program {
 public:
  Program(const std::vector<std::string>& args, const std::string& out_file) {
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ != 0) return;
    test::CliCase cli;
    const int code = cli.run(args);
    std::ofstream(out_file) << cli.out;
    std::ofstream(out_file + ".err") << cli.err;
    _exit(code);
  }
  ~Program() {
    if (pid_ <= 0 || code_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const {
    if (pid_ > 0 && !code_) kill(pid_, signal);
  }
  /// Exit code, or the negative signal that ended it; nothing while it runs.
  std::optional<int> code() {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return code_;
  }

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
};

/// A signal for one of the two, at a time of the run.
struct Act {
  std::int64_t at_ns = 0;
  bool to_boards = false;
  int signal = 0;
};

std::vector<Act> acts_of(const LineDisturbances& d) {
  std::vector<Act> acts;
  for (const test::DrawnStall& stall : d.stalls) {
    if (stall.what == Stalled::kSleeper) continue;
    const bool to_boards = stall.what == Stalled::kTasks;
    acts.push_back({stall.from_ns, to_boards, SIGSTOP});
    acts.push_back({stall.until_ns, to_boards, SIGCONT});
  }
  for (const std::int64_t press : d.presses_ns) acts.push_back({press, false, SIGINT});
  std::stable_sort(acts.begin(), acts.end(),
                   [](const Act& a, const Act& b) { return a.at_ns < b.at_ns; });
  return acts;
}

struct Played {
  int code = 0;
  std::int64_t pressed_ns = -1;  ///< CLOCK_MONOTONIC, when the first Ctrl-C could reach the run
};

void wait_for_file(const std::filesystem::path& path, runtime::SteadyClock& clock) {
  while (!std::filesystem::exists(path) && clock.now_ns() < kLastNs) {
    clock.sleep_until(clock.now_ns() + kPollNs);
  }
}

Played play(const LineDisturbances& d, const std::string& folder) {
  runtime::SteadyClock clock;
  std::vector<std::string> board{"board", "--pty", folder + "/robot", "--board", d.board};
  for (const std::string& fault : d.faults) board.insert(board.end(), {"--fault", fault});
  Program boards(board, folder + "/boards.txt");
  wait_for_file(folder + "/robot", clock);
  Program run(
      {"replay", "bow", "--robot", folder + "/robot", "--unproven", "--yes", "--on", "stand",
       "--mode", "stream", "--no-report", "--json", "-q", "--speed", std::to_string(d.speed),
       "--on-stop", d.on_stop == runtime::OnStop::kRelease ? "release" : "hold", "--out",
       folder + "/session"},
      folder + "/run.json");
  wait_for_file(folder + "/session/run.mcap", clock);
  const std::int64_t begin_ns = clock.now_ns();
  Played played;
  for (const Act& act : acts_of(d)) {
    clock.sleep_until(begin_ns + act.at_ns);
    if (act.signal == SIGINT && played.pressed_ns < 0) {
      played.pressed_ns = clock.now_ns() + clock.epoch_ns();
    }
    if (run.code()) break;
    (act.to_boards ? boards : run).send(act.signal);
  }
  run.send(SIGCONT);
  boards.send(SIGCONT);
  while (!run.code() && clock.now_ns() < kLastNs) clock.sleep_until(clock.now_ns() + kPollNs);
  played.code = run.code().value_or(-1);
  return played;
}

/// The answer that the record keeps; nothing: the run did not come to its end.
std::optional<nlohmann::json> recorded_answer(const std::string& folder) {
  const std::string file = folder + "/session/run.mcap";
  if (!std::filesystem::exists(file)) return std::nullopt;
  const runtime::McapReader record(file);
  const auto text = record.attachment("result.json");
  if (!text) return std::nullopt;
  return nlohmann::json::parse(text->text());
}

std::string text_if_there(const std::string& file) {
  return std::filesystem::exists(file) ? read_text_file(file) : "";
}

/// What the program answered, as far as the audit needs it.
runtime::RunResult result_of(const std::string& folder, const nlohmann::json& answer) {
  runtime::RunResult r;
  r.record = folder + "/session/run.mcap";
  r.line.longest_command_gap_s = answer["line"]["longest_command_gap_ms"].get<double>() * 1e-3;
  const std::string end = answer["end"].get<std::string>();
  r.end = end == "interrupted"   ? RunEnd::kInterrupted
          : end == "link lost"   ? RunEnd::kLinkLost
          : end == "safety stop" ? RunEnd::kSafetyStop
                                 : RunEnd::kCompleted;
  r.end_text = answer["end_text"].is_string() ? answer["end_text"].get<std::string>() : "";
  if (answer["stop_confirmed"].is_boolean())
    r.stop_confirmed = answer["stop_confirmed"].get<bool>();
  return r;
}

bool fits(const std::string& outcome, int code) {
  if (outcome == "completed") return code == 0;
  if (outcome == "completed_with_faults") return code == 8;
  if (outcome == "stopped") return code == 130;
  return outcome == "fault" && (code == 4 || code == 5);
}

std::int64_t epoch_of(const std::filesystem::path& record) {
  const runtime::McapReader reader(record.string());
  for (const auto& index : reader.metadata()) {
    const runtime::StringMap values = reader.metadata(index);
    const auto found = values.find("clock_epoch_monotonic_ns");
    if (found != values.end()) return std::stoll(found->second);
  }
  return 0;
}

TEST(LineStressReal, CommandsAndStopsGetThroughWhateverIsLate) {
  const unsigned runs = number("KAGAMI_STRESS_REAL_RUNS", 100);
  const unsigned first = number("KAGAMI_STRESS_SEED", 1);
  const test::TempFolder root;
  const runtime::RunSetup setup = runtime::read_setup(test::shipped_run("bow", root.path()));
  const JointArray<double> rates =
      control::safety_limits(setup.robot.wiring, setup.robot.servos).rate_max;
  int no_contact = 0;
  double longest_gap_s = 0.0;
  for (unsigned seed = first; seed < first + runs; ++seed) {
    const LineDisturbances d = test::draw_disturbances(seed, kLengthS);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + d.text());
    const std::string folder = root.file(std::to_string(seed));
    std::filesystem::create_directories(folder);
    const Played played = play(d, folder);
    const std::optional<nlohmann::json> answer = recorded_answer(folder);
    if (!answer) {  // ended at first contact
      ++no_contact;
      EXPECT_TRUE(played.code == 4 || played.code == 130 || played.code == -SIGINT)
          << played.code << " " << text_if_there(folder + "/run.json.err");
      continue;
    }
    // a late press ends the program while it prints what the record has already
    EXPECT_TRUE(played.code == -SIGINT ||
                fits((*answer)["outcome"].get<std::string>(), played.code))
        << (*answer)["outcome"] << " " << played.code;
    const test::AuditedRun run(result_of(folder, *answer), setup.robot.wiring, rates);
    test::AuditLimits limits{.slack_ns = d.board == "fast" ? 60'000'000 : 140'000'000,
                             .may_race = true,
                             .stalled_ns = d.stalled_ns()};
    constexpr std::int64_t kUnderWayNs = 100'000'000;  // a request sent before
    if (played.pressed_ns >= 0) {
      limits.stopped_at_ns =
          played.pressed_ns + kUnderWayNs + d.stalled_ns() - epoch_of(run.result.record);
    }
    for (const std::string& finding : test::audit(run, limits)) ADD_FAILURE() << finding;
    longest_gap_s = std::max(longest_gap_s, run.result.line.longest_command_gap_s);
    std::filesystem::remove_all(folder);
  }
  std::printf("seeds %u..%u: %d without contact, longest command gap %.0f ms\n", first,
              first + runs - 1, no_contact, longest_gap_s * 1e3);
}

}  // namespace
}  // namespace kagami::tools
