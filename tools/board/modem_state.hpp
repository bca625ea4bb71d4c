/// The modem lines of a board's pseudo-terminal, shared by the board and the preload library.
#pragma once

#include <atomic>
#include <cstdint>

namespace kagami::tools {

/// Names of environment variables of a program that `kagami board --exec` runs.
inline constexpr const char* kPortVariable = "KAGAMI_PORT";
inline constexpr const char* kModemVariable = "KAGAMI_MODEM_LINES";  ///< file with a ModemState

/// Contents of the file that both sides map. Any thread of any process.
struct ModemState {
  std::atomic<std::uint64_t> terminal{0};  ///< st_rdev of the board's terminal
  std::atomic<std::int32_t> lines{0};      ///< TIOCM_DTR, TIOCM_RTS: what the host drives
  std::atomic<std::uint32_t> requests{0};  ///< requests for modem lines that were answered
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::int32_t>::is_always_lock_free);

}  // namespace kagami::tools
