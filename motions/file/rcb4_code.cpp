#include "motions/file/rcb4_code.hpp"

#include <array>
#include <charconv>

#include "models/base/errors.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

using Bytes = std::vector<std::uint8_t>;

// second byte of a command; docs/motion_files.md, "HeartToHeart4"
constexpr int kCodeMemory = 0x00, kCodeSubtract = 0x07, kCodeJump = 0x0B, kCodeCall = 0x0C,
              kCodeEnd = 0x0D, kCodeMoveOne = 0x0F, kCodeMoveMany = 0x10, kCodeValueOne = 0x11,
              kCodeValueMany = 0x12;
constexpr std::size_t kMaskBytes = 5;
constexpr int kLiteralToMemory = 0x02;

Bytes bytes_of(std::string_view hex, const std::string& place) {
  Bytes bytes;
  while (true) {
    const std::size_t start = hex.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return bytes;
    hex.remove_prefix(start);
    const std::string_view token = hex.substr(0, hex.find_first_of(" \t\r\n"));
    int value = -1;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value, 16);
    if (error != std::errc() || end != token.data() + token.size() || value < 0 || value > 255) {
      throw ConfigError(place + ": " + shown_text(token) + ", expected a byte, 00 to FF");
    }
    bytes.push_back(static_cast<std::uint8_t>(value));
    hex.remove_prefix(token.size());
  }
}

std::uint8_t sum_of(const Bytes& bytes, std::size_t count) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += bytes[i];
  return static_cast<std::uint8_t>(sum & 0xFFu);
}

int word(const Bytes& bytes, std::size_t at) {
  return bytes[at] | bytes[at + 1] << 8;
}

int address(const Bytes& bytes, std::size_t at) {
  return word(bytes, at) | bytes[at + 2] << 16;
}

void expect_size(const Bytes& bytes, std::size_t size, const std::string& place) {
  if (bytes.size() == size) return;
  throw ConfigError(place + ": " + std::to_string(bytes.size()) + " bytes, expected " +
                    std::to_string(size));
}

void read_many(const Bytes& bytes, Rcb4Command& command, const std::string& place) {
  std::vector<int> channels;
  if (bytes.size() < 2 + kMaskBytes + 2) expect_size(bytes, 2 + kMaskBytes + 4, place);
  for (int channel = 0; channel < kRcb4Channels; ++channel) {
    const int mask = bytes[2 + static_cast<std::size_t>(channel / 8)];
    if ((mask >> (channel % 8) & 1) != 0) channels.push_back(channel);
  }
  expect_size(bytes, 2 + kMaskBytes + 2 + 2 * channels.size(), place);
  command.frames = bytes[2 + kMaskBytes];
  for (std::size_t i = 0; i < channels.size(); ++i)
    command.positions.emplace_back(channels[i], word(bytes, 3 + kMaskBytes + 2 * i));
}

}  // namespace

Rcb4Command decode_rcb4(std::string_view hex, const std::string& place) {
  Bytes bytes = bytes_of(hex, place);
  // the editor fills the memory after the end with FF
  while (!bytes.empty() && bytes.size() > bytes[0] && bytes.back() == 0xFF) bytes.pop_back();
  if (bytes.size() < 3 || bytes.size() != bytes[0]) {
    throw ConfigError(place + ": " + std::to_string(bytes.size()) +
                      " bytes, expected as many as the first byte says, at least 3");
  }
  if (sum_of(bytes, bytes.size() - 1) != bytes.back()) {
    throw ConfigError(place + ": the sum is " + std::to_string(bytes.back()) + ", expected " +
                      std::to_string(sum_of(bytes, bytes.size() - 1)));
  }
  Rcb4Command command;
  command.size = static_cast<int>(bytes.size());
  command.code = bytes[1];
  switch (bytes[1]) {
    case kCodeMoveMany:
      command.kind = Rcb4Command::Kind::kMove;
      read_many(bytes, command, place);
      break;
    case kCodeMoveOne:
      expect_size(bytes, 7, place);
      command.kind = Rcb4Command::Kind::kMove;
      command.frames = bytes[3];
      command.positions.emplace_back(bytes[2], word(bytes, 4));
      break;
    case kCodeValueOne:
    case kCodeValueMany:
      command.kind = Rcb4Command::Kind::kServoValue;
      break;
    case kCodeMemory:
    case kCodeSubtract:
      if (bytes.size() != 8 || bytes[2] != kLiteralToMemory) break;
      command.kind =
          bytes[1] == kCodeMemory ? Rcb4Command::Kind::kSet : Rcb4Command::Kind::kSubtract;
      command.address = address(bytes, 3);
      command.value = bytes[6];
      break;
    case kCodeJump:
    case kCodeCall:
      expect_size(bytes, 7, place);
      command.address = address(bytes, 2);
      command.value = bytes[5];
      command.kind = bytes[1] == kCodeCall ? Rcb4Command::Kind::kCall
                     : command.value == 0  ? Rcb4Command::Kind::kJump
                                           : Rcb4Command::Kind::kJumpIf;
      break;
    case kCodeEnd:
      command.kind = Rcb4Command::Kind::kEnd;
      break;
    default:
      break;
  }
  return command;
}

std::string encode_rcb4(const std::vector<std::uint8_t>& body) {
  Bytes bytes;
  bytes.push_back(static_cast<std::uint8_t>(body.size() + 2));
  bytes.insert(bytes.end(), body.begin(), body.end());
  bytes.push_back(sum_of(bytes, bytes.size()));
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string encode_rcb4_move(const std::vector<std::pair<int, int>>& positions, int frames) {
  Bytes body(2 + kMaskBytes, 0);
  body[0] = kCodeMoveMany;
  body.back() = static_cast<std::uint8_t>(frames);
  for (const auto& [channel, position] : positions) {
    body[1 + static_cast<std::size_t>(channel / 8)] |= static_cast<std::uint8_t>(1 << channel % 8);
    body.push_back(static_cast<std::uint8_t>(position & 0xFF));
    body.push_back(static_cast<std::uint8_t>(position >> 8));
  }
  return encode_rcb4(body);
}

}  // namespace kagami::motions
