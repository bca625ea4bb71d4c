#include "tools/dashboard/protocol.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace kagami::tools {
namespace {

using nlohmann::json;

constexpr std::uint8_t kMessageOp = 1;
constexpr std::uint8_t kTimeOp = 2;
constexpr std::uint8_t kCallOp = 3;
constexpr std::uint8_t kAssetOp = 4;
constexpr std::uint8_t kClientCallOp = 2;

/// At most a name's worth of what a client sent, for sentences.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "…'" : "'");
}

/// Reads the fields of one message; the first that is wrong is kept as a sentence.
class Fields {
 public:
  Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[nodiscard]] bool ok() const noexcept { return why_.empty(); }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  /// A list of at most kMaxListEntries; empty when it is missing or wrong.
  const json& list(const char* key) {
    static const json none = json::array();
    const auto found = object_.find(key);
    if (found == object_.end() || !found->is_array()) {
      fail(key, "expected a list");
      return none;
    }
    if (found->size() > kMaxListEntries) {
      fail(key, std::to_string(found->size()) + " entries, expected at most " +
                    std::to_string(kMaxListEntries));
      return none;
    }
    return *found;
  }

  std::uint32_t number(const json& value, const char* key) {
    if (value.is_number_unsigned()) {
      const auto n = value.get<std::uint64_t>();
      if (n <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(n);
    }
    fail(key, "expected a whole number of 32 bits");
    return 0;
  }

  std::string text(const json& value, const char* key) {
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (text.size() <= kMaxNameBytes) return text;
    }
    fail(key, "expected a text of at most " + std::to_string(kMaxNameBytes) + " bytes");
    return {};
  }

  const json& member(const char* key) {
    static const json none;
    const auto found = object_.find(key);
    return found == object_.end() ? none : *found;
  }

  std::vector<std::string> names(const char* key) {
    std::vector<std::string> names;
    for (const json& name : list(key)) names.push_back(text(name, key));
    return names;
  }

  std::vector<std::uint32_t> numbers(const char* key) {
    std::vector<std::uint32_t> numbers;
    for (const json& value : list(key)) numbers.push_back(number(value, key));
    return numbers;
  }

  std::optional<std::string> id() {
    const json& value = member("id");
    if (value.is_null()) return std::nullopt;
    return text(value, "id");
  }

  void fail(const char* key, const std::string& expected) {
    if (why_.empty()) why_ = where_ + "/" + key + ": " + expected;
  }

 private:
  const json& object_;
  std::string where_;
  std::string why_;
};

Subscribe subscribe(Fields& fields) {
  Subscribe message;
  for (const json& entry : fields.list("subscriptions")) {
    if (!entry.is_object()) {
      fields.fail("subscriptions", "expected objects with id and channelId");
      break;
    }
    message.entries.push_back(
        {fields.number(entry.value("id", json()), "subscriptions/id"),
         fields.number(entry.value("channelId", json()), "subscriptions/channelId")});
  }
  return message;
}

SetParameters set_parameters(Fields& fields) {
  SetParameters message;
  for (const json& entry : fields.list("parameters")) {
    if (!entry.is_object()) {
      fields.fail("parameters", "expected objects with name and value");
      break;
    }
    message.entries.push_back({fields.text(entry.value("name", json()), "parameters/name"),
                               entry.value("value", json())});
  }
  message.id = fields.id();
  return message;
}

ClientMessage read(const std::string& op, Fields& fields) {
  if (op == "subscribe") return subscribe(fields);
  if (op == "unsubscribe") return Unsubscribe{fields.numbers("subscriptionIds")};
  if (op == "getParameters") return GetParameters{fields.names("parameterNames"), fields.id()};
  if (op == "setParameters") return set_parameters(fields);
  if (op == "subscribeParameterUpdates" || op == "unsubscribeParameterUpdates") {
    return WatchParameters{op[0] == 's', fields.names("parameterNames")};
  }
  if (op == "fetchAsset") {
    return FetchAsset{fields.text(fields.member("uri"), "uri"),
                      fields.number(fields.member("requestId"), "requestId")};
  }
  constexpr std::array<std::string_view, 4> kOthers{
      "advertise", "unadvertise", "subscribeConnectionGraph", "unsubscribeConnectionGraph"};
  for (const std::string_view other : kOthers) {
    if (op == other) return Unsupported{op};
  }
  return Malformed{"op: " + shown(op) + " is not known"};
}

// --- bytes, little-endian ---

template <class Integer>
void put(std::string& bytes, Integer value) {
  for (std::size_t k = 0; k < sizeof(Integer); ++k) {
    bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * k))));
  }
}

std::uint32_t take_u32(std::span<const std::byte> bytes, std::size_t at) noexcept {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    value |= std::to_integer<std::uint32_t>(bytes[at + k]) << (8 * k);
  }
  return value;
}

std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::byte b : bytes) text.push_back(static_cast<char>(b));
  return text;
}

/// Texts of ours may hold what a client sent: bytes that are not UTF-8 are replaced without an
/// exception.
std::string dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

json request_schema() {
  return {{"encoding", "json"},
          {"schemaName", "kagami.Service"},
          {"schemaEncoding", "jsonschema"},
          {"schema", R"({"type":"object"})"}};
}

}  // namespace

std::string_view choose_subprotocol(std::string_view offered) noexcept {
  constexpr std::array<std::string_view, 2> kNames{"foxglove.sdk.v1", "foxglove.websocket.v1"};
  while (!offered.empty()) {
    const std::size_t comma = std::min(offered.find(','), offered.size());
    std::string_view name = offered.substr(0, comma);
    offered.remove_prefix(std::min(comma + 1, offered.size()));
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    for (const std::string_view ours : kNames) {
      if (name == ours) return ours;
    }
  }
  return {};
}

