// Texts come from motion files and file names and may contain any bytes.
#include "tools/analysis/html.hpp"

#include <cstdint>

namespace kagami::tools {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// Bytes of the valid UTF-8 character at `i`, 0 = none. Overlong forms and surrogates are refused.
std::size_t character_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return 0;
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3Fu);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_outside = code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
  return is_overlong || is_outside ? 0 : length;
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    const char c = text[i];
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
        c == 0x7F)
      escaped += kReplacement;
    else if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (c == '\'')
      escaped += "&#39;";
    else
      escaped += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return escaped;
}

}  // namespace kagami::tools
