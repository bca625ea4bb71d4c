// kagami tune: gains turned, tried, tested and found, with the figures of before and after.
#include <memory>

#include "models/base/errors.hpp"
#include "tools/cli/words.hpp"
#include "tools/commands/commands.hpp"
#include "tools/tune/tune_words.hpp"

namespace kagami::tools {

void add_tune(CLI::App& app, Console& io) {
  auto words = std::make_shared<TuneWords>();
  CLI::App* cmd = app.add_subcommand("tune", "Gains of a PID on the stand: try, test, find");
  add_tune_words(*cmd, *words);
  add_json_word(*cmd, io);
  add_common_words(*cmd, io, "tune --set left_knee/kp=4.2 --step left_knee 10deg --json",
                   "tune --autotune left_knee --track walk_forward --save my_knee");
  cmd->callback([words, &io] {
    if (!wants_tuning(*words)) {
      throw ConfigError(
          "tune: nothing to do; expected --set, --step, --ramp, --chirp, --relay, --try, "
          "--autotune or --track");
    }
    tune_without_page(*words, io);
  });
}

}  // namespace kagami::tools
