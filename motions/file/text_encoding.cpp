#include "motions/file/text_encoding.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/base/errors.hpp"

namespace kagami::motions {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// closes the conversion descriptor on every path
class Converter {
 public:
  Converter(const char* to, const char* from) : handle_(iconv_open(to, from)) {}
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  [[nodiscard]] bool is_open() const { return reinterpret_cast<std::intptr_t>(handle_) != -1; }
  [[nodiscard]] iconv_t handle() const { return handle_; }

 private:
  iconv_t handle_;
};

// `unit`: bytes of the smallest character, skipped where they start none
DecodedText converted(std::string_view bytes, const char* to, const char* from, std::size_t unit,
                      std::string_view replacement) {
  DecodedText result;
  const Converter converter(to, from);
  std::string input(bytes);
  char* in = input.data();
  std::size_t in_left = input.size();
  while (in_left > 0) {
    std::array<char, 4096> buffer{};
    char* out = buffer.data();
    std::size_t out_left = buffer.size();
    const std::size_t before = in_left;
    if (converter.is_open()) iconv(converter.handle(), &in, &in_left, &out, &out_left);
    result.text.append(buffer.data(), buffer.size() - out_left);
    if (in_left == before && out_left == buffer.size()) {
      result.text += replacement;
      result.has_replacements = true;
      const std::size_t skipped = std::min(unit, in_left);
      in += skipped;
      in_left -= skipped;
    }
  }
  return result;
}

DecodedText converted(std::string_view bytes, const char* from, std::size_t unit) {
  return converted(bytes, "UTF-8", from, unit, kReplacement);
}

bool is_ascii(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

DecodedText decode_text(std::string_view bytes) {
  if (is_ascii(bytes)) return {std::string(bytes), false};
  DecodedText as_utf8 = converted(bytes, "UTF-8", 1);
  return as_utf8.has_replacements ? converted(bytes, "CP932", 1) : as_utf8;
}

std::string encode_cp932(std::string_view utf8) {
  // a character that cannot be encoded is skipped byte by byte: one '?' for each of them is enough
  std::string text = converted(utf8, "CP932", "UTF-8", 1, "?").text;
  text.erase(
      std::unique(text.begin(), text.end(), [](char a, char b) { return a == '?' && b == '?'; }),
      text.end());
  return text;
}

std::string file_text(std::string bytes, const std::string& file) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF", kLittle = "\xFF\xFE", kBig = "\xFE\xFF";
  if (bytes.starts_with(kUtf8Mark)) return bytes.substr(kUtf8Mark.size());
  if (bytes.starts_with(kLittle) || bytes.starts_with(kBig)) {
    const char* encoding = bytes.starts_with(kLittle) ? "UTF-16LE" : "UTF-16BE";
    bytes = converted(std::string_view(bytes).substr(2), encoding, 2).text;
  }
  if (bytes.find('\0') != std::string::npos) {
    throw ConfigError(file + ": is not text (byte " + std::to_string(bytes.find('\0') + 1) +
                      " is 0), expected a motion file");
  }
  return bytes;
}

std::string shown_text(std::string_view bytes) {
  return "'" + decode_text(bytes.substr(0, 40)).text + (bytes.size() > 40 ? "..." : "") + "'";
}

}  // namespace kagami::motions
