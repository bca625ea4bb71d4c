// A program for serial ports, as test of libkagami-modem-lines.so. Not linked with Kagami.
//
// modem_program PORT libserial      drives the modem lines through libserial and talks to board 0
// modem_program PORT dtr-high       the same with DTR left high
// modem_program PORT system         what must reach the system unchanged, from many threads
#include <fcntl.h>
#include <libserial/SerialPort.h>
#include <linux/serial.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void expect(bool fine, const char* what) {
  if (fine) return;
  ++failures;
  std::fprintf(stderr, "modem_program: %s (errno %d)\n", what, errno);
}

// F0 asks board 0 for its switch bits: id, bits, sum
bool talk(LibSerial::SerialPort& port) {
  constexpr std::size_t kAnswer = 3;
  constexpr std::size_t kPatienceMs = 300;
  port.Write(LibSerial::DataBuffer{0xF0, 0x00, 0x70});
  LibSerial::DataBuffer answer;
  try {
    port.Read(answer, kAnswer, kPatienceMs);
  } catch (const LibSerial::ReadTimeout&) {
    return false;
  }
  return answer == LibSerial::DataBuffer{0x00, 0x00, 0x00};
}

void use_libserial(const char* path, bool leave_high) {
  LibSerial::SerialPort port(path);
  port.SetBaudRate(LibSerial::BaudRate::BAUD_115200);
  port.SetDTR(true);
  port.SetRTS(true);
  expect(port.GetDTR() && port.GetRTS(), "lines that were raised are low");
  expect(port.GetCTS() && port.GetDSR(), "the device's lines are low");
  port.SetDTR(leave_high);
  expect(port.GetDTR() == leave_high && port.GetRTS(), "a line did not keep its state");
  if (!talk(port)) std::_Exit(3);
}

void use_system(const char* path) {
  const int fd = open(path, O_RDWR | O_NOCTTY);
  expect(fd >= 0, "the terminal cannot be opened");
  int lines = 0;
  errno = 0;
  expect(ioctl(fd, TIOCMGET, &lines) == 0 && errno == 0, "TIOCMGET failed or changed errno");
  expect(ioctl(fd, TIOCMGET, nullptr) == -1 && errno == EFAULT, "a null pointer was used");
  serial_struct serial{};
  expect(ioctl(fd, TIOCGSERIAL, &serial) == 0 && serial.baud_base == 115200, "TIOCGSERIAL");
  expect(ioctl(fd, TIOCSSERIAL, &serial) == 0, "TIOCSSERIAL");
  // what a terminal knows goes to the system
  int waiting = -1;
  expect(ioctl(fd, FIONREAD, &waiting) == 0 && waiting == 0, "FIONREAD");
  // another terminal and a file have no modem lines
  const int other = posix_openpt(O_RDWR | O_NOCTTY);
  expect(ioctl(other, TIOCMGET, &lines) == -1 && errno == ENOTTY, "another terminal was answered");
  const int file = open("/dev/null", O_RDWR);
  expect(ioctl(file, TIOCMGET, &lines) == -1 && errno == ENOTTY, "a file was answered");
  expect(ioctl(-1, TIOCMGET, &lines) == -1 && errno == EBADF, "no descriptor was answered");

  // each thread has a line of its own: no request is lost
  std::vector<std::thread> threads;
  for (const int line : {TIOCM_DTR, TIOCM_RTS}) {
    threads.emplace_back([fd, line] {
      for (int k = 0; k < 2000; ++k) {
        int state = 0;
        const bool is_set = ioctl(fd, TIOCMBIS, &line) == 0 && ioctl(fd, TIOCMGET, &state) == 0;
        if (!is_set || (state & line) == 0) std::_Exit(4);
        if (ioctl(fd, TIOCMBIC, &line) != 0 || ioctl(fd, TIOCMGET, &state) != 0) std::_Exit(4);
        if ((state & line) != 0) std::_Exit(5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string mode = argv[2];
  try {
    if (mode == "system") {
      use_system(argv[1]);
    } else {
      use_libserial(argv[1], mode == "dtr-high");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "modem_program: %s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 6;
}
