// kagami robot backup|restore: the whole memory of the boards, to a file and back.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/utc_text.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/backup_file.hpp"
#include "tools/robot/failure_text.hpp"
#include "tools/robot/restore.hpp"
#include "tools/robot/stored_motions.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct BackupOptions {
  BoardsChoice boards;
  std::string file;
  std::string present;  // restore: where what is there now goes
  bool home = false;
  bool force = false;
};

MemoryProgress progress_of(Console& io) {
  return [&io](double share, const std::string& what) { io.progress(share, what); };
}

std::string robot_of(const BackupOptions& opt, const Console& io) {
  return robot_name(robot_folder_of(opt.boards, io));
}

nlohmann::json contents_json(const MemoryImage& image) {
  nlohmann::json boards = nlohmann::json::array();
  for (const BoardImage& board : image.boards) {
    boards.push_back({{"id", board.memory.id},
                      {"motions", in_use(board.memory.motions)},
                      {"scenarios", in_use(board.memory.scenarios)},
                      {"keys_answered", board.keys_answered}});
  }
  return boards;
}

std::string contents_text(const MemoryImage& image) {
  Table table({{"board"}, {"motions"}, {"scenarios"}, {"keys answered"}});
  for (const BoardImage& board : image.boards) {
    table.add_row({std::to_string(board.memory.id), std::to_string(in_use(board.memory.motions)),
                   std::to_string(in_use(board.memory.scenarios)),
                   std::to_string(board.keys_answered)});
  }
  return table.text();
}

void warn_of_missing_parts(const MemoryImage& image, Console& io) {
  for (const BoardImage& board : image.boards) {
    const std::string name = "board " + std::to_string(board.memory.id);
    if (!board.has_scenarios) {
      io.warn(name + " does not answer for its scenarios: they are not in the file");
    }
    if (board.keys_answered < kReadableKeys) {
      io.warn(name + " answers for " + std::to_string(board.keys_answered) + " of " +
              std::to_string(kReadableKeys) + " keys: the others are not in the file");
    }
  }
}

void run_backup(const BackupOptions& opt, Console& io) {
  require_new_file(opt.file, opt.force);
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  const MemoryImage image =
      with_failure_text([&] { return read_memory_image(*session, progress_of(io)); },
                        [&] { return "; '" + opt.file + "' was not written"; });
  io.end_progress();
  const std::string text = backup_text({utc_now_text(), robot_of(opt, io), image});
  // what a restore would read, against what the boards hold
  const Backup written = parse_backup(text, opt.file, session->wiring());
  const std::vector<std::string> differences =
      memory_differences(*session, written.image, image, true);
  if (!differences.empty()) {
    throw RecordError("'" + opt.file + "' would read back differently, it was not written: " +
                      list_text(differences));
  }
  write_file_atomically(opt.file, text);
  warn_of_missing_parts(image, io);
  if (io.json) {
    return io.print_json({{"schema", "kagami.robot_backup/1"},
                          {"file", opt.file},
                          {"boards", contents_json(image)}});
  }
  io.print(contents_text(image));
  io.say(opt.file +
         " holds the memory of the boards; every value was read until two answers "
         "agreed");
}

// restore

struct RestoreReport {
  RestoreResult result;
  std::vector<std::string> differences;  // after it, but for home
  std::vector<std::string> home;         // that still differ
  std::vector<std::string> notes;
};

nlohmann::json restore_json(const BackupOptions& opt, const RestoreReport& report) {
  const RestoreResult& r = report.result;
  return {{"schema", "kagami.robot_restore/1"},
          {"file", opt.file},
          {"written", r.written},
          {"cut_off", r.cut_off ? nlohmann::json(*r.cut_off) : nlohmann::json(nullptr)},
          {"untouched", r.untouched},
          {"failure", r.failure.empty() ? nlohmann::json(nullptr) : nlohmann::json(r.failure)},
          {"differences", report.differences},
          {"home_differences", report.home},
          {"notes", report.notes}};
}

std::string list_or_none(const std::vector<std::string>& items) {
  return items.empty() ? "nothing" : list_text(items);
}

void print_restore(const BackupOptions& opt, const RestoreReport& report, Console& io) {
  const RestoreResult& r = report.result;
  if (io.json) {
    io.print_json(restore_json(opt, report));
  } else {
    io.print("written and read back: " + list_or_none(r.written) + "\n");
  }
  if (!r.failure.empty()) {
    io.error(r.failure);
    if (r.cut_off) io.say("cut off in " + *r.cut_off);
    io.say("not written: " + list_or_none(r.untouched));
    io.say("the same command again writes what is missing");
  }
  for (const std::string& difference : report.differences) io.error("differs: " + difference);
  for (const std::string& difference : report.home) io.warn("differs: " + difference);
  if (!report.home.empty()) {
    io.say(
        "a board stores as home only the pose in which it is: --home moves the robot to the "
        "home of the file and stores it");
  }
}

/// Some board gets the sleep bit, or loses it.
std::string sleep_text(const RestorePlan& plan) {
  bool is_set = false;
  bool is_cleared = false;
  for (std::size_t b = 0; b < plan.wanted.boards.size(); ++b) {
    const bool was_asleep = (plan.present.boards[b].switches & rcb1::kSwitchSleep) != 0;
    const bool is_asleep = (plan.wanted.boards[b].switches & rcb1::kSwitchSleep) != 0;
    is_set |= is_asleep;
    is_cleared |= was_asleep && !is_asleep;
  }
  return std::string(is_set ? "; the sleep bit is set, the robot goes limp" : "") +
         (is_cleared ? "; the sleep bit is cleared, the servos drive again, with the next pose at "
                       "the latest"
                     : "");
}

