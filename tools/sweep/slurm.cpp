#include "tools/sweep/slurm.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/cli/run_program.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kAnswer_s = 60.0;  // until Slurm has answered

std::string program_in(const std::string& path, const std::string& name) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / name;
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return fs::absolute(file).string();
  }
  return "";
}

ProgramOutput output_of(const std::string& program, const std::vector<std::string>& arguments) {
  constexpr int kAnyCore = -1;
  return run_program(program, arguments, kAnyCore, kAnswer_s);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  return lines;
}

}  // namespace

SlurmPrograms find_slurm(const std::string& path) {
  SlurmPrograms found{program_in(path, "sbatch"), program_in(path, "squeue"),
                      program_in(path, "sinfo"), program_in(path, "sacct")};
  for (const auto& [file, name] : {std::pair(&found.sbatch, "sbatch"), {&found.squeue, "squeue"}})
    if (file->empty())
      throw Error(
          std::string("--slurm: the program ") + name +
          " is not installed; on Debian it is in the package slurm-client (a whole cluster: "
          "slurm-wlm). Elsewhere, --shard I/N runs a part of the sweep");
  return found;
}

std::string slurm_script(const SlurmJob& job) {
  std::string name;
  for (const char c : job.name.substr(0, 50))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  std::string text = "#!/bin/sh\n";
  text += "#SBATCH --job-name=kagami-" + name + "\n";
  text += "#SBATCH --array=1-" + std::to_string(job.tasks) + "\n";
  text += "exec";
  for (const std::string& word : job.command) text += " " + quoted(word);
  text += " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(job.tasks) +
          "\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n";
  return text;
}

std::uint64_t slurm_cores(const SlurmPrograms& slurm) {
  if (slurm.sinfo.empty()) return 1;
  // "allocated/idle/other/total" of all nodes together
  const ProgramOutput answer = output_of(slurm.sinfo, {"--noheader", "--summarize", "--format=%C"});
  unsigned long long most = 1;
  for (const std::string& line : lines_of(answer.out)) {
    unsigned long long total = 0;
    if (std::sscanf(line.c_str(), "%*u/%*u/%*u/%llu", &total) == 1) most = std::max(most, total);
  }
  return most;
}

std::string submit(const SlurmPrograms& slurm, const SlurmJob& job) {
  std::error_code error;
  fs::create_directories(job.folder, error);
  if (error) throw RecordError(job.folder.string() + ": cannot be created: " + error.message());
  const fs::path script = job.folder / "job.sh";
  write_file_atomically(script, slurm_script(job));
  std::vector<std::string> arguments = {"--parsable",
                                        "--output=" + (job.folder / "%a.log").string()};
  for (const std::string& option : job.options)
    arguments.push_back(option.substr(0, 1) == "-" ? option : "--" + option);
  arguments.push_back(script.string());
  const ProgramOutput answer = output_of(slurm.sbatch, arguments);
  if (!answer.error.empty()) {
    const std::size_t error_at = answer.error.rfind("error: ");
    throw Error("sbatch: " +
                (error_at == std::string::npos ? answer.error : answer.error.substr(error_at + 7)));
  }
  // "17", or "17;cluster"
  const std::string number = answer.out.substr(0, answer.out.find_first_of(";\n"));
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos)
    throw Error("sbatch: printed '" + answer.out.substr(0, 80) + "', expected the number of a job");
  return number;
}

std::optional<std::uint64_t> tasks_left(const SlurmPrograms& slurm, const std::string& job) {
  const ProgramOutput answer =
      output_of(slurm.squeue, {"--noheader", "--array", "--jobs=" + job, "--format=%T"});
  // some minutes after its end, Slurm has forgotten a job
  if (answer.error.find("Invalid job id") != std::string::npos) return 0;
  if (!answer.error.empty()) return std::nullopt;
  const std::vector<std::string> states = lines_of(answer.out);
  return static_cast<std::uint64_t>(
      std::count_if(states.begin(), states.end(), [](const std::string& state) {
        return state.rfind("COMPLETED", 0) != 0 && state.rfind("FAILED", 0) != 0 &&
               state.rfind("CANCELLED", 0) != 0;
      }));
}

std::string task_end(const SlurmPrograms& slurm, const SlurmJob& job, const std::string& number,
                     std::uint64_t task) {
  std::string text = "task " + std::to_string(task);
  if (!slurm.sacct.empty()) {
    const ProgramOutput answer = output_of(
        slurm.sacct, {"--noheader", "--allocations", "--parsable2", "--format=State,ExitCode",
                      "--jobs=" + number + "_" + std::to_string(task)});
    const std::vector<std::string> lines = lines_of(answer.out);
    if (answer.error.empty() && !lines.empty()) text += " (" + lines.front() + ")";
  }
  std::ifstream log(job.folder / (std::to_string(task) + ".log"));
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  return text + ": " + (last.empty() ? "left no message" : last);
}

}  // namespace kagami::tools
