#include "tools/commands/log_tests.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/run_record.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/tune/joint_test_rows.hpp"
#include "tools/tune/test_table.hpp"

namespace kagami::tools {
namespace {

/// One test that a run made.
struct Made {
  JointSignal signal;
  JointTestRows rows;
  std::string joint;
  std::string broken = {};  ///< why it was aborted; empty: it was not
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
  const std::vector<std::string> names = record.joint_names();
  bool was_running = false;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    const JointSignal& signal = row.in.tuning.test;
    const bool is_there = signal.joint >= 0 && signal.joint < static_cast<int>(names.size());
    const bool runs = is_there && row.out.test == runtime::JointTestStage::kRunning;
    if (runs && !was_running) {
      tests.push_back({signal, JointTestRows(record.wiring(), signal.joint, *period),
                       names[static_cast<std::size_t>(signal.joint)]});
    }
    if (runs) tests.back().rows.add(row);
    for (int k = 0; k < row.out.num_events && !tests.empty(); ++k) {
      const runtime::Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (event.code != runtime::EventCode::kJointTestBroken) continue;
      tests.back().broken = event_sentence(event, names);
    }
    was_running = runs;
  });
  return tests;
}

std::string text_of(const std::vector<Made>& tests) {
  Table table(with_metric_columns({{"test", Align::kLeft}, {"tick"}}));
  std::string broken;
  for (const Made& made : tests) {
    const std::string name = std::string(name_of(made.signal.kind)) + " " + made.joint;
    const std::string tick = std::to_string(made.rows.tick_from());
    if (made.broken.empty()) {
      table.add_row(with_metrics({name, tick}, made.rows.result(made.signal).metrics));
    } else {
      broken += name + " at tick " + tick + ": " + made.broken + "\n";
    }
  }
  return table.text() + broken;
}

// an aborted one has no metrics
nlohmann::json json_of(const Made& made) {
  if (made.broken.empty()) return made.rows.answer(made.signal);
  return {{"kind", name_of(made.signal.kind)},
          {"joint", made.joint},
          {"tick_from", made.rows.tick_from()},
          {"broken", made.broken}};
}

void log_tests(const std::string& file, Console& io) {
  const std::vector<Made> tests = tests_of(RunRecord(file));
  if (!io.json) return io.print(tests.empty() ? file + ": no joint was tested\n" : text_of(tests));
  nlohmann::json list = nlohmann::json::array();
  for (const Made& made : tests) list.push_back(json_of(made));
  io.print_json({{"schema", "kagami.log_tests/1"}, {"record", file}, {"tests", std::move(list)}});
}

}  // namespace

void add_log_tests(Command& log, Console& io) {
  auto file = std::make_shared<std::string>();
  Command cmd = log.add_command("tests", "Print the metrics of the joint tests of a run.");
  add_record_argument(cmd, *file);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log tests run.mcap", "log tests run.mcap --json");
  cmd.on_run([file, &io] { log_tests(record_file(*file, io), io); });
}

}  // namespace kagami::tools