std::string plan_text(const RestorePlan& plan) {
  std::vector<std::string> names;
  std::string consequences;
  for (const RestoreItem& item : plan.items) {
    names.push_back(item.name);
    if (item.kind == RestoreKind::kTrim) {
      consequences += "; joints that are not free move at once by the change of their trim";
    } else if (item.kind == RestoreKind::kHome) {
      consequences += "; all servos move slowly to the home of the file, which is then stored";
    } else if (item.kind == RestoreKind::kSwitches) {
      consequences += sleep_text(plan);
    }
  }
  return "written and replaced in the boards: " + list_text(names) + consequences;
}

void set_restore_code(const RestoreReport& report, Console& io) {
  if (report.result.is_interrupted) return io.exit_with(ExitCode::kInterrupted);
  if (report.result.port_is_gone) return io.exit_with(ExitCode::kDevice);
  if (!report.result.failure.empty()) return io.exit_with(ExitCode::kCommunication);
  if (!report.differences.empty()) return io.exit_with(ExitCode::kCommunication);
  if (!report.home.empty()) io.exit_with(ExitCode::kFinding);
}

/// Ctrl-C ends it after the item that was begun.
RestoreResult write_items(BoardSession& session, const RestorePlan& plan, Console& io) {
  const NotedSignals signals;
  RestoreResult result =
      run_restore(session, plan, progress_of(io), [&] { return signals.is_stopped(); });
  io.end_progress();
  if (signals.is_stopped() && result.failure.empty()) {
    result.failure = session.name() + ": interrupted before the memory was read back as a whole";
    result.is_interrupted = true;
  }
  return result;
}

void write_and_verify(BoardSession& session, const RestorePlan& plan, RestoreReport& report,
                      Console& io) {
  report.result = write_items(session, plan, io);
  if (!report.result.failure.empty()) return;
  try {
    const MemoryImage after = read_memory_image(session, progress_of(io));
    io.end_progress();
    report.differences = memory_differences(session, after, plan.wanted, false);
    report.home = home_differences(session, after, plan.wanted);
  } catch (const PortError& error) {
    report.result.failure = error.what();
    report.result.port_is_gone = true;
  } catch (const LinkError& error) {
    report.result.failure = error.what();
  }
}

void run_restore_command(const BackupOptions& opt, Console& io) {
  const auto session_wiring = wiring_of(robot_folder_of(opt.boards, io));
  const Backup backup = read_backup(opt.file, session_wiring);  // before anything is opened
  if (!opt.present.empty()) require_new_file(opt.present, opt.force);
  if (backup.robot != robot_of(opt, io)) {
    io.warn("'" + opt.file + "' is of the robot '" + backup.robot + "'");
  }
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  io.say("reading what the boards hold");
  const MemoryImage present = read_memory_image(*session, progress_of(io));
  io.end_progress();
  const RestorePlan plan = plan_restore(*session, present, backup.image, opt.home);
  RestoreReport report;
  report.notes = plan.notes;
  report.home = home_differences(*session, present, plan.wanted);
  for (const std::string& note : plan.notes) io.warn(note);
  if (!opt.present.empty()) {
    write_file_atomically(opt.present, backup_text({utc_now_text(), robot_of(opt, io), present}));
    io.say(opt.present + " holds what was in the boards");
  }
  if (plan.items.empty()) {
    io.say("the boards hold what the file holds" +
           std::string(report.home.empty() ? "" : ", but for the home"));
  } else {
    if (!is_agreed_to(opt.boards, *session, plan_text(plan), io)) return;
    write_and_verify(*session, plan, report, io);
  }
  session->finish();
  set_restore_code(report, io);
  print_restore(opt, report, io);
}

}  // namespace

void add_robot_backup(Command& robot, Console& io) {
  auto save = std::make_shared<BackupOptions>();
  Command backup = robot.add_command(
      "backup", "Write the memory of the boards to a file: motions, scenarios, home, trim, keys.");
  backup.add_option("file", save->file, "The file to write, kagami.board_backup/1.")
      .value("FILE")
      .required();
  backup.add_flag("--force", save->force, "Replace the file if it exists.");
  add_boards_options(backup, save->boards, io);
  add_common_options(backup, io, "robot backup khr1.json --robot /dev/ttyUSB0",
                     "robot backup khr1.json --robot virtual --memory boards.json");
  backup.on_run([save, &io] { run_backup(*save, io); });

  auto load = std::make_shared<BackupOptions>();
  Command restore = robot.add_command(
      "restore", "Write a backup into the boards, read it back, and name every difference.");
  restore.add_option("file", load->file, "The backup.").value("FILE").required();
  restore.add_flag("--home", load->home,
                   "Also move the robot to the home of the file, and store it.");
  restore
      .add_option("--save-present", load->present,
                  "Write what the boards hold now to this file first.")
      .value("FILE");
  restore.add_flag("--force", load->force, "Replace the file of --save-present if it exists.");
  add_yes_flag(restore, load->boards);
  add_boards_options(restore, load->boards, io);
  add_common_options(restore, io, "robot restore khr1.json --robot /dev/ttyUSB0",
                     "robot restore khr1.json --robot virtual --memory boards.json");
  restore.on_run([load, &io] { run_restore_command(*load, io); });
}

}  // namespace kagami::tools
