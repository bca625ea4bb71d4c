#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/cli/command_help.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/commands.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;

/// The program and the subprograms.
constexpr AddCommands* kPrograms[] = {add_main_commands, add_run,      add_sweep,      add_tune,
                                      add_identify,      add_dynamics, add_experiment, add_bench};

CommandHelp help_of_program(AddCommands* add) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console io(in, out, err, {});
  Program program;
  add(program.command(), io);
  return command_help(program.command());
}

void collect_below(const CommandHelp& command, std::vector<const CommandHelp*>& all) {
  for (const CommandHelp& sub : command.commands) {
    all.push_back(&sub);
    collect_below(sub, all);
  }
}

/// A command or subcommand, and what adds it.
struct Described {
  CommandHelp help;
  AddCommands* add;
};

std::vector<Described> all_commands() {
  std::vector<Described> all;
  for (AddCommands* add : kPrograms) {
    const CommandHelp program = help_of_program(add);
    std::vector<const CommandHelp*> commands;
    collect_below(program, commands);
    for (const CommandHelp* command : commands) {
      const bool is_elsewhere = add == add_main_commands && command->groups.empty();
      if (!is_elsewhere) all.push_back({*command, add});
    }
  }
  return all;
}

/// A run of `kagami` that finds the subprograms.
struct BuiltCase : CliCase {
  BuiltCase() { settings.program = KAGAMI_PROGRAM; }
};

/// "kagami motion list": {"motion", "list"}.
std::vector<std::string> arguments_of(const CommandHelp& command) {
  std::vector<std::string> names;
  std::istringstream in(command.name);
  for (std::string name; in >> name;) names.push_back(name);
  names.erase(names.begin());
  return names;
}

std::vector<OptionHelp> options_in(const CommandHelp& command) {
  std::vector<OptionHelp> all;
  for (const OptionGroup& group : command.groups) {
    all.insert(all.end(), group.options.begin(), group.options.end());
  }
  return all;
}

std::string help_of(const Described& described, const std::string& columns) {
  const CommandHelp& command = described.help;
  CliCase c;
  c.commands = described.add;
  c.environment["COLUMNS"] = columns;
  std::vector<std::string> args = arguments_of(command);
  args.push_back("--help");
  EXPECT_EQ(c.run(args), 0) << command.name;
  EXPECT_EQ(c.err, "") << command.name;
  return c.out;
}

// standard output of a command line
std::string output_of(const std::string& command_line) {
  std::string text;
  FILE* pipe = ::popen(command_line.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), n);
  }
  ::pclose(pipe);
  return text;
}

TEST(Help, EveryOptionOfEveryCommandIsDescribed) {
  ASSERT_GT(all_commands().size(), 25u);
  for (const Described& described : all_commands()) {
    const CommandHelp* command = &described.help;
    SCOPED_TRACE(command->name);
    EXPECT_FALSE(command->text.empty());
    EXPECT_EQ(command->text.back(), '.');
    EXPECT_EQ(command->examples.size(), 2u);
    const std::string text = help_of(described, "80");
    std::vector<OptionHelp> all = options_in(*command);
    all.insert(all.end(), command->arguments.begin(), command->arguments.end());
    for (const OptionHelp& option : all) {
      SCOPED_TRACE(option.names.front());
      EXPECT_FALSE(option.text.empty());
      EXPECT_EQ(option.text.back(), '.') << "a text of sentences: " << option.text;
      for (const std::string& name : option.names) {
        EXPECT_NE(text.find(name), std::string::npos) << text;
      }
    }
  }
}

TEST(Help, FitsNarrowAndWideTerminals) {
  for (const Described& command : all_commands()) {
    for (const std::size_t width : {std::size_t{40}, std::size_t{80}}) {
      std::istringstream lines(help_of(command, std::to_string(width)));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), width) << command.help.name << ": " << line;
      }
    }
  }
}

TEST(Help, OfACommandIsWhatItsHelpOptionPrints) {
  for (const Described& command : all_commands()) {
    SCOPED_TRACE(command.help.name);
    BuiltCase c;
    c.environment["COLUMNS"] = "80";
    std::vector<std::string> args = arguments_of(command.help);
    args.insert(args.begin(), "help");
    EXPECT_EQ(c.run(args), 0) << c.err;
    EXPECT_EQ(c.out, help_of(command, "80"));
  }
  CliCase program_help;
  EXPECT_EQ(program_help.run({"help"}), 0);
  CliCase option;
  EXPECT_EQ(option.run({"--help"}), 0);
  EXPECT_EQ(program_help.out, option.out);
}

