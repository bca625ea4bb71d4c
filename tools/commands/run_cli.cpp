#include "tools/commands/run_cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "models/base/errors.hpp"
#include "runtime/threads/build_info.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kUsageHint =
    "'kagami --help' lists the commands, 'kagami COMMAND --help' its words";

void add_commands(CLI::App& app, Console& io) {
  app.description("Runs a KHR-1 and its mirror image together and says how far they are apart.");
  app.set_help_flag("-h,--help", "what each command does");
  app.set_version_flag(
      "--version", "kagami " + runtime::program_version() + " (" + runtime::compiler_text() + ")");
  app.require_subcommand(1);
  app.footer("Examples:\n  kagami replay walk_forward\n  kagami compare run.mcap");
  add_all_commands(app, io);
}

int usage_error(Console& io, const std::string& sentence) {
  io.error(sentence);
  io.say(kUsageHint);
  return static_cast<int>(ExitCode::kUsage);
}

/// Parses and runs; CLI11 calls the command's own function at the end of parsing.
int parse_and_run(CLI::App& app, std::span<const std::string> args, Console& io) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 pops from the back
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    io.print(app.help());
    return static_cast<int>(ExitCode::kOk);
  } catch (const CLI::CallForVersion& version) {
    io.print(std::string(version.what()) + "\n");
    return static_cast<int>(ExitCode::kOk);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_word(app, args);
    return usage_error(io, unknown.empty() ? error.what() : unknown);
  }
  return static_cast<int>(io.exit_code());
}

int failed(Console& io, ExitCode code, const std::exception& error) {
  io.error(error.what());
  return static_cast<int>(code);
}

/// The program without the check of its standard output.
int run_command(std::span<const std::string> args, Console& io) {
  CLI::App app("", "kagami");
  try {
    add_commands(app, io);
    if (args.empty()) {
      io.say(app.help());
      return usage_error(io, "no command given");
    }
    return parse_and_run(app, args, io);
  } catch (const ConfigError& error) {
    return failed(io, ExitCode::kUsage, error);
  } catch (const ModelError& error) {
    return failed(io, ExitCode::kUsage, error);
  } catch (const PortError& error) {
    return failed(io, ExitCode::kDevice, error);
  } catch (const LinkError& error) {
    return failed(io, ExitCode::kCommunication, error);
  } catch (const std::bad_alloc&) {
    io.error("out of memory");
    return static_cast<int>(ExitCode::kFailure);
  } catch (const std::exception& error) {  // RecordError while writing among them
    return failed(io, ExitCode::kFailure, error);
  }
}

}  // namespace

int run_cli(std::span<const std::string> args, Console& io) {
  const int code = run_command(args, io);
  if (io.results_are_written()) return code;
  io.error("the results cannot be written to standard output: it is closed or its disk is full");
  return code == static_cast<int>(ExitCode::kOk) ? static_cast<int>(ExitCode::kFailure) : code;
}

}  // namespace kagami::tools
