/// Shows an address in the user's browser without telling it to the machine's other users.
#pragma once

#include <string>

#include "tools/cli/console.hpp"

namespace kagami::tools {

/// The text of a page that leads to `url`; nothing of it is taken as markup.
std::string leading_page(const std::string& url);

/// Where standard output is a terminal and there is a desktop: a file that only the user can read
/// leads to `url` and is opened by xdg-open, because all users can read a command line. False
/// where that is not so or does not work. The file stays in $XDG_RUNTIME_DIR.
bool open_page(const Console& io, const std::string& url);

}  // namespace kagami::tools
