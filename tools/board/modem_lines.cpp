#include "tools/board/modem_lines.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "drivers/port/file_descriptor.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kLibrary = "libkagami-modem-lines.so";

}  // namespace

std::filesystem::path modem_preload_file(const std::string& kagami) {
  const std::filesystem::path here = std::filesystem::path(kagami).parent_path();
  if (here.empty()) return {};
  for (const std::filesystem::path& folder : {here, here / "../libexec/kagami"}) {
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(folder / kLibrary, error);
    if (!error) return file;
  }
  return {};
}

ModemLines::ModemLines(const std::string& terminal) {
  struct stat st {};
  if (::stat(terminal.c_str(), &st) != 0) {
    throw PortError(terminal + ": " + std::strerror(errno));
  }
  const drivers::FileDescriptor fd(
      ::open(file().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (fd.get() < 0 || ::ftruncate(fd.get(), sizeof(ModemState)) != 0) {
    throw PortError(file() + ": " + std::strerror(errno));
  }
  void* place =
      ::mmap(nullptr, sizeof(ModemState), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (place == MAP_FAILED) throw PortError(file() + ": " + std::strerror(errno));
  state_ = new (place) ModemState;
  state_->terminal = static_cast<std::uint64_t>(st.st_rdev);
}

ModemLines::~ModemLines() {
  ::munmap(state_, sizeof(ModemState));
}

bool ModemLines::dtr_is_high() const noexcept {
  return (state_->lines.load() & TIOCM_DTR) != 0;
}

std::uint32_t ModemLines::requests() const noexcept {
  return state_->requests.load();
}

}  // namespace kagami::tools
