// kagami help, version, completion: what the program offers, in print.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "runtime/threads/build_info.hpp"
#include "tools/cli/command_help.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/completion.hpp"
#include "tools/cli/man_page.hpp"
#include "tools/cli/run_cli.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

struct HelpOptions {
  std::vector<std::string> command;  // empty = the program
  bool man = false;
  std::string out;
};

std::string last_name(const CommandHelp& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

// the subprograms that are there describe themselves
CommandHelp program_help(const Command& app, const Console& io) {
  CommandHelp program = command_help(app);
  for (CommandHelp& command : program.commands) {
    if (!is_subprogram(last_name(command))) continue;
    const std::filesystem::path file = subprogram_file(io.program(), last_name(command));
    if (file.empty()) continue;
    if (std::optional<CommandHelp> help = subprogram_help(file)) command = std::move(*help);
  }
  return program;
}

std::string unknown_command(const CommandHelp& above, const std::string& name) {
  if (above.commands.empty()) {
    return "'" + last_name(above) + "' has no subcommand '" + name + "'";
  }
  std::vector<std::string> names;
  for (const CommandHelp& command : above.commands) names.push_back(last_name(command));
  const std::string nearest = nearest_name(name, names);
  return "unknown command '" + name + "'" +
         (nearest.empty() ? "" : ", did you mean '" + nearest + "'?");
}

const CommandHelp& find_command(const CommandHelp& program, const std::vector<std::string>& names) {
  const CommandHelp* command = &program;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(command->commands.begin(), command->commands.end(),
                     [&name](const CommandHelp& sub) { return last_name(sub) == name; });
    if (found == command->commands.end()) throw ConfigError(unknown_command(*command, name));
    command = &*found;
  }
  return *command;
}

// the program and each of its commands
void write_man_pages(const CommandHelp& program, const std::filesystem::path& folder, Console& io) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error("folder '" + folder.string() + "' cannot be created: " + failed.message());
  }
  std::vector<const CommandHelp*> pages = {&program};
  for (const CommandHelp& command : program.commands) pages.push_back(&command);
  for (const CommandHelp* page : pages) {
    const std::filesystem::path file = folder / (man_page_name(*page) + ".1");
    write_file_atomically(file, man_page(*page, runtime::program_version()));
    io.detail("wrote " + file.string());
  }
}

void print_help(const Command& app, const HelpOptions& opt, Console& io) {
  const CommandHelp program = program_help(app, io);
  if (!opt.out.empty()) return write_man_pages(program, opt.out, io);
  const CommandHelp& command = find_command(program, opt.command);
  io.print(opt.man ? man_page(command, runtime::program_version())
                   : help_text(command, io.help_width()));
}

void print_completion(const Command& app, const std::string& shell, Console& io) {
  const CommandHelp program = program_help(app, io);
  io.print(shell == "bash"  ? bash_completion(program)
           : shell == "zsh" ? zsh_completion(program)
                            : fish_completion(program));
}

}  // namespace

void add_help(Command& app, Console& io) {
  auto opt = std::make_shared<HelpOptions>();
  Command cmd = app.add_command("help", "Print the help of a command.");
  cmd.add_option("command", opt->command, "A command, followed by its subcommand if it has any.");
  Option man = cmd.add_flag("--man", opt->man, "Print the manual page in roff format.");
  cmd.add_option("--out", opt->out, "With --man: write the pages of all commands to this folder.")
      .value("DIR")
      .needs(man);
  add_common_options(cmd, io, "help motion list", "help --man replay | man -l -");
  cmd.on_run([&app, opt, &io] { print_help(app, *opt, io); });
}

void add_version(Command& app, Console& io) {
  Command cmd = app.add_command("version", "Print the version.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "version", "version --json");
  cmd.on_run([&io] {
    if (!io.json) return io.print(version_text() + "\n");
    io.print_json({{"schema", "kagami.version/1"},
                   {"version", runtime::program_version()},
                   {"compiler", runtime::compiler_text()}});
  });
}

void add_completion(Command& app, Console& io) {
  auto shell = std::make_shared<std::string>();
  Command cmd = app.add_command("completion", "Print the completion script of a shell.");
  cmd.add_option("shell", *shell, "The shell: bash, zsh or fish.")
      .one_of({"bash", "zsh", "fish"})
      .required();
  add_common_options(cmd, io, "completion bash > ~/.local/share/bash-completion/completions/kagami",
                     "completion fish > ~/.config/fish/completions/kagami.fish");
  cmd.on_run([&app, shell, &io] { print_completion(app, *shell, io); });
}

}  // namespace kagami::tools
