#include "tools/commands/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/app/assemble.hpp"
#include "tools/check/check_findings.hpp"
#include "tools/check/twin_check.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using runtime::RunConfig;

constexpr const char* kAnswered = "answered at the terminal";

MotionCheck checked(const RunConfig& config, const std::filesystem::path& motion, Console& io) {
  RunConfig of_this = config;
  of_this.motion_file = motion;
  TwinCheckOptions options;
  options.progress = [&](double share) {
    io.progress(share, "checking " + motion.stem().string() + " on the model");
  };
  MotionCheck check = check_on_twin(of_this, options);
  io.end_progress();
  for (const CheckFinding& finding : check.findings) {
    const std::string when = finding.at ? fmt::format(" at {:.2f} s", *finding.at) : "";
    io.warn(fmt::format("check of {}: {}, {}{}: {}", check.motion, name(finding.level),
                        finding.kind, when, finding.text));
  }
  return check;
}

// the worst of the run's motions; findings name their motion where there are several
Verdict check_motions_of(RunConfig& config, Console& io) {
  Verdict worst = Verdict::kGreen;
  std::string findings;
  std::vector<std::filesystem::path> motions = {config.motion_file};
  motions.insert(motions.end(), config.more_motions.begin(), config.more_motions.end());
  for (const std::filesystem::path& motion : motions) {
    const MotionCheck check = checked(config, motion, io);
    worst = std::max(worst, check.verdict());
    if (check.findings.empty()) continue;
    if (!findings.empty()) findings += "; ";
    if (motions.size() > 1) findings += check.motion + ": ";
    findings += findings_summary(check);
  }
  config.preflight = runtime::Preflight{name(worst), findings, ""};
  return worst;
}

bool covers(const std::string& accepted, Verdict verdict) {
  return verdict == Verdict::kGreen || accepted == "red" ||
         (accepted == "amber" && verdict == Verdict::kAmber);
}

bool is_agreed(const RunConfig& config, const std::string& question, Console& io) {
  io.say("This moves the robot at " + config.robot +
         ": from its present pose to the first pose of " + config.motion_file.stem().string() +
         ", then the motion at speed " + fixed(config.speed, 2) +
         (config.loop ? ", in a loop" : "") +
         ". Ctrl-C slows down and holds, a second one stops at once, a third one releases the "
         "servos.");
  return io.confirm(question);
}

}  // namespace

bool may_move(const ReplayOptions& opt, RunConfig& config, Console& io) {
  if (config.robot == "virtual") return true;
  (void)runtime::read_setup(config);  // its errors are not findings
  const Verdict verdict = check_motions_of(config, io);
  const std::string found = std::string("the check is ") + name(verdict) +
                            (config.preflight->findings.empty() ? "" : " (") +
                            config.preflight->findings +
                            (config.preflight->findings.empty() ? "" : ")");
  const bool is_covered = covers(opt.accept, verdict);
  if (verdict == Verdict::kRed && !is_covered) {
    io.error("the robot was not moved: " + found +
             "; expected another motion or settings, or --accept red after reading the findings");
    io.exit_with(ExitCode::kFinding);
    return false;
  }
  if (is_covered && verdict != Verdict::kGreen)
    config.preflight->accepted = "--accept " + opt.accept;
  if (is_covered && opt.yes) return true;
  const std::string question =
      is_covered ? "Move the robot?" : "The check is amber. Move the robot?";
  if (is_agreed(config, question, io)) {
    if (!is_covered) config.preflight->accepted = kAnswered;
    return true;
  }
  io.error("the robot was not moved: " +
           (is_covered ? std::string("--yes is required, or 'y' typed at a terminal")
                       : found + "; --accept amber and --yes are required, or 'y' typed at a "
                                 "terminal"));
  io.exit_with(ExitCode::kUsage);
  return false;
}

}  // namespace kagami::tools
