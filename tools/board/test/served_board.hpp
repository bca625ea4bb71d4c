/// A run of `kagami board` in process, with a program at its terminal.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::test {

/// `kagami board ... --pty LINK --json` with a program that acts while the board serves, and then
/// ends it.
struct ServedBoard : CliCase {
  explicit ServedBoard(std::function<void(const std::string& link)> program) {
    settings.seconds = [this, program = std::move(program), calls = 0]() mutable {
      if (++calls == 2) {
        program(link);
        if (ends_itself) std::raise(SIGINT);
      }
      return 0.0;
    };
  }
  int serve(std::vector<std::string> args) {
    args.insert(args.begin(), {"board", "--pty", link, "--json"});
    return run(args);
  }
  [[nodiscard]] nlohmann::json joint(const std::string& name) const {
    const nlohmann::json joints = json()["joints"];
    for (const nlohmann::json& joint : joints) {
      if (joint["joint"] == name) return joint;
    }
    return {};
  }

  TempFolder folder;
  std::string link = folder.file("khr1");
  bool ends_itself = true;
};

}  // namespace kagami::test
