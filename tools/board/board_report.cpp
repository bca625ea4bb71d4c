#include "tools/board/board_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/time.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

std::string metres(double value) {
  return fixed(value, 3) + " m";
}

std::string base_text(double x, double y, double heading, bool fell) {
  return "x " + metres(x) + ", y " + metres(y) + ", heading " + fixed(to_deg(heading), 1) +
         " deg, " + (fell ? "fallen" : "standing");
}

std::string robot_text(const drivers::virtual_robot::PlantBase& base) {
  return "robot: " + (base.on_stand ? std::string("on the stand, its pelvis is held")
                                    : base_text(base.x, base.y, base.heading, base.fell));
}

json base_json(double x, double y, double heading, bool fell) {
  return {{"x_m", number_or_null(x)},
          {"y_m", number_or_null(y)},
          {"heading_deg", number_or_null(to_deg(heading))},
          {"fell", fell}};
}

json gap_json(const JointGap& gap) {
  return {{"joint", gap.joint},
          {"readings", gap.readings},
          {"rms_deg", number_or_null(gap.rms_deg)},
          {"bias_deg", number_or_null(gap.bias_deg)},
          {"max_deg", number_or_null(gap.max_deg)},
          {"rounding_deg", number_or_null(gap.rounding_deg)}};
}

json limit_json(const LimitFinding& limit) {
  return {{"joint", limit.joint},
          {"commands", limit.commands},
          {"worst_deg", limit.worst_deg},
          {"limit_deg", limit.limit_deg}};
}

void add_watch(const BoardWatchResult& watch, json& object) {
  json joints = json::array();
  for (const JointGap& gap : watch.joints) joints.push_back(gap_json(gap));
  json limits = json::array();
  for (const LimitFinding& limit : watch.limits) limits.push_back(limit_json(limit));
  object["duration_s"] = watch.duration_s;
  object["rms_deg"] = watch.rms_deg ? json(*watch.rms_deg) : json(nullptr);
  object["joints"] = joints;
  object["limits"] = limits;
  object["lost_bytes"] = watch.lost_bytes;
  object["stored_motions_played"] = watch.plays;
  object["stored_motions_unknown"] = watch.unknown_plays;
  object["record"] = watch.record.empty() ? json(nullptr) : json(watch.record.string());
  object["record_complete"] =
      watch.record.empty() ? json(nullptr) : json(watch.record_problem.empty());
  if (watch.twin_base) {
    object["twin"] = base_json(watch.twin_base->x, watch.twin_base->y, watch.twin_base->heading,
                               watch.twin_fell);
  }
}

json line_json(const BoardOptions& opt, const BoardEnd& end) {
  if (opt.mirror.empty()) {
    return {{"requests", end.robot.requests},
            {"answers", end.line.answers},
            {"bad_frames", end.robot.bad_frames},
            {"bytes_ignored", end.robot.bytes_ignored},
            {"lost_s", seconds(end.line.lost_ns)}};
  }
  const LineCounts& line = end.watch->line;
  return {{"requests", line.requests},
          {"answers", line.answers},
          {"unanswered", line.unanswered},
          {"bad_frames", line.bad_frames},
          {"bytes_ignored", line.noise_bytes}};
}

json end_json(const BoardOptions& opt, const BoardEnd& end) {
  json object = {{"schema", "kagami.board/1"},
                 {"pty", end.pty},
                 {"path", end.path},
                 {"board", opt.mirror.empty() ? json(opt.preset) : json(nullptr)},
                 {"mirror", opt.mirror.empty() ? json(nullptr) : json(opt.mirror)},
                 {"on", opt.on},
                 {"end", end.text},
                 {"line", line_json(opt, end)},
                 {"robot", nullptr},
                 {"program", nullptr},
                 {"port_gone", end.port_gone},
                 {"memory", nullptr},
                 {"memory_error", nullptr}};
  if (!opt.memory.empty()) object["memory"] = opt.memory;
  if (!end.memory_error.empty()) object["memory_error"] = end.memory_error;
  if (end.base && !end.base->on_stand) {
    object["robot"] = base_json(end.base->x, end.base->y, end.base->heading, end.base->fell);
  }
  if (end.program_code) {
    object["program"] = {{"exit_code", *end.program_code},
                         {"modem_requests", end.modem_requests},
                         {"dtr_high", end.dtr_was_high}};
  }
  if (end.watch) add_watch(*end.watch, object);
  return object;
}

