#include "drivers/virtual/faults.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

constexpr int kMaxAnswers = 1'000'000'000;
constexpr double kMaxSeconds = 1e9;
constexpr int kMaxOffset = 180;  // degrees

void check_range(const std::string& fault, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw ConfigError("fault '" + fault + "': " + number_text(value) + " is outside [" +
                    number_text(least) + ", " + number_text(most) + "]");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail(std::string_view item) {
  throw ConfigError("fault '" + std::string(item) + "' is unknown, expected: " + kFaultItems);
}

// a whole number that fills the text
int whole(std::string_view text, std::string_view item) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) fail(item);
  return value;
}

double seconds(std::string_view text, std::string_view item) {
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) fail(item);
  return value;
}

std::uint8_t byte(std::string_view text, std::string_view item, int most) {
  const int value = whole(text, item);
  check_range(std::string(item), value, 0, most);
  return static_cast<std::uint8_t>(value);
}

std::size_t channel(std::string_view text, std::string_view item) {
  return byte(text, item, kChannelsPerBoard - 1);
}

/// "2:30" in its two parts.
struct Pair {
  std::string_view first;
  std::string_view second;
};

Pair pair(std::string_view text, std::string_view item) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) fail(item);
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// an item without a value; false: there is none of this name
bool add_plain(BoardFaults& faults, std::string_view kind) {
  const std::array<std::pair<std::string_view, bool*>, 8> flags{
      {{"mute", &faults.mute},
       {"off", &faults.off},
       {"reset", &faults.reset},
       {"echo", &faults.echo},
       {"ackonly", &faults.ack_only},
       {"zeros", &faults.zeros},
       {"neverfollow", &faults.never_follows},
       {"nosleep", &faults.no_sleep}}};
  for (const auto& [name, flag] : flags) {
    if (kind == name) return *flag = true;
  }
  if (kind == "frozen") faults.frozen.set();
  if (kind == "limp") faults.limp.set();
  return kind == "frozen" || kind == "limp";
}

// a fault of one channel; false: there is none of this name
bool add_channel(BoardFaults& faults, std::string_view kind, std::string_view rest,
                 std::string_view item) {
  if (kind == "offset") {
    const auto [slot, degrees] = pair(rest, item);
    const int value = whole(degrees, item);
    check_range(std::string(item), value, -kMaxOffset, kMaxOffset);
    faults.offset_deg[channel(slot, item)] = static_cast<std::int16_t>(value);
  } else if (kind == "reads") {
    const auto [slot, value] = pair(rest, item);
    faults.reads[channel(slot, item)] = byte(value, item, 255);
  } else if (kind == "frozen") {
    faults.frozen.set(channel(rest, item));
  } else if (kind == "stuck") {
    faults.stuck.set(channel(rest, item));
  } else if (kind == "limp") {
    faults.limp.set(channel(rest, item));
  } else {
    return false;
  }
  return true;
}

// a fault of the answers' bytes; false: there is none of this name
bool add_answer(BoardFaults& faults, std::string_view kind, std::string_view rest,
                std::string_view item) {
  if (kind == "drop") {
    faults.drop_byte = whole(rest, item);
  } else if (kind == "flip") {
    const auto [index, bit] = pair(rest, item);
    faults.flip_byte = whole(index, item);
    faults.flip_bit = whole(bit, item);
  } else if (kind == "id") {
    faults.wrong_id = byte(rest, item, 31);
  } else if (kind == "ack") {
    faults.acknowledge = byte(rest, item, 255);
  } else if (kind == "extra") {
    faults.extra_bytes = whole(rest, item);
  } else if (kind == "late") {
    faults.late = seconds(rest, item);
  } else {
    return false;
  }
  return true;
}

void add(BoardFaults& faults, std::string_view item) {
  const std::size_t space = item.find(' ');
  const std::string_view kind = item.substr(0, space);
  const std::string_view rest = space == item.npos ? "" : trimmed(item.substr(space));
  if (rest.empty()) {
    if (!add_plain(faults, kind)) fail(item);
  } else if (kind == "for") {
    faults.answers = whole(rest, item);
  } else if (kind == "from") {
    faults.from = seconds(rest, item);
  } else if (kind == "until") {
    faults.until = seconds(rest, item);
  } else if (!add_answer(faults, kind, rest, item) && !add_channel(faults, kind, rest, item)) {
    fail(item);
  }
}

bool spoils_answers(const BoardFaults& f) {
  return f.zeros || f.drop_byte || f.flip_byte || f.wrong_id || f.acknowledge ||
         f.extra_bytes > 0 || f.late > 0.0 || f.ack_only;
}

bool spoils_readings(const BoardFaults& f) {
  const auto is_set = [](const auto& value) { return value.has_value(); };
  return f.frozen.any() || std::any_of(f.reads.begin(), f.reads.end(), is_set) ||
         std::any_of(f.offset_deg.begin(), f.offset_deg.end(), [](int deg) { return deg != 0; });
}

}  // namespace

bool BoardFaults::any() const noexcept {
  return mute || off || reset || echo || never_follows || no_sleep || stuck.any() || limp.any() ||
         spoils_answers(*this) || spoils_readings(*this);
}

void check(const BoardFaults& faults) {
  constexpr int kLastByte = static_cast<int>(rcb1::kMaxFrame) - 1;
  if (faults.drop_byte) check_range("drop", *faults.drop_byte, 0, kLastByte);
  if (faults.flip_byte) check_range("flip", *faults.flip_byte, 0, kLastByte);
  check_range("flip bit", faults.flip_bit, 0, 7);
  if (faults.wrong_id) check_range("id", *faults.wrong_id, 0, 31);
  check_range("extra", faults.extra_bytes, 0, kMaxExtraBytes);
  check_range("late", faults.late, 0.0, 10.0);
  check_range("for", faults.answers, 0, kMaxAnswers);
  check_range("from", faults.from, 0.0, kMaxSeconds);
  if (!(faults.until > faults.from)) {
    throw ConfigError("fault 'until': " + number_text(faults.until) +
                      " s is not after its 'from', " + number_text(faults.from) + " s");
  }
  if (faults.mute && (spoils_answers(faults) || spoils_readings(faults))) {
    throw ConfigError("fault 'mute' excludes all other faults: a mute board sends no answer");
  }
  if (faults.drop_byte && faults.flip_byte == faults.drop_byte) {
    throw ConfigError("faults 'drop' and 'flip' name the same byte");
  }
}

BoardFaults parse_faults(std::string_view text) {
  BoardFaults faults;
  while (true) {
    const std::size_t comma = text.find(',');
    add(faults, trimmed(text.substr(0, comma)));
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  check(faults);
  return faults;
}

std::vector<PlacedFaults> parse_placed_faults(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string board = text.substr(0, colon);
  if (colon == std::string::npos || (board != "0" && board != "1" && board != "*")) {
    throw ConfigError("--fault " + text +
                      ": expected 0 or 1 (or * for both boards), a colon and the fault, e.g. "
                      "'1:mute'");
  }
  const BoardFaults faults = parse_faults(std::string_view(text).substr(colon + 1));
  if (board != "*") return {{board == "0" ? 0 : 1, faults}};
  return {{0, faults}, {1, faults}};
}

}  // namespace kagami::drivers::virtual_robot
