// The list of serial ports, on a made-up /dev, /sys and /proc.
#include "drivers/port/list_ports.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace kagami::drivers {
namespace {

namespace fs = std::filesystem;

class Ports : public ::testing::Test {
 protected:
  Ports()
      : root_(fs::path(::testing::TempDir()) / ("kagami_ports_" + std::to_string(::getpid()))),
        places_{root_ / "dev", root_ / "sys", root_ / "proc"} {
    fs::remove_all(root_);
    for (const fs::path& folder : {places_.dev, places_.sys, places_.proc}) {
      fs::create_directories(folder);
    }
  }
  ~Ports() override { fs::remove_all(root_); }

  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  /// A port as the kernel shows it: class entry, device folder, driver.
  void add_port(const std::string& name, const std::string& driver, const fs::path& device) {
    put(places_.dev / name, "");
    fs::create_directories(places_.sys / "drivers" / driver);
    fs::create_directories(device);
    fs::create_directory_symlink(places_.sys / "drivers" / driver, device / "driver");
    const fs::path entry = places_.sys / "class" / "tty" / name;
    fs::create_directories(entry);
    fs::create_directory_symlink(device, entry / "device");
  }

  fs::path root_;
  PortPlaces places_;
};

TEST_F(Ports, UsbAdapterIsListedWithItsNameDriverTimerAndHolder) {
  const fs::path usb = places_.sys / "devices" / "usb1" / "1-2";
  add_port("ttyUSB0", "ftdi_sio", usb / "1-2:1.0" / "ttyUSB0");
  put(usb / "idVendor", "0403");
  put(usb / "idProduct", "6001");
  put(usb / "product", "ICS-USB");
  put(usb / "serial", "A9001");
  put(places_.sys / "bus" / "usb-serial" / "devices" / "ttyUSB0" / "latency_timer", "16");
  fs::create_directories(places_.dev / "serial" / "by-id");
  fs::create_symlink("../../ttyUSB0", places_.dev / "serial" / "by-id" / "usb-Kondo_A9001");
  put(places_.proc / "812" / "comm", "minicom");
  fs::create_directories(places_.proc / "812" / "fd");
  fs::create_symlink(places_.dev / "ttyUSB0", places_.proc / "812" / "fd" / "3");

  const std::vector<PortInfo> ports = list_ports(places_);
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_EQ(ports[0].path, places_.dev / "ttyUSB0");
  EXPECT_EQ(ports[0].by_id, places_.dev / "serial" / "by-id" / "usb-Kondo_A9001");
  EXPECT_EQ(ports[0].driver, "ftdi_sio");
  EXPECT_EQ(ports[0].vendor_id, "0403");
  EXPECT_EQ(ports[0].product_id, "6001");
  EXPECT_EQ(ports[0].product, "ICS-USB");
  EXPECT_EQ(ports[0].serial, "A9001");
  EXPECT_EQ(ports[0].latency_timer_ms, 16);
  ASSERT_TRUE(ports[0].holder.has_value());
  EXPECT_EQ(ports[0].holder->pid, 812);
  EXPECT_EQ(ports[0].holder->program, "minicom");
  EXPECT_EQ(latency_timer_ms(ports[0].by_id, places_), 16);
}

TEST_F(Ports, OnlySerialPortsWithHardwareAreListedInOrder) {
  const fs::path devices = places_.sys / "devices";
  add_port("ttyUSB1", "pl2303", devices / "b");
  add_port("ttyACM0", "cdc_acm", devices / "a");
  add_port("ttyS0", "serial8250", devices / "s0");
  put(places_.sys / "class" / "tty" / "ttyS0" / "type", "4");
  add_port("ttyS1", "serial8250", devices / "s1");
  put(places_.sys / "class" / "tty" / "ttyS1" / "type", "0");  // no chip behind it
  add_port("tty1", "vt", devices / "v");
  fs::create_directories(places_.sys / "class" / "tty" / "ttyUSB9");  // no driver, no device file
  const std::vector<PortInfo> ports = list_ports(places_);
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0].path, places_.dev / "ttyACM0");
  EXPECT_EQ(ports[1].path, places_.dev / "ttyS0");
  EXPECT_EQ(ports[2].path, places_.dev / "ttyUSB1");
  EXPECT_EQ(ports[2].latency_timer_ms, -1);
  EXPECT_FALSE(ports[2].holder.has_value());
}

TEST_F(Ports, MachineWithoutAnythingHasAnEmptyList) {
  EXPECT_TRUE(list_ports(places_).empty());
  EXPECT_TRUE(list_ports({"/nowhere", "/nowhere", "/nowhere"}).empty());
  EXPECT_FALSE(find_holder("/nowhere/ttyUSB0", places_).has_value());
}

}  // namespace
}  // namespace kagami::drivers