std::string program_text(int code) {
  constexpr int kSignalled = 128;
  constexpr int kSignals = 64;
  const int signal = code - kSignalled;
  if (signal < 1 || signal > kSignals) return std::to_string(code);
  return std::to_string(code) + ", as after signal " + std::to_string(signal);
}

std::string line_text(const BoardOptions& opt, const BoardEnd& end) {
  if (opt.mirror.empty()) {
    return std::to_string(end.robot.requests) + " requests, " + std::to_string(end.line.answers) +
           " answers, " + std::to_string(end.robot.bad_frames) + " bad frames, " +
           std::to_string(end.robot.bytes_ignored) + " bytes ignored";
  }
  const LineCounts& line = end.watch->line;
  return std::to_string(line.requests) + " requests, " + std::to_string(line.answers) +
         " answers, " + std::to_string(line.unanswered) + " without an answer, " +
         std::to_string(line.bad_frames) + " bad frames";
}

std::string gap_table(const BoardWatchResult& watch) {
  Table table({{"joint", Align::kLeft},
               {"readings"},
               {"RMS deg"},
               {"bias deg"},
               {"max deg"},
               {"rounding deg"}});
  for (const JointGap& gap : watch.joints) {
    table.add_row({gap.joint, std::to_string(gap.readings), fixed(gap.rms_deg, 2),
                   fixed(gap.bias_deg, 2), fixed(gap.max_deg, 2), fixed(gap.rounding_deg, 2)});
  }
  return table.text();
}

void print_watch(const BoardOptions& opt, const BoardWatchResult& watch, Console& io) {
  if (watch.lost_bytes > 0) {
    io.warn(std::to_string(watch.lost_bytes) +
            " bytes of the line were not looked at: this computer was too busy. The comparison is "
            "wrong from there on");
  }
  if (watch.unknown_plays > 0) {
    io.warn(std::to_string(watch.unknown_plays) +
            " stored motions were played whose content did not pass the line; the model did not "
            "follow them");
  }
  if (!opt.mirror.empty() && watch.joints.empty()) {
    io.say("no position was read (FC), so there is nothing to compare");
  }
  if (watch.rms_deg) {
    io.say("model minus " + std::string(opt.mirror.empty() ? "virtual" : "real") +
           " robot: " + fixed(*watch.rms_deg, 2) + " deg RMS over all joints");
    const std::string table = gap_table(watch);
    // standard output belongs to the program
    if (opt.exec) {
      io.say(table.substr(0, table.size() - 1));
    } else {
      io.print(table);
    }
  }
  if (watch.twin_base) {
    io.say("model: " + base_text(watch.twin_base->x, watch.twin_base->y, watch.twin_base->heading,
                                 watch.twin_fell));
  }
  if (!opt.record.empty() && watch.record.empty()) {
    io.warn(opt.record + ": not written, because no byte came");
  }
  if (!watch.record.empty()) io.say("record " + watch.record.string());
}

}  // namespace

void print_board_end(const BoardOptions& opt, const BoardEnd& end, Console& io) {
  if (end.watch && !io.json) print_watch(opt, *end.watch, io);
  if (end.program_code) io.say("the program's exit code: " + program_text(*end.program_code));
  io.say(line_text(opt, end));
  if (end.line.lost_ns > 0) {
    io.warn("this computer was too slow or too busy: the robot's time lost " +
            fixed(seconds(end.line.lost_ns), 1) +
            " s, and a comparison with the model is wrong from there on");
  }
  if (end.base) io.say(robot_text(*end.base));
  if (end.watch && !end.watch->record_problem.empty()) {
    io.error(end.watch->record_problem);
    io.exit_with(ExitCode::kFailure);
  }
  if (!end.memory_error.empty()) {
    io.error(end.memory_error + "; what the program stored is not in it");
    io.exit_with(ExitCode::kFailure);
  }
  if (io.json) io.print_json(end_json(opt, end));
}

}  // namespace kagami::tools
