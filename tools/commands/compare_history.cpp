#include "tools/commands/compare_history.hpp"

#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "tools/gap/health_records.hpp"
#include "tools/gap/health_report.hpp"

namespace kagami::tools {

void add_history_options(Command& command, HistoryOptions& opt) {
  const Option history =
      command
          .add_option("--history", opt.folder,
                      "In place of a record: a folder of sessions. Print how trim, backlash, "
                      "friction and gap of every joint change from run to run. With a record and "
                      "--html: the report shows it too.")
          .value("DIR");
  command
      .add_option("--csv", opt.csv,
                  "With --history: write the values of every run and joint to this file.")
      .value("FILE")
      .needs(history);
}

HealthHistory history_of(const HistoryOptions& opt, Console& io) {
  HealthHistory history =
      read_health(opt.folder, [&](double share) { io.progress(share, "analysing records"); });
  io.end_progress();
  if (history.runs.empty()) {
    std::string why;
    for (const LeftOut& record : history.left_out)
      why += "\n  " + record.record + ": " + record.why;
    throw ConfigError("'" + opt.folder + "' holds no record that can be used:" + why);
  }
  return history;
}

void print_history(const HistoryOptions& opt, Console& io) {
  const HealthHistory history = history_of(opt, io);
  if (!opt.csv.empty()) write_file_atomically(opt.csv, health_csv(history));
  if (io.json) {
    io.print_json(health_json(history));
  } else {
    io.print(health_text(history, io.out_width()));
  }
  if (!opt.csv.empty()) io.say("values: " + opt.csv);
}

}  // namespace kagami::tools