TEST(Help, UnknownCommandNamesTheNearestOne) {
  CliCase c;
  EXPECT_EQ(c.run({"help", "repaly"}), 2);
  EXPECT_EQ(c.out, "");
  EXPECT_NE(c.err.find("unknown command 'repaly', did you mean 'replay'?"), std::string::npos)
      << c.err;
  EXPECT_EQ(c.run({"help", "motion", "shwo"}), 2);
  EXPECT_NE(c.err.find("did you mean 'show'?"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"help", "ports", "show"}), 2);
  EXPECT_NE(c.err.find("'ports' has no subcommand 'show'"), std::string::npos) << c.err;
}

TEST(Subprogram, ThatIsMissingIsNamedWithWhatBuildsIt) {
  const test::TempFolder folder;
  CliCase c;
  c.settings.program = folder.file("kagami");
  for (const char* command : kSubprograms) {
    EXPECT_EQ(c.run({command, "something", "--option"}), 1);
    EXPECT_NE(c.err.find(std::string("'./kagami ") + command + "' builds it"), std::string::npos)
        << c.err;
  }
  EXPECT_EQ(c.run({"help"}), 0);
  EXPECT_NE(c.out.find("Repeat published simulations"), std::string::npos) << c.out;
}

TEST(Subprogram, DescribesAllThatItsCommandAccepts) {
  for (std::size_t i = 0; i < kSubprograms.size(); ++i) {
    SCOPED_TRACE(kSubprograms[i]);
    const auto described = subprogram_help(subprogram_file(KAGAMI_PROGRAM, kSubprograms[i]));
    ASSERT_TRUE(described.has_value());
    EXPECT_EQ(*described, help_of_program(kPrograms[i + 1]).commands.at(0));
  }
}

TEST(Subprogram, BelongsToTheProgramOfItsPrefixOrFolder) {
  EXPECT_EQ(main_program("/usr/bin/kagami"), "/usr/bin/kagami");
  EXPECT_EQ(main_program("/usr/libexec/kagami/kagami-run"), "/usr/bin/kagami");
  EXPECT_EQ(main_program("/src/build/release/tools/kagami-run"), "/src/build/release/tools/kagami");
}

TEST(Subprogram, OfAnotherVersionIsListedWithItsNameOnly) {
  const test::TempFolder folder;
  CliCase c;
  c.settings.program = folder.file("kagami");
  for (const char* answer : {"echo no JSON", "echo '{}'", "exit 1", "kill -9 $$"}) {
    std::ofstream(folder.file("kagami-bench")) << "#!/bin/sh\n" << answer << "\n";
    std::filesystem::permissions(folder.file("kagami-bench"), std::filesystem::perms::owner_all);
    EXPECT_EQ(c.run({"completion", "bash"}), 0) << c.err;
    EXPECT_NE(c.out.find("'kagami bench'"), std::string::npos) << answer;
  }
}

TEST(Version, IsWhatTheVersionOptionPrints) {
  CliCase option;
  EXPECT_EQ(option.run({"--version"}), 0);
  CliCase command;
  EXPECT_EQ(command.run({"version"}), 0);
  EXPECT_EQ(command.out, option.out);
  EXPECT_EQ(command.run({"version", "--json"}), 0);
  EXPECT_EQ(command.json().at("schema"), "kagami.version/1");
  EXPECT_NE(option.out.find(command.json().at("version").get<std::string>()), std::string::npos);
}

TEST(ManPages, NameEveryOptionOfTheirCommands) {
  const test::TempFolder folder;
  BuiltCase c;
  ASSERT_EQ(c.run({"help", "--man", "--out", folder.file("man")}), 0) << c.err;
  EXPECT_TRUE(std::filesystem::exists(folder.file("man/kagami.1")));
  for (const Described& described : all_commands()) {
    const CommandHelp* command = &described.help;
    SCOPED_TRACE(command->name);
    const std::string file = folder.file("man/kagami-" + arguments_of(*command).front() + ".1");
    std::ifstream in(file);
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(page.find(command->name.substr(0, command->name.find(' '))), std::string::npos);
    for (const OptionHelp& option : options_in(*command)) {
      std::string name = option.names.back();
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) {
        name.replace(at, 1, "\\-");
      }
      EXPECT_NE(page.find("\\fB" + name + "\\fR"), std::string::npos) << name << " in " << file;
    }
  }
}

