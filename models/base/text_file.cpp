#include "models/base/text_file.hpp"

#include <fstream>
#include <system_error>

#include "models/base/errors.hpp"

namespace kagami {

std::string read_text_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw ConfigError(file.string() + ": no such file");
  if (!std::filesystem::is_regular_file(file, error)) {
    throw ConfigError(file.string() + ": not a regular file");
  }
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (!error && size > max_bytes) {
    throw ConfigError(file.string() + ": " + std::to_string(size) + " bytes, expected at most " +
                      std::to_string(max_bytes));
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(error ? 0 : size), '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw ConfigError(file.string() + ": cannot be read");
  }
  return text;
}

}  // namespace kagami
