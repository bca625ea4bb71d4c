#include "tools/cli/run_cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "models/base/errors.hpp"
#include "runtime/threads/build_info.hpp"
#include "tools/cli/command_help.hpp"
#include "tools/cli/common_options.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kUsageHint =
    "'kagami help' lists the commands, 'kagami help COMMAND' the options of a command";

constexpr const char* kProgramText =
    "Run the humanoid robot KHR-1 and a simulation of it in parallel, and compare them.";

void describe_program(Command& program) {
  CLI::App& app = program.app();
  app.set_version_flag("--version", version_text());
  app.get_version_ptr()->description("Print the version and exit.")->group("General");
  program.require_command();
  program.set_examples("replay walk_forward", "compare run.mcap");
}

/// The command that the arguments name, as far as they were parsed.
Command parsed_command(CLI::App& app) {
  CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return Command(*command);
}

int usage_error(Console& io, const std::string& sentence) {
  io.error(sentence);
  io.say(kUsageHint);
  return static_cast<int>(ExitCode::kUsage);
}

/// Parses and runs; CLI11 calls the command's own function at the end of parsing.
int parse_and_run(const Command& program, std::span<const std::string> args, Console& io) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 pops from the back
  try {
    program.app().parse(reversed);
  } catch (const CLI::CallForHelp&) {
    io.print(help_text(command_help(parsed_command(program.app())), io.help_width()));
    return static_cast<int>(ExitCode::kOk);
  } catch (const CLI::CallForVersion& version) {
    io.print(std::string(version.what()) + "\n");
    return static_cast<int>(ExitCode::kOk);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_name(program, args);
    return usage_error(io, unknown.empty() ? error.what() : unknown);
  }
  return static_cast<int>(io.exit_code());
}

int failed(Console& io, ExitCode code, const std::exception& error) {
  io.error(error.what());
  return static_cast<int>(code);
}

/// The program without the check of its standard output.
int run_command(std::span<const std::string> args, Console& io, AddCommands* add_commands) {
  try {
    // destroyed before an error is reported: where memory ran out, its memory reports that
    Program program(kProgramText);
    Command& command = program.command();
    describe_program(command);
    add_commands(command, io);
    if (args.empty()) {
      io.say(help_text(command_help(command), io.help_width()));
      return usage_error(io, "no command given");
    }
    return parse_and_run(command, args, io);
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

int run_cli(std::span<const std::string> args, Console& io, AddCommands* add_commands) {
  const int code = run_command(args, io, add_commands);
  if (io.results_are_written()) return code;
  io.error("the results cannot be written to standard output: it is closed or its disk is full");
  return code == static_cast<int>(ExitCode::kOk) ? static_cast<int>(ExitCode::kFailure) : code;
}

std::string version_text() {
  return "kagami " + runtime::program_version() + " (" + runtime::compiler_text() + ")";
}

}  // namespace kagami::tools