TEST(ManPages, OfOneCommandGoToStandardOutput) {
  CliCase c;
  EXPECT_EQ(c.run({"help", "--man", "replay"}), 0);
  EXPECT_EQ(c.out.rfind(".TH \"KAGAMI\\-REPLAY\" 1", 0), 0u) << c.out;
  EXPECT_EQ(c.run({"help", "--out", "man"}), 2) << "--out belongs to --man";
}

TEST(CompletionCommand, ScriptsNameEveryCommandAndOption) {
  BuiltCase bash;
  BuiltCase zsh;
  BuiltCase fish;
  ASSERT_EQ(bash.run({"completion", "bash"}), 0);
  ASSERT_EQ(zsh.run({"completion", "zsh"}), 0);
  ASSERT_EQ(fish.run({"completion", "fish"}), 0);
  for (const Described& described : all_commands()) {
    const CommandHelp* command = &described.help;
    SCOPED_TRACE(command->name);
    const std::string quoted = "'" + command->name + "')";
    const std::size_t bash_case = bash.out.find("    " + quoted);
    ASSERT_NE(bash_case, std::string::npos);
    const std::string bash_block =
        bash.out.substr(bash_case, bash.out.find(";;", bash_case) - bash_case);
    const std::size_t zsh_case = zsh.out.find("    (" + quoted);
    ASSERT_NE(zsh_case, std::string::npos);
    const std::string zsh_block = zsh.out.substr(zsh_case, zsh.out.find(";;", zsh_case) - zsh_case);
    for (const OptionHelp& option : options_in(*command)) {
      for (const std::string& name : option.names) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(bash_block.find(name + " ") != std::string::npos ||
                    bash_block.find(name + "'") != std::string::npos);
        EXPECT_NE(zsh_block.find("'" + name + ":"), std::string::npos);
        const bool is_long = name.rfind("--", 0) == 0;
        EXPECT_NE(fish.out.find((is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1) + " "),
                  std::string::npos);
      }
    }
  }
  EXPECT_EQ(bash.run({"completion", "tcsh"}), 2);
}

TEST(CompletionCommand, BashCompletesCommandsOptionsValuesAndFiles) {
  const test::TempFolder folder;
  CliCase c;
  ASSERT_EQ(c.run({"completion", "bash"}), 0);
  std::ofstream(folder.file("kagami.bash")) << c.out;
  std::ofstream(folder.file("gains.json")) << "{}";
  std::ofstream(folder.file("complete.sh")) << R"sh(source "$(dirname "$0")/kagami.bash"
cd "$(dirname "$0")"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_kagami
echo -n "${COMPREPLY[*]}"
)sh";
  const auto completed = [&](const std::string& arguments) {
    return output_of("bash '" + folder.file("complete.sh") + "' kagami " + arguments + " 2>&1");
  };
  EXPECT_EQ(completed("rep"), "replay");
  EXPECT_EQ(completed("motion ''"),
            "list show convert trim reverse mirror join blend retime graph diff record");
  EXPECT_EQ(completed("replay --no-r"), "--no-report");
  EXPECT_EQ(completed("replay --mode ''"), "keyframe ramp stream stored");
  EXPECT_EQ(completed("replay --mode = s"), "stream stored") << "--mode=s in the arguments of bash";
  EXPECT_EQ(completed("replay --gains ga"), "gains.json");
  EXPECT_EQ(completed("replay --speed ''"), "") << "a number";
  EXPECT_EQ(completed("help mot"), "motion");
  EXPECT_EQ(completed("completion z"), "zsh");
}

TEST(CompletionCommand, ShellsAcceptTheirScripts) {
  const test::TempFolder folder;
  bool is_any = false;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (output_of("command -v " + shell).empty()) continue;
    is_any = true;
    CliCase c;
    ASSERT_EQ(c.run({"completion", shell}), 0);
    std::ofstream(folder.file(shell)) << c.out;
    EXPECT_EQ(output_of(shell + " -n '" + folder.file(shell) + "' 2>&1 || echo failed"), "");
  }
  if (!is_any) GTEST_SKIP() << "no shell with completion is installed";
}

}  // namespace
}  // namespace kagami::tools
