#include "runtime/record/viewer_json.hpp"

#include <charconv>
#include <cmath>

namespace kagami::runtime {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

void add_number(std::string& out, double value) {
  char digits[32];  // the longest shortest form is -2.2250738585072014e-308
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end.ptr);
}

void add_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end.ptr);
}

/// Length of the UTF-8 character at the front, 0 = none is (RFC 3629: no surrogates, no overlong
/// forms, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
  const unsigned a = at(0);
  const unsigned b = at(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool bad = (a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F);
    return !bad && tail(1) && tail(2) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool bad = (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F);
    return !bad && tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void add_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 0xF];
  }
}

void add_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    // plain characters go out in one piece
    std::size_t plain = 0;
    while (plain < text.size() && text[plain] >= 0x20 && text[plain] < 0x7F && text[plain] != '"' &&
           text[plain] != '\\') {
      ++plain;
    }
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD, the replacement character
    } else if (length == 1) {
      add_escaped(out, text[0]);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void add_time(std::string& out, std::uint64_t time_ns) {
  out += "\"timestamp\":{\"sec\":";
  add_number(out, time_ns / kSecond);
  out += ",\"nsec\":";
  add_number(out, time_ns % kSecond);
  out += '}';
}

/// One named column of numbers.
struct Column {
  std::string_view key;  // with quotes, comma and colon
  std::span<const double> values;
};

/// {"timestamp":..., "joints":[{"name":..., key: value, ...}, ...]}
void add_joint_table(std::string& out, std::uint64_t time_ns, std::span<const std::string> names,
                     std::span<const Column> columns) {
  out.clear();
  out += '{';
  add_time(out, time_ns);
  out += ",\"joints\":[";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "{\"name\":" : ",{\"name\":";
    add_text(out, names[i]);
    for (const Column& c : columns) {
      if (i >= c.values.size() || !std::isfinite(c.values[i])) continue;
      out += c.key;
      add_number(out, c.values[i]);
    }
    out += '}';
  }
  out += "]}";
}

void add_members(std::string& out, std::string_view keys, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += i == 0 ? "{\"" : ",\"";
    out += keys[i];
    out += "\":";
    add_number(out, values[i]);
  }
  out += '}';
}

bool finite(const FrameTransformView& t) {
  for (const double v : t.translation) {
    if (!std::isfinite(v)) return false;
  }
  for (const double v : t.rotation) {
    if (!std::isfinite(v)) return false;
  }
  return true;
}

}  // namespace

std::string_view ViewerJson::joint_states(const JointStatesView& view) {
  const std::array<Column, 4> columns{{{",\"position\":", view.position},
                                       {",\"velocity\":", view.velocity},
                                       {",\"acceleration\":", view.acceleration},
                                       {",\"effort\":", view.effort}}};
  add_joint_table(text_, view.time_ns, view.names, columns);
  return text_;
}

std::string_view ViewerJson::residual(const ResidualView& view) {
  const std::array<Column, 2> columns{
      {{",\"residual\":", view.residual}, {",\"residual_naive\":", view.residual_naive}}};
  add_joint_table(text_, view.time_ns, view.names, columns);
  return text_;
}

std::string_view ViewerJson::log(const LogView& view) {
  text_.clear();
  text_ += '{';
  add_time(text_, view.time_ns);
  text_ += ",\"level\":";
  add_number(text_, std::uint64_t{static_cast<std::uint8_t>(view.level)});
  text_ += ",\"message\":";
  add_text(text_, view.message);
  text_ += ",\"name\":";
  add_text(text_, view.name);
  text_ += ",\"file\":";
  add_text(text_, view.file);
  text_ += ",\"line\":";
  add_number(text_, std::uint64_t{view.line});
  text_ += '}';
  return text_;
}

std::string_view ViewerJson::frame_transforms(std::uint64_t time_ns,
                                              std::span<const FrameTransformView> transforms) {
  text_.clear();
  text_ += "{\"transforms\":[";
  bool first = true;
  for (const FrameTransformView& t : transforms) {
    if (!finite(t)) continue;
    text_ += first ? "{" : ",{";
    first = false;
    add_time(text_, time_ns);
    text_ += ",\"parent_frame_id\":";
    add_text(text_, t.parent);
    text_ += ",\"child_frame_id\":";
    add_text(text_, t.child);
    text_ += ",\"translation\":";
    add_members(text_, "xyz", t.translation);
    text_ += ",\"rotation\":";
    add_members(text_, "xyzw", t.rotation);
    text_ += '}';
  }
  text_ += "]}";
  return text_;
}

}  // namespace kagami::runtime
