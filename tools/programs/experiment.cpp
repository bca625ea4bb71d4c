// kagami-experiment: the command `kagami experiment`.
#include "tools/cli/run_cli.hpp"
#include "tools/commands/commands.hpp"

int main(int argc, char** argv) {
  return kagami::tools::run_process(argc, argv, kagami::tools::add_experiment, "experiment");
}
