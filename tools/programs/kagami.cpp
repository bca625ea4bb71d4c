// kagami: the commands of the main job; it starts the others, which are programs of their own.
#include "tools/cli/run_cli.hpp"
#include "tools/commands/commands.hpp"

int main(int argc, char** argv) {
  return kagami::tools::run_process(argc, argv, kagami::tools::add_main_commands);
}
