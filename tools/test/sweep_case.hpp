/// A scenario of a sliding box, a sweep of twelve runs over it, and the command in process. Its
/// runs are processes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/base/text_file.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::test {

class SweepCase : public testing::Test {
 protected:
  /// `program` is kagami, beside which its subprograms lie.
  explicit SweepCase(const std::string& program) {
    cli_.settings.program = program;
    write("box.json", R"({"schema": "kagami.scenario/1", "duration": 0.2, "ground": {},
      "surface": {"mu_static": 0.5, "mu_kinetic": 0.2},
      "bodies": [{"name": "box", "box": [0.2, 0.1, 0.05], "mass": 1, "at": [0, 0, 0.03],
                  "velocity": [1, 0, 0]}]})");
    write("s.json", R"({"schema": "kagami.sweep/1", "scenario": "./box.json",
      "draws": 4, "seed": 11, "parameters": [
        {"name": "mass", "at": "/bodies/0/mass", "uniform": [0.5, 2]},
        {"name": "speed", "at": "/bodies/0/velocity/0", "values": [0.5, 1.5, 2.5]}]})");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return read_text_file(folder_.file(name));
  }
  int sweep(const std::string& out, std::vector<std::string> args = {},
            const std::string& file = "s.json") {
    args.insert(args.begin(), {"sweep", folder_.file(file), "--out", folder_.file(out)});
    return cli_.run(args);
  }
  void expect_said(const std::string& words) const {
    EXPECT_NE((cli_.out + cli_.err).find(words), std::string::npos) << cli_.out << cli_.err;
  }
  // a program in the place of kagami-run
  void use_program(const std::string& script) {
    cli_.settings.program = folder_.file("kagami");
    cli_.environment["KAGAMI_DATA"] = KAGAMI_SOURCE_DIR;
    write("kagami-run", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_.file("kagami-run"), std::filesystem::perms::owner_all);
  }

  TempFolder folder_;
  CommandCase<tools::add_sweep> cli_;
};

}  // namespace kagami::test
