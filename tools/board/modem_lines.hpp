/// The board's side of the modem lines that a preload library answers.
#pragma once

#include <filesystem>
#include <string>

#include "models/base/temporary_folder.hpp"
#include "tools/board/modem_state.hpp"

namespace kagami::tools {

/// The library beside the program `kagami`, or where it is installed. Empty when there is none.
std::filesystem::path modem_preload_file(const std::string& kagami);

/// The shared file of one terminal.
class ModemLines {
 public:
  /// `terminal`: "/dev/pts/7". Throws PortError.
  explicit ModemLines(const std::string& terminal);
  ~ModemLines();
  ModemLines(const ModemLines&) = delete;
  ModemLines& operator=(const ModemLines&) = delete;

  [[nodiscard]] std::string file() const { return folder_.file("modem_lines"); }
  /// The host drives DTR high. Any thread.
  [[nodiscard]] bool dtr_is_high() const noexcept;
  /// Requests for modem lines that were answered. Any thread.
  [[nodiscard]] std::uint32_t requests() const noexcept;

 private:
  TemporaryFolder folder_;
  ModemState* state_ = nullptr;
};

}  // namespace kagami::tools
