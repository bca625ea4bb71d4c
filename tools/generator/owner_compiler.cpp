#include "tools/generator/owner_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/temporary_folder.hpp"
#include "models/base/text_file.hpp"
#include "models/hybrid/owner_code.hpp"

extern char** environ;

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
namespace hybrid = models::hybrid;

// runs the compiler without a shell; its output goes to `log`
bool run_compiler(const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<char*> argv;
  std::vector<std::string> copies = arguments;
  for (std::string& w : copies) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    write_file_atomically(log, arguments[0] + " cannot be started\n");
    return false;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// the library's bytes; throws ConfigError with the compiler's first output
std::string compile(const hybrid::OwnerSource& source, const std::string& compiler) {
  const TemporaryFolder work;
  hybrid::write_headers(work.path());
  const fs::path file = work.path() / "owner.cpp";
  const fs::path library = work.path() / "owner.so";
  const fs::path log = work.path() / "log";
  write_file_atomically(file, source.text);
  const bool fine = run_compiler(
      {compiler, "-std=gnu++20", "-O2", "-ffp-contract=off", "-fno-tree-slp-vectorize", "-fPIC",
       "-shared", "-I" + work.path().string(), file.string(), "-o", library.string()},
      log);
  if (!fine)
    throw ConfigError("the compiler '" + compiler + "' failed (--compiler or CXX names another): " +
                      read_text_file(log).substr(0, 400));
  return read_text_file(library);
}

void install(const fs::path& folder, const hybrid::OwnerSource& source, const std::string& bytes) {
  const fs::path library = hybrid::owner_library(folder, source.model);
  std::error_code error;
  fs::create_directories(library.parent_path(), error);
  if (error)
    throw ConfigError(library.parent_path().string() + ": cannot be created: " + error.message());
  write_file_atomically(library, bytes);
  write_file_atomically(hybrid::owner_note(folder, source.model),
                        hybrid::owner_note_text(source, bytes));
}

}  // namespace

fs::path make_owner_code(const fs::path& folder, const models::Model& model,
                         const std::string& compiler) {
  const hybrid::OwnerSource source = hybrid::owner_source(model);
  install(folder, source, compile(source, compiler));

  // what the next start will find
  std::string notice;
  if (hybrid::load_owner_code(folder, model, notice) == nullptr) throw ConfigError(notice);
  return hybrid::owner_library(folder, source.model);
}

}  // namespace kagami::tools