ClientMessage parse_text(std::string_view text) {
  if (text.size() > kMaxMessageBytes) {
    return Malformed{"a message of " + std::to_string(text.size()) + " bytes, expected at most " +
                     std::to_string(kMaxMessageBytes)};
  }
  const json message = json::parse(text.begin(), text.end(), nullptr, false);
  if (!message.is_object()) return Malformed{"a text that is no JSON object"};
  Fields fields(message, "message");
  const std::string op = fields.text(fields.member("op"), "op");
  if (!fields.ok()) return Malformed{fields.why()};
  Fields body(message, op);
  ClientMessage read_message = read(op, body);
  if (!body.ok()) return Malformed{body.why()};
  return read_message;
}

ClientMessage parse_binary(std::span<const std::byte> bytes) {
  constexpr std::size_t kHead = 1 + 3 * sizeof(std::uint32_t);
  if (bytes.size() > kMaxMessageBytes) {
    return Malformed{"a message of " + std::to_string(bytes.size()) + " bytes, expected at most " +
                     std::to_string(kMaxMessageBytes)};
  }
  if (bytes.empty()) return Malformed{"an empty binary message"};
  const auto op = std::to_integer<std::uint8_t>(bytes[0]);
  if (op == kMessageOp) return Unsupported{"message data"};
  if (op != kClientCallOp) {
    return Malformed{"binary message " + std::to_string(op) + " is not known"};
  }
  if (bytes.size() < kHead) {
    return Malformed{"a service call of " + std::to_string(bytes.size()) +
                     " bytes, expected at least " + std::to_string(kHead)};
  }
  CallService call;
  call.service = take_u32(bytes, 1);
  call.call = take_u32(bytes, 5);
  const std::size_t encoding = take_u32(bytes, 9);
  if (encoding > bytes.size() - kHead) {
    return Malformed{"a service call whose encoding (" + std::to_string(encoding) +
                     " bytes) is longer than the message"};
  }
  call.encoding = text_of(bytes.subspan(kHead, encoding));
  call.payload = text_of(bytes.subspan(kHead + encoding));
  return call;
}

std::string print(const ServerInfo& info) {
  json metadata = json::object();
  for (const auto& [key, value] : info.metadata) metadata[key] = value;
  return dump({{"op", "serverInfo"},
               {"name", info.name},
               {"capabilities", info.capabilities},
               {"supportedEncodings", {"json"}},
               {"metadata", metadata},
               {"sessionId", info.session}});
}

std::string print_advertise(std::span<const Channel> channels) {
  json list = json::array();
  for (const Channel& channel : channels) {
    list.push_back({{"id", channel.id},
                    {"topic", channel.topic},
                    {"encoding", channel.encoding},
                    {"schemaName", channel.schema_name},
                    {"schema", channel.schema},
                    {"schemaEncoding", channel.schema_encoding}});
  }
  return dump({{"op", "advertise"}, {"channels", list}});
}

std::string print_services(std::span<const Service> services) {
  json list = json::array();
  for (const Service& service : services) {
    // the two schema members are those of the protocol's first form, which some clients still read
    list.push_back({{"id", service.id},
                    {"name", service.name},
                    {"type", service.type},
                    {"requestSchema", R"({"type":"object"})"},
                    {"responseSchema", R"({"type":"object"})"},
                    {"request", request_schema()},
                    {"response", request_schema()}});
  }
  return dump({{"op", "advertiseServices"}, {"services", list}});
}

std::string print_parameters(std::span<const Parameter> parameters,
                             const std::optional<std::string>& id) {
  json list = json::array();
  for (const Parameter& parameter : parameters) {
    json entry = {{"name", parameter.name}, {"value", parameter.value}};
    if (!parameter.type.empty()) entry["type"] = parameter.type;
    list.push_back(std::move(entry));
  }
  json message = {{"op", "parameterValues"}, {"parameters", list}};
  if (id) message["id"] = *id;
  return dump(message);
}

std::string print_status(StatusLevel level, std::string_view message) {
  return dump({{"op", "status"}, {"level", static_cast<int>(level)}, {"message", message}});
}

std::string print_call_failure(std::uint32_t service, std::uint32_t call,
                               std::string_view message) {
  return dump({{"op", "serviceCallFailure"},
               {"serviceId", service},
               {"callId", call},
               {"message", message}});
}

std::string message_frame(std::uint32_t subscription, std::uint64_t time_ns,
                          std::string_view payload) {
  std::string frame;
  frame.reserve(13 + payload.size());
  put(frame, kMessageOp);
  put(frame, subscription);
  put(frame, time_ns);
  return frame.append(payload);
}

std::string time_frame(std::uint64_t time_ns) {
  std::string frame;
  put(frame, kTimeOp);
  put(frame, time_ns);
  return frame;
}

std::string call_frame(std::uint32_t service, std::uint32_t call, std::string_view encoding,
                       std::string_view payload) {
  std::string frame;
  put(frame, kCallOp);
  put(frame, service);
  put(frame, call);
  put(frame, static_cast<std::uint32_t>(encoding.size()));
  return frame.append(encoding).append(payload);
}

std::string asset_frame(std::uint32_t request, std::string_view data) {
  std::string frame;
  put(frame, kAssetOp);
  put(frame, request);
  put(frame, std::uint8_t{0});
  put(frame, std::uint32_t{0});
  return frame.append(data);
}

std::string asset_failure_frame(std::uint32_t request, std::string_view message) {
  std::string frame;
  put(frame, kAssetOp);
  put(frame, request);
  put(frame, std::uint8_t{1});
  put(frame, static_cast<std::uint32_t>(message.size()));
  return frame.append(message);
}

}  // namespace kagami::tools
