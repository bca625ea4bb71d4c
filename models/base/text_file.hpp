#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace kagami {

/// Whole text of a file of at most `max_bytes`. Throws ConfigError that names the file and the
/// cause.
std::string read_text_file(const std::filesystem::path& file, std::size_t max_bytes = 64u << 20);

}  // namespace kagami
