/// Files that are replaced as a whole: written beside their place, synced, moved there.
#pragma once

#include <filesystem>
#include <string_view>

namespace kagami {

/// A new version of a file. It is written under an unpredictable name in the same folder, created
/// for the owner alone and never through a link, and takes the file's place with `commit`. Without
/// a commit it is removed and the file stays as it was. A device, a pipe and the name of an open
/// file (/dev/stdout) cannot be replaced: then `beside` is the file itself. One thread; set-up
/// code.
class FileReplacement {
 public:
  /// Creates the empty new version. Throws RecordError that names the file and the cause.
  explicit FileReplacement(std::filesystem::path file);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Where to write. Close the file before the commit.
  [[nodiscard]] const std::filesystem::path& beside() const noexcept { return beside_; }
  /// Waits until the disk holds the new version, moves it into place and syncs the folder. Throws
  /// RecordError; the new version is then removed.
  void commit();
  /// Leaves the new version where it is, under its own name, and the old file in place.
  void keep_beside() noexcept { is_pending_ = false; }

 private:
  std::filesystem::path file_;
  std::filesystem::path beside_;
  bool is_pending_ = true;  // beside_ exists and has to be moved or removed
};

/// Replaces `file` by `text`, whole or not at all. Throws RecordError that names the file and the
/// cause.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

}  // namespace kagami
