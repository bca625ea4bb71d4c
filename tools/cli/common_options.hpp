/// Options that all commands share, and suggestions for a misspelt name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds -q, -v and --no-color in the group "General", and the examples. Comes after the options of
/// the command.
void add_common_options(Command& command, Console& io, const std::string& example_1,
                        const std::string& example_2);
/// Adds --json.
void add_json_option(Command& command, Console& io);
/// Adds the argument RECORD, which `record_file` resolves.
void add_record_argument(Command& command, std::string& record);
/// "run.mcap", the folder of a session, or "latest": the newest session that has a record. Throws
/// ConfigError for a name that leads to no file.
std::string record_file(const std::string& name, const Console& io);

/// The candidate that takes the fewest edits to become, or "" when none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// What is wrong with a command or option that `app` does not know, with the nearest one; "" when
/// all of them are known.
std::string unknown_name(const Command& app, std::span<const std::string> args);

}  // namespace kagami::tools
