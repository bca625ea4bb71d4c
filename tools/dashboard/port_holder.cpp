#include "tools/dashboard/port_holder.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

// lines are "0: 0100007F:223D 00000000:0000 0A tx:rx tr:when retransmit uid timeout inode ..."
void add_inodes(const char* file, std::uint16_t port, std::vector<std::string>& inodes) {
  constexpr std::string_view kListening = "0A";
  std::ifstream table(file);
  std::string line;
  std::getline(table, line);  // the head
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    const std::size_t colon = local.rfind(':');
    if (state != kListening || colon == std::string::npos) continue;
    if (std::strtoul(local.c_str() + colon + 1, nullptr, 16) == port) inodes.push_back(inode);
  }
}

bool holds_one_of(const fs::path& process, const std::vector<std::string>& inodes) {
  std::error_code error;
  fs::directory_iterator entries(process / "fd", error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entries->path(), gone).string();
    const auto is_it = [&](const std::string& inode) { return target == "socket:[" + inode + "]"; };
    if (std::any_of(inodes.begin(), inodes.end(), is_it)) return true;
  }
  return false;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::optional<PortHolder> find_port_holder(std::uint16_t port) {
  std::vector<std::string> inodes;
  add_inodes("/proc/net/tcp", port, inodes);
  add_inodes("/proc/net/tcp6", port, inodes);
  if (inodes.empty()) return std::nullopt;
  std::error_code error;
  fs::directory_iterator processes("/proc", error);
  for (; !error && processes != fs::directory_iterator(); processes.increment(error)) {
    const std::string pid = processes->path().filename().string();
    if (!is_number(pid) || !holds_one_of(processes->path(), inodes)) continue;
    PortHolder holder{std::atoi(pid.c_str()), {}};
    std::ifstream comm(processes->path() / "comm");
    std::getline(comm, holder.name);
    return holder;
  }
  return std::nullopt;
}

}  // namespace kagami::tools
