#include "runtime/app/record_header.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "models/robot/read_model.hpp"
#include "runtime/threads/build_info.hpp"

namespace kagami::runtime {
namespace {

std::int64_t nanoseconds(std::chrono::nanoseconds time) {
  return time.count();
}

// wall time only labels the record
std::int64_t unix_time_ns() {
  return nanoseconds(std::chrono::system_clock::now().time_since_epoch());
}

/// Of time 0 of the run's clock; a simulated clock has none.
std::int64_t unix_epoch_ns(const RunPlace& place) {
  if (place.clock_epoch_ns == 0) return 0;
  const std::int64_t now_ns = nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
  return unix_time_ns() - (now_ns - place.clock_epoch_ns);
}

StringMap metadata(const RunSetup& s, const RunPlace& place) {
  StringMap entries = setup_hashes(s);
  entries.insert({{"schema", "kagami.record/1"},
                  {"program", "kagami " + program_version()},
                  {"compiler", compiler_text()},
                  {"build_flags", build_flags_text()},
                  {"kernel", kernel_text()},
                  {"machine", machine_text()},
                  {"robot", s.robot.name},
                  {"motion", s.motion.name},
                  {"realtime_granted", place.realtime_granted ? "true" : "false"},
                  {"realtime", place.realtime_why},
                  {"clock_epoch_monotonic_ns", std::to_string(place.clock_epoch_ns)},
                  {"started_unix_ns", std::to_string(unix_time_ns())}});
  if (const auto& check = s.config.preflight) {
    entries.insert({{kCheckVerdict, check->verdict},
                    {kCheckFindings, check->findings},
                    {kCheckAccepted, check->accepted}});
  }
  return entries;
}

}  // namespace

RecordHeader record_header(const RunSetup& s, const RunPlace& place, const RecordDisk& disk) {
  RecordHeader h{.file = record_file(s.config),
                 .replace = s.config.replace_record,
                 .unix_epoch_ns = unix_epoch_ns(place),
                 .metadata = metadata(s, place),
                 .disk = disk};
  const auto add = [&](const char* name, const char* type, const std::string& text) {
    h.attachments.push_back({name, type, text});
  };
  const std::string& model = s.robot.urdf_text;
  add(kUrdfAttachment, models::is_json(model) ? "application/json" : "text/xml", model);
  add(kRobotAttachment, "application/json", s.robot.json_text);
  add(kTwinAttachment, "application/json", s.twin_text);
  if (!place.plant_text.empty()) add(kPlantAttachment, "application/json", place.plant_text);
  add(kConfigAttachment, "application/json", run_config_json(s.config).dump(1) + "\n");
  const auto add_json = [&](const std::string& name, const std::string& text) {
    h.attachments.push_back({name, "application/json", text});
  };
  const std::vector<std::string>& gains = s.cycle.control.gains;
  for (std::size_t k = 0; k < gains.size(); ++k) add_json(gains_attachment(k), gains[k]);
  add_json(kMotionAttachment, s.motion_text);
  for (std::size_t k = 0; k < s.further_texts.size(); ++k) {
    add_json(motion_attachment(k + 1), s.further_texts[k]);
  }
  return h;
}

}  // namespace kagami::runtime
