#include "tools/commands/commands.hpp"

namespace kagami::tools {

void add_all_commands(CLI::App&, Console&) {}

}  // namespace kagami::tools
