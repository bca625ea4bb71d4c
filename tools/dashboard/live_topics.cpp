#include "tools/dashboard/live_topics.hpp"

#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/viewer_json.hpp"

namespace kagami::tools {
namespace {

using runtime::ViewerSchema;

// clang-format off
constexpr ViewerSchema kGainsSchema{"kagami.Gains", R"({
 "title":"kagami.Gains",
 "type":"object",
 "description":"all values that are in force from a tick on",
 "properties":{
  "timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
  "tick":{"type":"integer"},
  "version":{"type":"integer"},
  "why":{"type":"string"},
  "values":{"type":"object","additionalProperties":{"type":"number"}},
  "since":{"type":"object","additionalProperties":{"type":"integer"},"description":"tick from which on each value has been in force"}
 },
 "required":["timestamp","tick","version","why","values"]
})"};

constexpr ViewerSchema kStatusSchema{"kagami.Status", R"({
 "title":"kagami.Status",
 "type":"object",
 "description":"what a status bar shows; null is not known",
 "properties":{
  "timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
  "tick":{"type":"integer"},
  "state":{"type":"string"},
  "phase":{"type":"string"},
  "confirmed":{"type":"boolean"},
  "reason":{"type":["string","null"]},
  "stop":{"type":"object"},
  "loop":{"type":"object"},
  "line":{"type":"object"},
  "twin_realtime_factor":{"type":["number","null"]},
  "recording":{"type":"object"},
  "motion":{"type":"object"},
  "controller":{"type":["string","null"]},
  "controllers":{"type":"array","items":{"type":"string"}},
  "gains":{"type":"object"},
  "rollback":{"type":["object","null"],"description":"the last promotion that was taken back without a request: joint, reason, tick, timestamp"},
  "writer":{"type":"object"},
  "dropped":{"type":"integer"}
 },
 "required":["timestamp","tick","state"]
})"};

constexpr ViewerSchema kBalanceSchema{"kagami.Balance", R"({
 "title":"kagami.Balance",
 "type":"object",
 "description":"in the twin's world, m and N; null is not known",
 "properties":{
  "timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
  "com":{"type":["array","null"],"items":{"type":"number"}},
  "measured_com":{"type":["array","null"],"items":{"type":"number"}},
  "zmp":{"type":["array","null"],"items":{"type":"number"}},
  "support":{"type":["array","null"],"items":{"type":"array","items":{"type":"number"}}},
  "reactions":{"type":["array","null"],"items":{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"}},"force":{"type":"array","items":{"type":"number"}}}}},
  "margin_m":{"type":["number","null"]}
 },
 "required":["timestamp"]
})"};

constexpr ViewerSchema kBusSchema{"kagami.Bus", R"({
 "title":"kagami.Bus",
 "type":"object",
 "description":"the line's last round and its statistics since the start",
 "properties":{
  "timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
  "frames":{"type":"array","items":{"type":"object","properties":{
   "at_ms":{"type":"number"},"out":{"type":"boolean"},"hex":{"type":"string"},"text":{"type":"string"},
   "duration_ms":{"type":"number"}}}},
  "latency_ms":{"type":"object"},
  "period_ms":{"type":"object"},
  "counters":{"type":"object"}
 },
 "required":["timestamp","frames"]
})"};
// clang-format on

OfferedChannel channel(Topic topic, const char* name, const ViewerSchema& schema,
                       Delivery delivery = Delivery::kNewest, bool is_state = false) {
  return {
      {static_cast<std::uint32_t>(topic), name, std::string(schema.name), std::string(schema.text)},
      delivery,
      is_state};
}

OfferedChannel cycle_channel() {
  Channel row;
  row.id = static_cast<std::uint32_t>(Topic::kCycle);
  row.topic = std::string(runtime::kCycleTopic);
  row.schema_name = std::string(runtime::kCycleSchemaName);
  row.schema = std::string(runtime::cycle_schema());
  row.encoding = std::string(runtime::kCycleMessageEncoding);
  row.schema_encoding = std::string(runtime::kCycleSchemaEncoding);
  return {std::move(row), Delivery::kNewest};
}

}  // namespace

std::vector<OfferedChannel> live_topics() {
  using runtime::kFrameTransformsSchema;
  using runtime::kJointStatesSchema;
  return {
      // the boards take turns: the newest message does not replace the other board's
      channel(Topic::kMeasured, "/joint_states/measured", kJointStatesSchema, Delivery::kEvery),
      channel(Topic::kSimulated, "/joint_states/simulated", kJointStatesSchema),
      channel(Topic::kCommanded, "/joint_states/commanded", kJointStatesSchema),
      channel(Topic::kReference, "/joint_states/reference", kJointStatesSchema),
      channel(Topic::kLoop, "/joint_states/loop", kJointStatesSchema),
      channel(Topic::kResidual, "/residual", runtime::kResidualSchema, Delivery::kEvery),
      channel(Topic::kEvents, "/events", runtime::kLogSchema, Delivery::kEvery),
      channel(Topic::kTf, "/tf", kFrameTransformsSchema),
      channel(Topic::kTfMeasured, "/tf_measured", kFrameTransformsSchema),
      channel(Topic::kGains, "/gains", kGainsSchema, Delivery::kEvery, true),
      channel(Topic::kStatus, "/status", kStatusSchema, Delivery::kPersonal),
      channel(Topic::kBalance, "/balance", kBalanceSchema),
      channel(Topic::kBus, "/bus", kBusSchema),
      cycle_channel(),
  };
}

}  // namespace kagami::tools
