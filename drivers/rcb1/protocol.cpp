#include "drivers/rcb1/protocol.hpp"

#include <algorithm>

namespace kagami::drivers::rcb1 {
namespace {

// Frame layouts as data; docs/rcb1.md has the table. A request is `command fields.. ck`, a reading
// answer `board fields.. ck`, an acknowledgement `board 06` without check sum.
enum class Field : std::uint8_t {
  kNone,
  kMagic,
  kBoard,
  kSpeed,
  kMotion,
  kPose,
  kPoseCount,
  kScenario,
  kIndex,
  kEntryCount,
  kBits,
  kKey,
  kKeyBytes,
  kCounts,
  kTrim,
};

struct Layout {
  Command command = Command::kGetId;
  std::array<Field, 5> request{};  // after the command byte
  std::array<Field, 2> reply{};    // after the board's id; both kNone: acknowledgement
};

using F = Field;
constexpr std::array kLayouts = {
    Layout{Command::kSetId, {F::kMagic, F::kBoard}, {}},
    Layout{Command::kGetId, {}, {}},  // the answer is `board ck`: see acknowledges()
    Layout{Command::kSetPositions, {F::kBoard, F::kSpeed, F::kCounts}, {}},
    Layout{Command::kGetPositions, {F::kBoard}, {F::kCounts}},
    Layout{Command::kStoreHome, {F::kBoard}, {}},
    Layout{Command::kGetHome, {F::kBoard}, {F::kCounts}},
    Layout{Command::kSetPose, {F::kBoard, F::kMotion, F::kPose, F::kSpeed, F::kCounts}, {}},
    Layout{Command::kGetPose, {F::kBoard, F::kMotion, F::kPose}, {F::kSpeed, F::kCounts}},
    Layout{Command::kSetMotionSize, {F::kBoard, F::kMotion, F::kPoseCount}, {}},
    Layout{Command::kGetMotionSize, {F::kBoard, F::kMotion}, {F::kPoseCount}},
    Layout{Command::kSetScenarioEntry, {F::kBoard, F::kScenario, F::kIndex, F::kMotion}, {}},
    Layout{Command::kGetScenarioEntry, {F::kBoard, F::kScenario, F::kIndex}, {F::kMotion}},
    Layout{Command::kSetScenarioSize, {F::kBoard, F::kScenario, F::kEntryCount}, {}},
    Layout{Command::kGetScenarioSize, {F::kBoard, F::kScenario}, {F::kEntryCount}},
    Layout{Command::kSetSwitches, {F::kBoard, F::kBits}, {}},
    Layout{Command::kGetSwitches, {F::kBoard}, {F::kBits}},
    Layout{Command::kPlayMotion, {F::kBoard, F::kMotion}, {}},
    Layout{Command::kPlayScenario, {F::kBoard, F::kScenario}, {}},
    Layout{Command::kSetKey, {F::kBoard, F::kKey, F::kKeyBytes}, {}},
    Layout{Command::kGetKey, {F::kBoard, F::kKey}, {F::kKeyBytes}},
    Layout{Command::kSetTrim, {F::kBoard, F::kTrim}, {}},
    Layout{Command::kGetTrim, {F::kBoard}, {F::kTrim}},
};

constexpr int kTrimShift = 20;  // wire value = trim + 20
constexpr std::uint8_t kMaxTrimWire = 39;
constexpr std::uint8_t kMaxData = 0xE7;  // a command byte is at least E8, data never look like one

const Layout* find_layout(std::uint8_t command) noexcept {
  for (const Layout& layout : kLayouts) {
    if (static_cast<std::uint8_t>(layout.command) == command) return &layout;
  }
  return nullptr;
}

bool acknowledges(const Layout& layout) noexcept {
  return layout.reply[0] == Field::kNone && layout.command != Command::kGetId;
}

constexpr std::size_t width(Field field) noexcept {
  switch (field) {
    case Field::kNone:
      return 0;
    case Field::kKeyBytes:
      return 3;
    case Field::kCounts:
    case Field::kTrim:
      return kChannelsPerBoard;
    default:
      return 1;
  }
}

template <class Fields>
constexpr std::size_t total_width(const Fields& fields) noexcept {
  std::size_t total = 0;
  for (const Field field : fields) total += width(field);
  return total;
}

/// Largest legal value of one byte of a field in a request.
constexpr std::uint8_t max_value(Field field) noexcept {
  switch (field) {
    case Field::kBoard:
      return 31;
    case Field::kSpeed:
      return 7;
    case Field::kMotion:
      return 39;
    case Field::kPose:
      return 99;
    case Field::kPoseCount:
      return 100;
    case Field::kScenario:
      return 3;
    case Field::kIndex:
      return 199;
    case Field::kEntryCount:
      return 200;
    case Field::kBits:
      return kSwitchSleep | kSwitchMotion;
    case Field::kTrim:
      return kMaxTrimWire;
    default:
      return kMaxData;
  }
}

bool request_byte_ok(Field field, std::uint8_t value) noexcept {
  if (field == Field::kMagic) return value == kIdMagic;
  if (field == Field::kCounts) {
    return value <= kMaxCount || (value >= kFree && value <= kOutputHigh);
  }
  return value <= max_value(field);
}

/// A board also receives what other programs send.
bool foreign_byte_ok(Field field, std::uint8_t value) noexcept {
  return request_byte_ok(field, value) || (field == Field::kCounts && value == kLeaveAlone);
}

/// A board may hold what we would never send: unused channels are undefined, bits partly unknown.
bool reply_byte_ok(Field field, std::uint8_t value) noexcept {
  if (field == Field::kCounts || field == Field::kBits || field == Field::kKeyBytes) return true;
  return value <= max_value(field);
}

// copies a field to or from the wire; `Message` is Request or Reply, const when encoding

std::span<std::uint8_t> bytes_of(Request& r, Field field) noexcept {
  switch (field) {
    case Field::kBoard:
      return {&r.board, 1};
    case Field::kSpeed:
      return {&r.speed, 1};
    case Field::kMotion:
      return {&r.motion, 1};
    case Field::kPose:
      return {&r.pose, 1};
    case Field::kPoseCount:
    case Field::kEntryCount:
      return {&r.count, 1};
    case Field::kScenario:
      return {&r.scenario, 1};
    case Field::kIndex:
      return {&r.index, 1};
    case Field::kBits:
      return {&r.bits, 1};
    case Field::kKey:
      return {&r.key, 1};
    case Field::kKeyBytes:
      return r.key_bytes;
    case Field::kCounts:
      return r.counts;
    default:
      return {};  // none, magic, trim: no byte of their own
  }
}

std::span<std::uint8_t> bytes_of(Reply& r, Field field) noexcept {
  switch (field) {
    case Field::kSpeed:
      return {&r.speed, 1};
    case Field::kMotion:
      return {&r.motion, 1};
    case Field::kPoseCount:
    case Field::kEntryCount:
      return {&r.count, 1};
    case Field::kBits:
      return {&r.bits, 1};
    case Field::kKeyBytes:
      return r.key_bytes;
    case Field::kCounts:
      return r.counts;
    default:
      return {};
  }
}

template <class Message>
bool put_trim(const Message& message, std::uint8_t* wire) noexcept {
  for (const std::int8_t trim_deg : message.trim_deg) {
    const int shifted = trim_deg + kTrimShift;
    if (shifted < 0 || shifted > kMaxTrimWire) return false;
    *wire++ = static_cast<std::uint8_t>(shifted);
  }
  return true;
}

template <class Message>
bool take_trim(const std::uint8_t* wire, Message& message) noexcept {
  for (std::int8_t& trim_deg : message.trim_deg) {
    if (*wire > kMaxTrimWire) return false;
    trim_deg = static_cast<std::int8_t>(*wire++ - kTrimShift);
  }
  return true;
}

/// Writes one field to `wire`; false when a byte is out of range.
template <class Message>
bool put_field(Message& message, Field field, bool (*byte_ok)(Field, std::uint8_t) noexcept,
               std::uint8_t* wire) noexcept {
  if (field == Field::kTrim) return put_trim(message, wire);
  if (field == Field::kMagic) {
    *wire = kIdMagic;
    return true;
  }
  for (const std::uint8_t value : bytes_of(message, field)) {
    if (!byte_ok(field, value)) return false;
    *wire++ = value;
  }
  return true;
}

/// Reads one field from `wire`; false when a byte is out of range.
template <class Message>
bool take_field(const std::uint8_t* wire, Field field,
                bool (*byte_ok)(Field, std::uint8_t) noexcept, Message& message) noexcept {
  if (field == Field::kTrim) return take_trim(wire, message);
  if (field == Field::kMagic) return byte_ok(field, *wire);
  for (std::uint8_t& value : bytes_of(message, field)) {
    if (!byte_ok(field, *wire)) return false;
    value = *wire++;
  }
  return true;
}

void close_with_sum(Frame& frame) noexcept {
  frame.bytes[frame.size] = check_sum(frame.view());
  ++frame.size;
}

bool sum_ok(std::span<const std::uint8_t> bytes) noexcept {
  return check_sum(bytes.first(bytes.size() - 1)) == bytes.back();
}

}  // namespace

std::uint8_t check_sum(std::span<const std::uint8_t> bytes) noexcept {
  unsigned sum = 0;
  for (const std::uint8_t byte : bytes) sum += byte;
  return static_cast<std::uint8_t>(sum & 0x7Fu);
}

std::size_t request_size(std::uint8_t command) noexcept {
  const Layout* layout = find_layout(command);
  return layout == nullptr ? 0 : 1 + total_width(layout->request) + 1;
}

std::size_t reply_size(Command command) noexcept {
  const Layout* layout = find_layout(static_cast<std::uint8_t>(command));
  if (layout == nullptr) return 0;
  return 1 + total_width(layout->reply) + 1;  // the last byte is the sum or the acknowledgement
}

IoStatus encode_request(const Request& request, Frame& frame) noexcept {
  const Layout* layout = find_layout(static_cast<std::uint8_t>(request.command));
  if (layout == nullptr) return IoStatus::kRefused;
  Request message = request;
  Frame built;
  built.bytes[built.size++] = static_cast<std::uint8_t>(request.command);
  for (const Field field : layout->request) {
    if (!put_field(message, field, &request_byte_ok, built.bytes.data() + built.size)) {
      return IoStatus::kRefused;
    }
    built.size += width(field);
  }
  close_with_sum(built);
  frame = built;
  return IoStatus::kOk;
}

IoStatus decode_request(std::span<const std::uint8_t> bytes, Request& request) noexcept {
  if (bytes.empty()) return IoStatus::kBadReply;
  const Layout* layout = find_layout(bytes[0]);
  if (layout == nullptr || bytes.size() != request_size(bytes[0])) return IoStatus::kBadReply;
  if (!sum_ok(bytes)) return IoStatus::kBadSum;
  Request message = request;
  message.command = layout->command;
  const std::uint8_t* wire = bytes.data() + 1;
  for (const Field field : layout->request) {
    if (!take_field(wire, field, &foreign_byte_ok, message)) return IoStatus::kBadReply;
    wire += width(field);
  }
  request = message;
  return IoStatus::kOk;
}

IoStatus encode_reply(Command command, const Reply& reply, Frame& frame) noexcept {
  const Layout* layout = find_layout(static_cast<std::uint8_t>(command));
  if (layout == nullptr || reply.board > max_value(Field::kBoard)) return IoStatus::kRefused;
  Reply message = reply;
  Frame built;
  built.bytes[built.size++] = reply.board;
  for (const Field field : layout->reply) {
    if (!put_field(message, field, &reply_byte_ok, built.bytes.data() + built.size)) {
      return IoStatus::kRefused;
    }
    built.size += width(field);
  }
  if (acknowledges(*layout)) {
    built.bytes[built.size++] = kAck;
  } else {
    close_with_sum(built);
  }
  frame = built;
  return IoStatus::kOk;
}

IoStatus decode_reply(Command command, std::uint8_t board, std::span<const std::uint8_t> bytes,
                      Reply& reply) noexcept {
  const Layout* layout = find_layout(static_cast<std::uint8_t>(command));
  if (layout == nullptr || bytes.size() != reply_size(command)) return IoStatus::kBadReply;
  if (acknowledges(*layout)) {
    if (bytes[0] != board || bytes[1] != kAck) return IoStatus::kBadReply;
    reply.board = bytes[0];
    return IoStatus::kOk;
  }
  if (!sum_ok(bytes)) return IoStatus::kBadSum;
  const bool any_board = command == Command::kGetId;
  if (bytes[0] > max_value(Field::kBoard)) return IoStatus::kBadReply;
  if (!any_board && bytes[0] != board) return IoStatus::kBadReply;
  Reply message = reply;
  message.board = bytes[0];
  const std::uint8_t* wire = bytes.data() + 1;
  for (const Field field : layout->reply) {
    if (!take_field(wire, field, &reply_byte_ok, message)) return IoStatus::kBadReply;
    wire += width(field);
  }
  reply = message;
  return IoStatus::kOk;
}

}  // namespace kagami::drivers::rcb1
