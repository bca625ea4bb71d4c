#include "tools/commands/log_tests.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "models/base/angle.hpp"
#include "tools/analysis/run_record.hpp"
#include "tools/cli/table.hpp"
#include "tools/cli/words.hpp"
#include "tools/tune/joint_test_rows.hpp"

namespace kagami::tools {
namespace {

/// One test that a run made.
struct Made {
  JointSignal signal;
  JointTestRows rows;
};

/// Mean length of a cycle, s; empty: not two rows at two times.
std::optional<double> period_of(const RunRecord& record) {
  std::optional<runtime::CycleInput> first;
  runtime::CycleInput last;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    if (!first) first = row.in;
    last = row.in;
  });
  if (!first || last.tick <= first->tick || last.now_ns <= first->now_ns) return std::nullopt;
  return 1e-9 * static_cast<double>(last.now_ns - first->now_ns) /
         static_cast<double>(last.tick - first->tick);
}

std::vector<Made> tests_of(const RunRecord& record) {
  std::vector<Made> tests;
  const std::optional<double> period = period_of(record);
  if (!period) return tests;
  bool was_running = false;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    const bool runs = row.out.test == runtime::JointTestStage::kRunning;
    const JointSignal& signal = row.in.tuning.test;
    const bool is_there =
        signal.joint >= 0 && signal.joint < static_cast<int>(record.wiring().joints.size());
    if (runs && !was_running && is_there) {
      tests.push_back({signal, JointTestRows(record.wiring(), signal.joint, *period)});
    }
    if (runs && is_there && !tests.empty()) tests.back().rows.add(row);
    was_running = runs;
  });
  return tests;
}

std::string text_of(const std::vector<Made>& tests) {
  Table table({{"test", Align::kLeft},
               {"tick"},
               {"rise s"},
               {"over %"},
               {"settling s"},
               {"steady deg"},
               {"RMS deg"},
               {"lag s"},
               {"peak Hz"}});
  for (const Made& made : tests) {
    const JointTestResult result = made.rows.result(made.signal);
    const StepMetrics step = result.measured.step.value_or(StepMetrics{});
    table.add_row({std::string(name_of(made.signal.kind)) + " " + result.joint,
                   std::to_string(made.rows.tick_from()), fixed(step.rise, 3),
                   result.measured.step ? fixed(step.overshoot, 1) : "-", fixed(step.settling, 3),
                   fixed(to_deg(result.measured.steady_error), 2),
                   fixed(to_deg(result.measured.rms), 2), fixed(result.measured.lag, 3),
                   fixed(result.measured.error.peak_hz, 2)});
  }
  return table.text();
}

void log_tests(const std::string& file, Console& io) {
  const std::vector<Made> tests = tests_of(RunRecord(file));
  if (!io.json) return io.print(tests.empty() ? file + ": no joint was tested\n" : text_of(tests));
  nlohmann::json list = nlohmann::json::array();
  for (const Made& made : tests) list.push_back(made.rows.answer(made.signal));
  io.print_json({{"schema", "kagami.log_tests/1"}, {"record", file}, {"tests", std::move(list)}});
}

}  // namespace

void add_log_tests(CLI::App& log, Console& io) {
  auto file = std::make_shared<std::string>();
  CLI::App* cmd = log.add_subcommand("tests", "The tests of single joints that a run made");
  cmd->add_option("record", *file, "an .mcap file")->required()->check(CLI::ExistingFile);
  add_json_word(*cmd, io);
  add_common_words(*cmd, io, "log tests run.mcap", "log tests run.mcap --json");
  cmd->callback([file, &io] { log_tests(*file, io); });
}

}  // namespace kagami::tools
