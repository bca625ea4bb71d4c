/// A raw pseudo-terminal whose other end is a program for the robot, and the symbolic link to it.
#pragma once

#include <filesystem>
#include <string>

namespace kagami::drivers::virtual_robot {

/// Open from its construction to its destruction. It keeps the host's end open too, so hosts may
/// connect and disconnect.
class PseudoTerminal {
 public:
  /// `link`: path of a symbolic link to the terminal; empty = no link. The link of a terminal that
  /// no longer exists is replaced. Throws PortError, also where the path is anything else: a file,
  /// or a link to a terminal that another process has open (with that process, where it is known).
  explicit PseudoTerminal(const std::filesystem::path& link = {});
  /// Closes the terminal (for the host it is unplugged) and removes the link.
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// "/dev/pts/7": what the host opens.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Our end; reading does not wait.
  [[nodiscard]] int master() const noexcept { return master_; }
  /// Undoes what a host may have left: cooked mode, and the lock against other users (TIOCEXCL).
  void restore() noexcept;

 private:
  int master_ = -1;
  int slave_ = -1;
  std::string path_;
  std::filesystem::path link_;
};

}  // namespace kagami::drivers::virtual_robot
