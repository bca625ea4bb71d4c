/// Text of motion files in any of the encodings that are found in them, as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace kagami::motions {

struct DecodedText {
  std::string text;               ///< UTF-8
  bool has_replacements = false;  ///< bytes without a meaning became U+FFFD
};

/// UTF-8 from text that is ASCII, UTF-8 or else code page 932 (Shift-JIS). Set-up only.
DecodedText decode_text(std::string_view bytes);

/// Code page 932 from UTF-8, for the original programs; a character that it lacks becomes '?'.
std::string encode_cp932(std::string_view utf8);

/// A whole file as text: UTF-16 with a byte order mark is converted to UTF-8, the mark of UTF-8 is
/// removed, everything else is kept. Throws ConfigError for a file that is not text.
std::string file_text(std::string bytes, const std::string& file);

/// A part of a file for a message: decoded, in quotes, cut at 40 bytes.
std::string shown_text(std::string_view bytes);

}  // namespace kagami::motions
