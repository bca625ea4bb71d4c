#include "tools/board/hosted_program.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "models/base/errors.hpp"
#include "tools/board/modem_state.hpp"

namespace kagami::tools {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPlace = "{port}";

std::string with_port(std::string word, const std::string& port) {
  for (std::size_t at = word.find(kPlace); at != std::string::npos;
       at = word.find(kPlace, at + port.size())) {
    word.replace(at, kPlace.size(), port);
  }
  return word;
}

bool is_variable(const std::string& entry, const std::string& name) {
  return entry.compare(0, name.size() + 1, name + "=") == 0;
}

// ours, with the terminal and the library in front of those that are preloaded already
std::vector<std::string> environment_of(const HostedProgramSettings& settings) {
  std::string preload = settings.preload.string();
  std::vector<std::string> entries;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (is_variable(text, kPortVariable) || is_variable(text, kModemVariable)) continue;
    if (!preload.empty() && is_variable(text, "LD_PRELOAD")) {
      preload += ":" + text.substr(std::strlen("LD_PRELOAD="));
      continue;
    }
    entries.push_back(text);
  }
  entries.push_back(std::string(kPortVariable) + "=" + settings.port);
  if (preload.empty()) return entries;
  entries.push_back("LD_PRELOAD=" + preload);
  entries.push_back(std::string(kModemVariable) + "=" + settings.modem_file);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

int exit_code_of(int status) {
  constexpr int kSignalled = 128;
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Signals as a program expects them at its start: what we ignore it does not.
class SpawnSettings {
 public:
  explicit SpawnSettings(bool output_to_errors) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
    if (output_to_errors) {
      ::posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    }
  }
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(pid_t& pid, std::vector<std::string> words, std::vector<std::string> environment) {
    return ::posix_spawnp(&pid, words[0].c_str(), &actions_, &attributes_, pointers(words).data(),
                          pointers(environment).data());
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

HostedProgram::HostedProgram(const HostedProgramSettings& settings) {
  std::vector<std::string> words;
  for (const std::string& word : settings.words) words.push_back(with_port(word, settings.port));
  SpawnSettings spawn(settings.output_to_errors);
  const int error = spawn.spawn(pid_, words, environment_of(settings));
  if (error != 0) {
    throw ConfigError("--exec: '" + words[0] + "' cannot be started: " + std::strerror(error));
  }
}

HostedProgram::~HostedProgram() {
  static_cast<void>(stop(milliseconds(0), [] {}));
}

std::optional<int> HostedProgram::poll() {
  if (code_) return code_;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) code_ = exit_code_of(status);
  if (ended < 0 && errno != EINTR) code_ = 127;  // its status went to another wait
  return code_;
}

int HostedProgram::stop(milliseconds patience, const std::function<void()>& meanwhile) {
  constexpr milliseconds kStep{5};
  constexpr milliseconds kTermination{2000};
  const auto has_ended_within = [&](milliseconds time) {
    for (milliseconds waited{0}; waited < time && !poll(); waited += kStep) {
      std::this_thread::sleep_for(kStep);
      meanwhile();
    }
    return poll().has_value();
  };
  if (has_ended_within(patience)) return *code_;
  ::kill(pid_, SIGTERM);
  if (has_ended_within(kTermination)) return *code_;
  ::kill(pid_, SIGKILL);
  while (!has_ended_within(kStep)) {
  }
  return *code_;
}

}  // namespace kagami::tools
