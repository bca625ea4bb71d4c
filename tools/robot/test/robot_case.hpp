/// `kagami robot ...` in process, on a virtual robot whose memory is kept between two commands.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::test {

struct RobotCase : CliCase {
  TempFolder folder;
  std::string memory = folder.file("memory.json");

  int robot(std::vector<std::string> args, const std::vector<std::string>& more = {}) {
    args.insert(args.begin(), "robot");
    args.insert(args.end(), {"--robot", "virtual", "--memory", memory});
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return err.find(text) != std::string::npos || out.find(text) != std::string::npos;
  }
  /// Motion 2 of two poses on both boards.
  void store_motion() {
    nlohmann::json pose_0 = {{{"pose", 0},
                              {"speed", 3},
                              {"counts", {5, 0, 70, 225, 225, 90, 175, 180, 90, 225, 225, 225}}},
                             {{"pose", 1},
                              {"speed", 3},
                              {"counts", {5, 0, 95, 225, 225, 90, 175, 180, 90, 225, 225, 225}}}};
    nlohmann::json pose_1 = {{{"pose", 0},
                              {"speed", 3},
                              {"counts", {88, 115, 110, 90, 92, 225, 92, 65, 65, 90, 88, 225}}},
                             {{"pose", 1},
                              {"speed", 3},
                              {"counts", {88, 115, 115, 90, 92, 225, 92, 65, 65, 90, 88, 225}}}};
    ASSERT_EQ(robot({"trim", "--set", "head_yaw=0", "--set", "left_elbow=1"}), 0) << err;
    nlohmann::json file = nlohmann::json::parse(std::ifstream(memory));
    file["boards"][0]["motions"]["2"] = {{"count", 2}, {"poses", pose_0}};
    file["boards"][1]["motions"]["2"] = {{"count", 2}, {"poses", pose_1}};
    file["boards"][0]["trim"][2] = 0;
    std::ofstream(memory) << file;
  }
};

}  // namespace kagami::test
