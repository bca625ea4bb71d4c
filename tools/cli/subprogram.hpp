/// Commands that are programs of their own: `kagami bench` starts kagami-bench. What they link is
/// neither built nor installed for a user who never calls them.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/command_help.hpp"

namespace kagami::tools {

/// Their names in the order of the help.
inline constexpr std::array<const char*, 7> kSubprograms = {
    "run", "sweep", "tune", "identify", "dynamics", "experiment", "bench"};
bool is_subprogram(const std::string& command);
/// The subprogram that these arguments need, the command first: "run", or "board" for
/// `board --view`, which has the dashboard. Empty = none.
std::string needed_subprogram(const std::vector<std::string>& args);

/// Adds the command with its text and without options.
Command add_subprogram(Command& app, const std::string& command);

/// The program `kagami` to which the running one belongs: itself, or for a subprogram the one
/// beside it or in the prefix where it is installed.
std::filesystem::path main_program(const std::filesystem::path& running);

/// Its file: beside the program `kagami`, or where it is installed. Empty when there is none.
std::filesystem::path subprogram_file(const std::string& kagami, const std::string& command);

/// What to say when there is none.
std::string missing_subprogram(const std::string& command);

/// The argument on which a subprogram prints its help for `subprogram_help`.
inline constexpr const char* kDescribe = "--describe";
std::string described(const CommandHelp& command);
/// What the file says of its command; nothing when it cannot be started.
std::optional<CommandHelp> subprogram_help(const std::filesystem::path& file);

}  // namespace kagami::tools
