/// One run of the program in process, with streams and environment of the test's own.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"
#include "tools/cli/run_cli.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::test {

struct CliCase {
  tools::AddCommands* commands = tools::add_main_commands;
  std::map<std::string, std::string> environment;
  std::string input;
  tools::ConsoleSettings settings;

  int code = -1;
  std::string out;
  std::string err;

  /// Runs `kagami args...` and keeps its output.
  int run(const std::vector<std::string>& args) {
    std::istringstream in(input);
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    settings.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    tools::Console io(in, out_stream, err_stream, settings);
    code = tools::run_cli(args, io, commands);
    out = out_stream.str();
    err = err_stream.str();
    return code;
  }

  /// Standard output as the one JSON object it must be.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// A run of the subprogram whose command `kAdd` adds.
template <tools::AddCommands* kAdd>
struct CommandCase : CliCase {
  CommandCase() { commands = kAdd; }
};

}  // namespace kagami::test
