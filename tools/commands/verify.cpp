// kagami verify RECORD: do the recorded inputs give the recorded outputs, bit by bit?
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/hash.hpp"
#include "runtime/app/run.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

using runtime::VerifyResult;

std::string result_text(const std::string& record, const VerifyResult& result) {
  if (result.identical && !result.complete)
    return record + ": incomplete, " + std::to_string(result.rows) + " ticks identical\n";
  if (result.identical)
    return record + ": identical, " + std::to_string(result.rows) + " ticks, state hash " +
           hex_text(result.state_hash) + "\n";
  if (result.field.empty()) return record + ": not verified\n";
  if (result.missing > 0)
    return record + ": incomplete, " + std::to_string(result.rows - 1) + " ticks identical, then " +
           std::to_string(result.missing) + " samples are missing before tick " +
           std::to_string(result.tick) + "\n";
  if (result.tick < 0)
    return record + ": was changed: " + result.field + " recorded " + result.recorded +
           ", computed " + result.computed + "\n";
  return record + ": differs at tick " + std::to_string(result.tick) + " in " + result.field +
         ": recorded " + result.recorded + ", computed " + result.computed + "\n";
}

ExitCode exit_code_for(const VerifyResult& result) {
  if (result.missing > 0) return ExitCode::kFailure;
  if (!result.identical) return ExitCode::kDiverged;
  return result.complete ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

void add_verify(Command& app, Console& io) {
  auto record = std::make_shared<std::string>();
  Command cmd =
      app.add_command("verify", "Re-execute a record and report the first difference, if any.");
  add_record_argument(cmd, *record);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "verify run.mcap", "verify run.mcap --json");
  cmd.on_run([record, &io] {
    const std::string file = record_file(*record, io);
    const VerifyResult result = reading_a_record([&] { return runtime::verify_record(file); });
    if (io.json)
      io.print_json(verify_json(file, result));
    else
      io.print(result_text(file, result));
    if (!result.note.empty()) io.say(result.note);
    if (!result.complete) io.warn(file + ": incomplete: " + result.incomplete);
    io.exit_with(exit_code_for(result));
  });
}

}  // namespace kagami::tools
