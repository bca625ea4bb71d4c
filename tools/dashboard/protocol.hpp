/// The Foxglove WebSocket protocol, version 1: what clients say, parsed with bounds, and what the
/// server sends, printed. Pure: no sockets, no clocks. Source: the specification in
/// foxglove/ws-protocol.
///
/// `foxglove.websocket.v1` and `foxglove.sdk.v1` are the same but for their name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kagami::tools {

inline constexpr std::size_t kMaxMessageBytes = 64 * 1024;
/// Most entries of one list in a message, and the longest name in it (bytes).
inline constexpr std::size_t kMaxListEntries = 1000;
inline constexpr std::size_t kMaxNameBytes = 256;

/// Of the names that a client offers (comma separated, as in Sec-WebSocket-Protocol) the first that
/// we speak; empty: none.
std::string_view choose_subprotocol(std::string_view offered) noexcept;

// --- what clients say ---

struct Subscribe {
  struct Entry {
    std::uint32_t subscription = 0;  ///< chosen by the client
    std::uint32_t channel = 0;
  };
  std::vector<Entry> entries;
};
struct Unsubscribe {
  std::vector<std::uint32_t> subscriptions;
};
struct GetParameters {
  std::vector<std::string> names;  ///< empty: all
  std::optional<std::string> id;
};
struct SetParameters {
  struct Entry {
    std::string name;
    nlohmann::json value;  ///< as sent; null where it was left out
  };
  std::vector<Entry> entries;
  std::optional<std::string> id;
};
/// Parameters whose changes the client subscribes to, or no longer.
struct WatchParameters {
  bool on = true;
  std::vector<std::string> names;  ///< empty: all
};
struct FetchAsset {
  std::string uri;
  std::uint32_t request = 0;
};
struct CallService {
  std::uint32_t service = 0;
  std::uint32_t call = 0;
  std::string encoding;
  std::string payload;
};
/// Known to the protocol, not offered by us: publishing, the connection graph.
struct Unsupported {
  std::string op;
};
/// Why a message is none, in a sentence that repeats nothing longer than a name.
struct Malformed {
  std::string why;
};

using ClientMessage = std::variant<Malformed, Unsupported, Subscribe, Unsubscribe, GetParameters,
                                   SetParameters, WatchParameters, FetchAsset, CallService>;

/// A text message. Never throws but for lack of memory.
ClientMessage parse_text(std::string_view text);
/// A binary message: a service call, all integers little-endian.
ClientMessage parse_binary(std::span<const std::byte> bytes);

// --- messages of the server ---

struct ServerInfo {
  std::string name;
  std::vector<std::string> capabilities;
  std::string session;
  std::vector<std::pair<std::string, std::string>> metadata{};
};
struct Channel {
  std::uint32_t id = 0;
  std::string topic;
  std::string schema_name;
  std::string schema;
  std::string encoding = "json";
  std::string schema_encoding = "jsonschema";
};
struct Service {
  std::uint32_t id = 0;
  std::string name;
  std::string type;
};
struct Parameter {
  std::string name;
  nlohmann::json value;
  std::string type{};  ///< "float64" for numbers, "" = as in JSON
};
enum class StatusLevel : std::uint8_t { kInfo, kWarning, kError };

std::string print(const ServerInfo& info);
std::string print_advertise(std::span<const Channel> channels);
std::string print_services(std::span<const Service> services);
/// The answer to a request with that id, or news of a change.
std::string print_parameters(std::span<const Parameter> parameters,
                             const std::optional<std::string>& id);
std::string print_status(StatusLevel level, std::string_view message);
std::string print_call_failure(std::uint32_t service, std::uint32_t call, std::string_view message);

/// A channel's message for one subscription; time in ns since the epoch.
std::string message_frame(std::uint32_t subscription, std::uint64_t time_ns,
                          std::string_view payload);
/// The server's time, for clients of a run in simulated time.
std::string time_frame(std::uint64_t time_ns);
std::string call_frame(std::uint32_t service, std::uint32_t call, std::string_view encoding,
                       std::string_view payload);
std::string asset_frame(std::uint32_t request, std::string_view data);
std::string asset_failure_frame(std::uint32_t request, std::string_view message);

}  // namespace kagami::tools
