/// Small motion files of other programs, made for the tests.
#pragma once

#include <string>
#include <vector>

namespace kagami::test {

/// An item of a HeartToHeart3 file: its type, time, and the value of channels 2 and 13; the others
/// are not used. A command has its code in both.
struct Hth3Item {
  int type = 0;
  int time = 10;
  int channel_2 = 16384;
  int channel_13 = 16384;
};
struct Hth3Link {
  int main = 0;
  int origin = 0;
  int final = 0;
};
std::string hth3_file(const std::vector<Hth3Item>& items, const std::vector<Hth3Link>& links,
                      int start = 0);

/// Maps channel 2 (sign -1) and 13 (sign 1, zero at 10 deg) to left_shoulder_pitch and left_knee;
/// everything else of the KHR-1 is missing at 0.
std::string small_map();

/// A HeartToHeart4 canvas: move A, then B and C three times, then D. Channels 2 and 16.
std::string hth4_canvas();
/// The same motion as M002 of a project whose M001 calls it and whose M003 is empty.
std::string hth4_project();

}  // namespace kagami::test
