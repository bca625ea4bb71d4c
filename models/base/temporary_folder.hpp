/// An empty folder for files that are not needed afterwards.
#pragma once

#include <filesystem>
#include <string>

namespace kagami {

/// A new folder in the system's folder for temporary files, removed with all its files at the end.
class TemporaryFolder {
 public:
  /// Throws RecordError that names the folder and the cause.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Path of `name` in the folder, as text.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace kagami
