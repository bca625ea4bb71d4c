// kagami-board: the command `kagami board --view`.
#include "tools/cli/run_cli.hpp"
#include "tools/commands/commands.hpp"

int main(int argc, char** argv) {
  return kagami::tools::run_process(argc, argv, kagami::tools::add_board_with_view, "board");
}
