#include "drivers/virtual/faults.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

constexpr int kMaxAnswers = 1'000'000'000;

void check_range(const std::string& word, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw ConfigError("fault '" + word + "': " + number_text(value) + " is outside [" +
                    number_text(least) + ", " + number_text(most) + "]");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail(std::string_view item) {
  throw ConfigError("fault '" + std::string(item) +
                    "' is unknown, expected: mute, zeros, drop K, flip K:BIT, id N, ack N, "
                    "extra N, late SECONDS, for N");
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

void add(BoardFaults& faults, std::string_view item) {
  const std::size_t space = item.find(' ');
  const std::string_view word = item.substr(0, space);
  const std::string_view rest = space == item.npos ? "" : trimmed(item.substr(space));
  if (rest.empty()) {
    if (word == "mute") {
      faults.mute = true;
    } else if (word == "zeros") {
      faults.zeros = true;
    } else {
      fail(item);
    }
    return;
  }
  if (word == "drop") {
    faults.drop_byte = whole(rest, item);
  } else if (word == "flip") {
    const std::size_t colon = rest.find(':');
    if (colon == rest.npos) fail(item);
    faults.flip_byte = whole(rest.substr(0, colon), item);
    faults.flip_bit = whole(rest.substr(colon + 1), item);
  } else if (word == "id") {
    faults.wrong_id = byte(rest, item, 31);
  } else if (word == "ack") {
    faults.acknowledge = byte(rest, item, 255);
  } else if (word == "extra") {
    faults.extra_bytes = whole(rest, item);
  } else if (word == "late") {
    faults.late = seconds(rest, item);
  } else if (word == "for") {
    faults.answers = whole(rest, item);
  } else {
    fail(item);
  }
}

}  // namespace

bool BoardFaults::any() const noexcept {
  return mute || zeros || drop_byte || flip_byte || wrong_id || acknowledge || extra_bytes > 0 ||
         late > 0.0;
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

  BoardFaults others = faults;
  others.mute = false;
  if (faults.mute && others.any()) {
    throw ConfigError("fault 'mute' excludes all others: there is no answer they could spoil");
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

}  // namespace kagami::drivers::virtual_robot
