#include "tools/test/record_file.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/text_file.hpp"
#include "models/base/wiring.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/record_end.hpp"

namespace kagami::test {
namespace {

using runtime::CycleRecord;

double knee_deg(double t) {
  return 30.0 + 20.0 * std::sin(2.0 * std::numbers::pi * t / 1.3);
}

std::string robot_json() {
  return read_text_file(std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1/robot.json");
}

/// Angle of joint `name` that board and servo show at `t`.
double reading(const std::string& name, double t, const RecordedRun& run) {
  if (name == "left_knee") return to_rad(std::round(knee_deg(t - run.delay) + run.offset_deg));
  if (name == "right_knee") return to_rad(std::round(knee_deg(t - run.delay)));
  return 0.0;
}

CycleRecord row_of(int tick, const RobotWiring& wiring, const RecordedRun& run) {
  CycleRecord row;
  row.in.tick = tick;
  row.in.now_ns = std::int64_t{1'000'000} * tick;
  row.out.phase = tick < 200 ? runtime::Phase::kLeadIn : runtime::Phase::kPlaying;
  row.out.steps = static_cast<std::uint64_t>(tick) + 1;
  const double t = 1e-3 * tick;
  const bool is_read = tick % 10 == 9;
  row.in.sample_is_new = is_read;
  for (std::size_t b = 0; is_read && b < row.in.sample.reading.size(); ++b) {
    row.in.sample.reading[b].is_new = true;
    row.in.sample.reading[b].sampled_ns = row.in.now_ns - 4'300'000;  // 4.3 ms ago
    row.out.residual_is_new[b] = true;
  }
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const std::string& name = wiring.joints[j].joint;
    const bool is_knee = name == "left_knee" || name == "right_knee";
    row.out.q_simulated[j] = is_knee ? to_rad(knee_deg(t)) : 0.0;
    row.in.sample.angle[j] = reading(name, t - 0.0043, run);
    row.out.residual[j] = row.out.q_simulated[j] - row.in.sample.angle[j];
  }
  return row;
}

void turn(CycleRecord& row, std::uint64_t version, double first) {
  row.in.tuning_is_new = true;
  row.in.tuning.version = version;
  row.in.tuning.num_values = 2;
  row.in.tuning.values[0] = first;
  row.in.tuning.values[1] = 10.0;
  row.out.tuning_version = version;
  row.out.tuning_tick = row.in.tick;
}

}  // namespace

void write_record(const std::filesystem::path& file, const RecordedRun& run) {
  const std::string robot = robot_json();
  const ConfigDocument document = ConfigDocument::parse(robot, "robot.json");
  const RobotWiring wiring = read_wiring(document.root());
  runtime::McapWriter writer(file.string());
  writer.add_metadata("kagami.run", {{"version", "0.1.0"}, {"robot", "virtual"}});
  if (run.with_robot)
    writer.add_attachment("robot.json", "application/json", 0, runtime::bytes_of(robot));
  const std::string motion = nlohmann::json{{"name", run.motion}}.dump();
  writer.add_attachment("motion.json", "application/json", 0, runtime::bytes_of(motion));
  const auto schema =
      writer.add_schema(runtime::kCycleSchemaName, runtime::kCycleSchemaEncoding,
                        runtime::cycle_schema() + (run.other_version ? "int32 new_field\n" : ""));
  const auto channel = writer.add_channel(run.with_cycle ? runtime::kCycleTopic : "/other", schema,
                                          runtime::kCycleMessageEncoding);
  std::vector<std::byte> bytes;
  runtime::SampleHash samples;
  const int ticks = static_cast<int>(1000.0 * run.seconds);
  for (int tick = 0; tick < ticks; ++tick) {
    CycleRecord row = row_of(tick, wiring, run);
    if (run.turned_at >= 0 && tick == run.turned_at) turn(row, 1, 5.0);
    if (run.turned_at >= 0 && tick == run.turned_at + 500) turn(row, 2, 4.2);
    runtime::write_cycle_cdr(row, static_cast<int>(wiring.joints.size()), bytes);
    const auto at = static_cast<std::uint64_t>(row.in.now_ns);
    writer.write(channel, at, at, bytes);
    samples.add(bytes);
  }
  const runtime::RecordEnd end{.samples = static_cast<std::uint64_t>(run.with_cycle ? ticks : 0),
                               .sample_hash = samples.value()};
  writer.add_metadata(runtime::kRecordEndMetadata, runtime::record_end_entries(end));
  writer.close();
}

}  // namespace kagami::test
