/// Manual pages in roff, for man(1).
#pragma once

#include <string>

#include "tools/cli/command_help.hpp"

namespace kagami::tools {

/// The name of the page: "kagami-replay" for "kagami replay".
std::string man_page_name(const CommandHelp& command);

/// The page of a command and of its subcommands, section 1. Its footer contains `version`. The
/// page of the program refers to the pages of the commands instead of repeating them.
std::string man_page(const CommandHelp& command, const std::string& version);

}  // namespace kagami::tools
