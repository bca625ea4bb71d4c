#include "drivers/port/list_ports.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace kagami::drivers {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

bool is_serial_name(const std::string& name) {
  return name.rfind("ttyUSB", 0) == 0 || name.rfind("ttyACM", 0) == 0 ||
         (name.rfind("ttyS", 0) == 0 && number(std::string_view(name).substr(4)).has_value());
}

std::string by_id_of(const fs::path& device, const PortPlaces& places) {
  for (const fs::path& link : entries(places.dev / "serial" / "by-id")) {
    if (resolved(link) == resolved(device)) return link.string();
  }
  return {};
}

/// USB's own files lie a few folders above the port's.
void read_usb(const fs::path& device, PortInfo& info) {
  fs::path folder = resolved(device);
  for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    if (std::error_code error; !fs::exists(folder / "idVendor", error)) continue;
    info.vendor_id = first_line(folder / "idVendor");
    info.product_id = first_line(folder / "idProduct");
    info.product = first_line(folder / "product");
    info.serial = first_line(folder / "serial");
    return;
  }
}

bool holds(const fs::path& process, const fs::path& device, const struct stat& wanted) {
  for (const fs::path& fd : entries(process / "fd")) {
    struct stat st {};
    if (::stat(fd.c_str(), &st) == 0 && S_ISCHR(st.st_mode) && S_ISCHR(wanted.st_mode)) {
      if (st.st_rdev == wanted.st_rdev) return true;
    } else if (std::error_code error; fs::read_symlink(fd, error) == device) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<PortInfo> list_ports(const PortPlaces& places) {
  std::vector<PortInfo> ports;
  for (const fs::path& tty : entries(places.sys / "class" / "tty")) {
    const std::string name = tty.filename().string();
    std::error_code error;
    if (!is_serial_name(name) || !fs::exists(places.dev / name, error)) continue;
    const fs::path driver = resolved(tty / "device" / "driver");
    // a ttyS without hardware behind it reports type 0
    if (name.rfind("ttyS", 0) == 0 && first_line(tty / "type") == "0") continue;
    if (!fs::exists(driver, error)) continue;

    PortInfo info;
    info.path = (places.dev / name).string();
    info.by_id = by_id_of(places.dev / name, places);
    info.driver = driver.filename().string();
    read_usb(tty / "device", info);
    info.latency_timer_ms = latency_timer_ms(info.path, places);
    info.holder = find_holder(info.path, places);
    ports.push_back(std::move(info));
  }
  return ports;
}

std::optional<PortHolder> find_holder(const std::string& path, const PortPlaces& places) {
  const fs::path device = resolved(path);
  struct stat wanted {};
  if (::stat(device.c_str(), &wanted) != 0) return std::nullopt;
  for (const fs::path& process : entries(places.proc)) {
    const std::optional<int> pid = number(process.filename().string());
    if (!pid || *pid == ::getpid()) continue;
    if (holds(process, device, wanted)) return PortHolder{*pid, first_line(process / "comm")};
  }
  return std::nullopt;
}

std::string holder_text(const std::string& path) {
  const std::optional<PortHolder> holder = find_holder(path);
  if (!holder) return {};
  return "pid " + std::to_string(holder->pid) + " (" + holder->program + ")";
}

int latency_timer_ms(const std::string& path, const PortPlaces& places) {
  const std::string name = resolved(path).filename().string();
  const fs::path file = places.sys / "bus" / "usb-serial" / "devices" / name / "latency_timer";
  return number(first_line(file)).value_or(-1);
}

}  // namespace kagami::drivers
