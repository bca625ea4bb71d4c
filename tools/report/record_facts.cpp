#include "tools/report/record_facts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "models/base/utc_text.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/record_header.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

/// Null where it is missing, damaged or no object.
json attached_object(const runtime::McapReader& reader, const char* name) {
  try {
    const auto attachment = reader.attachment(std::string_view(name));
    if (!attachment) return nullptr;
    json object = json::parse(attachment->text(), nullptr, false);
    return object.is_object() ? object : json(nullptr);
  } catch (const RecordError&) {
    return nullptr;
  }
}

runtime::StringMap entries(const runtime::McapReader& reader, const char* name) {
  try {
    return reader.metadata(std::string_view(name)).value_or(runtime::StringMap());
  } catch (const RecordError&) {
    return {};
  }
}

std::string start_text(const std::string& unix_ns) {
  std::int64_t ns = 0;
  const auto parsed = std::from_chars(unix_ns.data(), unix_ns.data() + unix_ns.size(), ns);
  if (parsed.ec != std::errc() || ns <= 0) return "";
  const auto at = static_cast<std::time_t>(ns / 1'000'000'000);
  return utc_text(at, "%Y-%m-%d %H:%M:%S UTC");
}

const json* find(const json& object, const std::string& path) {
  const json* node = &object;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (!node->is_object()) return nullptr;
    const auto next = node->find(path.substr(at, slash - at));
    if (next == node->end()) return nullptr;
    node = &*next;
    at = slash + 1;
  }
  return node;
}

// "amber (margin, slip), accepted: --accept amber"; "" for a run without a check
std::string check_fact(const RecordFacts& facts) {
  std::string text = metadata_entry(facts.run, runtime::kCheckVerdict);
  const std::string findings = metadata_entry(facts.run, runtime::kCheckFindings);
  const std::string accepted = metadata_entry(facts.run, runtime::kCheckAccepted);
  if (!findings.empty()) text += " (" + findings + ")";
  return text + (accepted.empty() ? "" : ", accepted: " + accepted);
}

}  // namespace

double number_at(const json& object, const std::string& path) {
  const json* node = find(object, path);
  return node != nullptr && node->is_number() ? node->get<double>() : NAN;
}

std::string text_at(const json& object, const std::string& path) {
  const json* node = find(object, path);
  return node != nullptr && node->is_string() ? node->get<std::string>() : "";
}

RecordFacts record_facts(const RunRecord& record) {
  RecordFacts facts;
  facts.file = record.reader().path();
  facts.motion = record.motion();
  facts.run = entries(record.reader(), runtime::kRunMetadata);
  facts.end = entries(record.reader(), runtime::kRecordEndMetadata);
  facts.config = attached_object(record.reader(), runtime::kConfigAttachment);
  facts.result = attached_object(record.reader(), "result.json");
  facts.date = start_text(metadata_entry(facts.run, "started_unix_ns"));
  facts.robot = metadata_entry(facts.run, "robot");
  const std::string place = text_at(facts.config, "robot");
  if (place == "virtual") facts.robot += ", virtual robot";
  if (!place.empty() && place != "virtual") facts.robot += ", robot at " + place;
  const runtime::Completeness state = record.completeness();
  if (!state.complete) facts.incomplete = state.why;
  return facts;
}

Facts reproduction_facts(const RecordFacts& facts) {
  Facts rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) rows.emplace_back(name, value);
  };
  add("Record", facts.file);
  add("Complete",
      facts.incomplete.empty() ? "yes, every sample is in the record" : "no: " + facts.incomplete);
  add("Program", metadata_entry(facts.run, "program"));
  add("Compiler",
      metadata_entry(facts.run, "compiler") + " " + metadata_entry(facts.run, "build_flags"));
  add("Machine", metadata_entry(facts.run, "machine"));
  add("Kernel", metadata_entry(facts.run, "kernel"));
  add("Real time", metadata_entry(facts.run, "realtime_granted") == "true"
                       ? "granted"
                       : "not granted: " + metadata_entry(facts.run, "realtime"));
  add("Check of the motion", check_fact(facts));
  for (const auto& [key, name] : {std::pair{"model_hash", "Robot model"},
                                  {"twin_hash", "Servos of the model"},
                                  {"motion_hash", "Motion"},
                                  {"gains_hash", "Gain set"},
                                  {"config_hash", "Settings"}}) {
    const std::string hash = metadata_entry(facts.run, key);
    if (!hash.empty()) add(name, "hash " + hash);
  }
  const std::string samples = metadata_entry(facts.end, "sample_hash");
  if (!samples.empty())
    add("Samples", "hash " + samples + " over " + metadata_entry(facts.end, "samples"));
  add("State", text_at(facts.result, "state_hash").empty()
                   ? ""
                   : "hash " + text_at(facts.result, "state_hash"));
  return rows;
}

}  // namespace kagami::tools
