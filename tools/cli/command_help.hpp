/// What a command accepts, read from its description: the one source of the help, the manual pages
/// and the shell completion.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace kagami::tools {

/// An option or an argument.
struct OptionHelp {
  std::vector<std::string> names;  ///< "-q", "--quiet"; of an argument its name alone: "MOTION"
  /// Placeholder of the value; empty for a flag and for an argument. Alternatives are separated by
  /// '|'. One in lower case is a fixed value, FILE and PORT are file names, DIR is a folder.
  std::string value;
  std::string text;  ///< sentences, with the range and the default
  bool required = false;
  std::vector<std::string> choices;  ///< the fixed values
  bool takes_file = false;
  bool takes_folder = false;
  bool operator==(const OptionHelp&) const = default;
};

struct OptionGroup {
  std::string name;
  std::vector<OptionHelp> options;
  bool operator==(const OptionGroup&) const = default;
};

struct CommandHelp {
  std::string name;                   ///< with the program: "kagami motion list"
  std::string text;                   ///< sentences
  std::vector<OptionHelp> arguments;  ///< in their order
  std::vector<OptionGroup> groups;    ///< in the order of the help
  std::vector<std::string> examples;  ///< command lines
  std::vector<CommandHelp> commands;  ///< subcommands
  bool operator==(const CommandHelp&) const = default;
};

/// Reads the command and its subcommands.
CommandHelp command_help(const Command& app);

/// "kagami replay [OPTIONS] MOTION".
std::string usage_line(const CommandHelp& command);
/// The first sentence without its full stop.
std::string first_sentence(const std::string& text);

/// The text of `--help`. No line is longer than `width` (at least kMinHelpWidth) columns, if its
/// longest word fits.
std::string help_text(const CommandHelp& command, int width);
inline constexpr int kMinHelpWidth = 30;

}  // namespace kagami::tools
