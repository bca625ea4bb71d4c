/// Words that all commands share, and help for a mistyped one.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Adds -q, -v, --no-color and the two examples that end the help. Each example is a command line
/// without the word "kagami".
void add_common_options(CLI::App& command, Console& io, const std::string& example_1,
                        const std::string& example_2);
/// Adds --json.
void add_json_word(CLI::App& command, Console& io);

/// The candidate that takes the fewest edits to become, or "" when none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

/// What is wrong with a command or option that `app` does not know, with the nearest one; "" when
/// all words are known.
std::string unknown_word(const CLI::App& app, std::span<const std::string> args);

}  // namespace kagami::tools
