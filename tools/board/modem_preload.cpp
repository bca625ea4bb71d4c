// libkagami-modem-lines.so, for LD_PRELOAD: a pseudo-terminal has no modem lines, and programs for
// serial ports fail where they set them. This library answers such requests for the terminal of a
// virtual board, and for no other: every request goes to the system first, and is answered here
// only if the system does not know it.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tools/board/modem_state.hpp"

namespace {

using kagami::tools::ModemState;

// the host's own lines, and those that a device would drive
constexpr int kHostLines = TIOCM_DTR | TIOCM_RTS;
constexpr int kDeviceLines = TIOCM_CTS | TIOCM_DSR | TIOCM_CAR;

using Ioctl = int (*)(int, unsigned long, ...);

// the next function of this name: the C library's, or another preload library's
int system_ioctl(int fd, unsigned long request, void* argument) {
  static std::atomic<Ioctl> next{nullptr};
  Ioctl call = next.load(std::memory_order_acquire);
  if (call == nullptr) {
    void* found = ::dlsym(RTLD_NEXT, "ioctl");
    if (found == nullptr) return static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
    static_assert(sizeof found == sizeof call);
    std::memcpy(&call, &found, sizeof call);
    next.store(call, std::memory_order_release);
  }
  return call(fd, request, argument);
}

ModemState* map_state() {
  const char* file = std::getenv(kagami::tools::kModemVariable);
  if (file == nullptr) return nullptr;
  const int fd = ::open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* place = ::mmap(nullptr, sizeof(ModemState), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return place == MAP_FAILED ? nullptr : static_cast<ModemState*>(place);
}

// null where there is no board; mapped by the first thread that needs it
ModemState* state() {
  static std::atomic<ModemState*> mapped{nullptr};
  ModemState* known = mapped.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  ModemState* mine = map_state();
  if (mine == nullptr || mapped.compare_exchange_strong(known, mine)) return mine;
  ::munmap(mine, sizeof(ModemState));
  return known;
}

bool is_modem_request(unsigned long request) {
  switch (request) {
    case TIOCMGET:
    case TIOCMSET:
    case TIOCMBIS:
    case TIOCMBIC:
    case TIOCGICOUNT:
    case TIOCGSERIAL:
    case TIOCSSERIAL:
    case TIOCSBRK:
    case TIOCCBRK:
      return true;
    default:
      return false;
  }
}

// as the driver of a serial port answers
int answer(ModemState& modem, unsigned long request, void* argument) {
  const bool has_argument = request != TIOCSBRK && request != TIOCCBRK;
  if (has_argument && argument == nullptr) {
    errno = EFAULT;
    return -1;
  }
  modem.requests.fetch_add(1, std::memory_order_relaxed);
  int lines = 0;
  if (request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC) {
    std::memcpy(&lines, argument, sizeof lines);
    lines &= kHostLines;
  }
  switch (request) {
    case TIOCMGET:
      lines = modem.lines.load() | kDeviceLines;
      std::memcpy(argument, &lines, sizeof lines);
      break;
    case TIOCMSET:
      modem.lines.store(lines);
      break;
    case TIOCMBIS:
      modem.lines.fetch_or(lines);
      break;
    case TIOCMBIC:
      modem.lines.fetch_and(~lines);
      break;
    case TIOCGICOUNT:
      std::memset(argument, 0, sizeof(serial_icounter_struct));
      break;
    case TIOCGSERIAL: {
      serial_struct serial{};
      serial.type = PORT_16550A;
      serial.baud_base = 115200;
      std::memcpy(argument, &serial, sizeof serial);
      break;
    }
    default:  // a break or settings of the adapter: there is nothing to set
      break;
  }
  return 0;
}

bool is_board_terminal(const ModemState& modem, int fd) {
  struct stat st {};
  return ::fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
         static_cast<std::uint64_t>(st.st_rdev) == modem.terminal.load();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int fd, unsigned long request,
                                                            ...) noexcept {
  std::va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);

  const int before = errno;
  const int result = system_ioctl(fd, request, argument);
  if (result >= 0 || !is_modem_request(request)) return result;
  const int error = errno;
  if (error != ENOTTY && error != EINVAL) return result;
  ModemState* modem = state();
  if (modem == nullptr || !is_board_terminal(*modem, fd)) {
    errno = error;
    return result;
  }
  errno = before;
  return answer(*modem, request, argument);
}
