#include "tools/analysis/run_record.hpp"

#include "models/base/config.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "tools/analysis/series_builder.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kRobotAttachment = "robot.json";
constexpr const char* kMotionAttachment = "motion.json";

std::string attached(const runtime::McapReader& reader, const char* name) {
  const auto attachment = reader.attachment(std::string_view(name));
  if (!attachment)
    throw ConfigError(reader.path() + ": no attachment '" + name + "'; expected a record of a run");
  return attachment->text();
}

/// "" when the record has none: a record cut before its attachments is still worth reading.
std::string motion_name(const runtime::McapReader& reader) {
  const auto attachment = reader.attachment(std::string_view(kMotionAttachment));
  if (!attachment) return "";
  const ConfigDocument document =
      ConfigDocument::parse(attachment->text(), reader.path() + ": " + kMotionAttachment);
  return document.root().text_or("name", "");
}

}  // namespace

std::string other_version(const runtime::McapReader& reader) {
  return "written by " + reader.library() + " with other fields of " + runtime::kCycleTopic +
         ": its samples need that version; 'kagami log info' reads metadata and attachments, "
         "viewers the other channels";
}

std::string metadata_entry(const runtime::StringMap& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? "" : found->second;
}

RunRecord::RunRecord(const std::filesystem::path& file)
    : reader_(reading_a_record([&] { return runtime::McapReader(file.string()); })) {
  reading_a_record([&] {
    const ConfigDocument robot = ConfigDocument::parse(attached(reader_, kRobotAttachment),
                                                       file.string() + ": " + kRobotAttachment);
    wiring_ = read_wiring(robot.root());
    motion_ = motion_name(reader_);
    const runtime::Channel* channel = reader_.channel(runtime::kCycleTopic);
    if (channel == nullptr)
      throw ConfigError(file.string() + ": no channel " + runtime::kCycleTopic +
                        "; expected a record of a run");
    const runtime::Schema* schema = reader_.schema_of(*channel);
    if (schema == nullptr || schema->text() != runtime::cycle_schema())
      throw ConfigError(file.string() + ": " + other_version(reader_));
  });
}

std::vector<std::string> RunRecord::joint_names() const {
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring_.joints) names.push_back(joint.joint);
  return names;
}

std::uint64_t RunRecord::num_rows() const {
  const auto& counts = reader_.statistics().channel_message_counts;
  const auto count = counts.find(reader_.channel(runtime::kCycleTopic)->id);
  return count == counts.end() ? 0 : count->second;
}

void RunRecord::for_each_row(const std::function<void(const runtime::CycleRecord&)>& visit) const {
  reading_a_record([&] {
    runtime::MessageFilter filter;
    filter.topics = {runtime::kCycleTopic};
    runtime::CycleRecord row;
    reader_.for_each(filter, [&](const runtime::MessageView& message) {
      int num_joints = 0;
      const bool is_ok =
          runtime::read_cycle_cdr(message.data, row, num_joints) == runtime::CdrStatus::kOk &&
          num_joints == static_cast<int>(wiring_.joints.size());
      if (!is_ok)
        throw ConfigError(reader_.path() + ": row " + std::to_string(message.sequence) + " of " +
                          runtime::kCycleTopic + " has another format: the record was written by " +
                          reader_.library() +
                          " with other fields; expected a record of this version of the program. "
                          "'kagami log info' and viewers still read the rest");
      visit(row);
    });
  });
}

RunSeries RunRecord::series() const {
  SeriesBuilder builder(wiring_);
  for_each_row([&](const runtime::CycleRecord& row) { builder.add(row); });
  RunSeries run = builder.take();
  run.motion = motion_;
  return run;
}

}  // namespace kagami::tools
