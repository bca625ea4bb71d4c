/// Replays in virtual time, for the tests of the command.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::test {

struct ReplayCase : CliCase {
  TempFolder folder;
  std::string out_dir = folder.file("session");
  bool force = true;  // a test may replay again into the same folder

  /// Replays in virtual time into `out_dir`, on the stand unless `more` selects otherwise.
  int replay(const std::string& motion, std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"replay", motion, "--clock", "virtual", "--out", out_dir};
    if (force) args.emplace_back("--force");
    if (std::find(more.begin(), more.end(), "--on") == more.end()) {
      args.insert(args.end(), {"--on", "stand"});
    }
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
};

}  // namespace kagami::test
