/// The serial ports of this machine: names, adapters, who holds them. Set-up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kagami::drivers {

/// A program that has a port open.
struct PortHolder {
  int pid = 0;
  std::string program;  ///< its short name
};

struct PortInfo {
  std::string path;        ///< /dev/ttyUSB0
  std::string by_id;       ///< /dev/serial/by-id/...: survives replugging; empty when there is none
  std::string driver;      ///< ftdi_sio, cdc_acm, serial8250, ...
  std::string vendor_id;   ///< USB, four hexadecimal digits, or empty
  std::string product_id;  ///< USB, or empty
  std::string product;     ///< what the adapter calls itself, or empty
  std::string serial;      ///< its serial number, or empty
  int latency_timer_ms = -1;  ///< FTDI's collecting time; -1 = none known
  std::optional<PortHolder> holder;
};

/// Where the system keeps these things; tests give their own.
struct PortPlaces {
  std::filesystem::path dev = "/dev";
  std::filesystem::path sys = "/sys";
  std::filesystem::path proc = "/proc";
};

/// ttyUSB*, ttyACM* and those ttyS* that a driver claims, in the order of their names. What cannot
/// be read stays empty; never throws for it.
std::vector<PortInfo> list_ports(const PortPlaces& places = {});

/// Another process that has `path` open, if /proc shows one.
std::optional<PortHolder> find_holder(const std::string& path, const PortPlaces& places = {});
/// "pid 812 (minicom)", or empty.
std::string holder_text(const std::string& path);
/// The adapter's collecting time for `path`, ms; -1 when there is none.
int latency_timer_ms(const std::string& path, const PortPlaces& places = {});

}  // namespace kagami::drivers
