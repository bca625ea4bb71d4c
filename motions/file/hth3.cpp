#include "motions/file/hth3.hpp"

#include <algorithm>
#include <array>
#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/file/csv.hpp"
#include "motions/file/flow.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

using Tree = boost::property_tree::ptree;

// docs/motion_files.md, "HeartToHeart3"
constexpr int kHome = 16384;
constexpr double kCountsPerDegree = 256.0 / 90.0;
constexpr double kTimeUnit = 0.015;  // s
constexpr int kFurthest = 768;       // counts from home, 270 deg
constexpr int kSpecial = 32768;      // from here on a value is a code
constexpr int kUnused = 32768;
constexpr int kFree = 32770;
constexpr int kLastFree = 32771;
constexpr int kTypePose = 0, kTypeSet = 1, kTypeCompare = 2, kTypeScenario = 7;
constexpr int kSetLoop = 33287, kLastSetLoop = 33542;
constexpr int kCountDown = 33543, kLastCountDown = 33798;
constexpr int kMaxItems = kMaxPoses;

/// One item of the file: a box of the editor.
struct Item {
  std::string name;
  int type = 0;
  int time = 0;
  std::array<int, kMotionChannels> value{};
};

Tree read_ini(std::string_view text, const std::string& file) {
  if (text.size() > kMaxMotionBytes) {
    throw ConfigError(file + ": " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(kMaxMotionBytes));
  }
  std::istringstream in{std::string(text)};
  Tree tree;
  try {
    boost::property_tree::read_ini(in, tree);
  } catch (const boost::property_tree::ini_parser_error& error) {
    throw ConfigError(file + ": line " + std::to_string(error.line()) + ": " + error.message());
  }
  return tree;
}

class Hth3Reader {
 public:
  Hth3Reader(std::string_view text, const std::string& file)
      : file_(file), tree_(read_ini(text, file)) {}

  Motion read(const std::set<int>& taken) {
    const Tree& head = section("GraphicalEdit");
    const int type = integer(head, "GraphicalEdit", "Type");
    if (type == kTypeScenario) {
      throw ConfigError(file_ + ": is a HeartToHeart3 scenario of " +
                        std::to_string(integer(head, "GraphicalEdit", "Items")) +
                        " motions by number and holds no poses; read the motions' own files");
    }
    if (type != kTypePose)
      fail("GraphicalEdit", "Type", std::to_string(type) + ", expected 0 or 7");
    const int num_items = integer(head, "GraphicalEdit", "Items");
    if (num_items < 1 || num_items > kMaxItems)
      fail("GraphicalEdit", "Items",
           std::to_string(num_items) + ", expected 1.." + std::to_string(kMaxItems));
    for (int i = 0; i < num_items; ++i) read_item(i);
    read_links(integer(head, "GraphicalEdit", "Links"));
    const int start = integer(head, "GraphicalEdit", "Start");
    if (start < 0 || start >= num_items) {
      fail("GraphicalEdit", "Start",
           std::to_string(start) + ", expected the number of an item, 0.." +
               std::to_string(num_items - 1));
    }
    return motion_of(unroll(steps_, start, taken, file_), text_of(head, "Name"));
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& key,
                         const std::string& problem) const {
    throw ConfigError(file_ + ": [" + where + "] " + key + ": " + problem);
  }

  const Tree& section(const std::string& name) const {
    const auto found = tree_.find(name);
    if (found == tree_.not_found())
      throw ConfigError(file_ + ": the section [" + name + "] is missing");
    return found->second;
  }

  static std::string text_of(const Tree& tree, const char* key) {
    return decode_text(tree.get<std::string>(key, "")).text;
  }

  int integer(const Tree& tree, const std::string& where, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.not_found()) fail(where, key, "is missing");
    const std::string& text = found->second.data();
    const std::optional<int> value = whole_number(text);
    if (!value) fail(where, key, shown_text(text) + ", expected a whole number");
    return *value;
  }

  void read_item(int index) {
    const std::string name = "Item" + std::to_string(index);
    const Tree& tree = section(name);
    Item item;
    item.name = text_of(tree, "Name");
    item.type = integer(tree, name, "Type");
    const std::string parameters = tree.get<std::string>("Prm", "");
    const std::vector<CsvLine> lines = split_csv(parameters, file_);
    const std::size_t count = lines.empty() ? 0 : lines[0].fields.size();
    if (count != kMotionChannels + 1) {
      fail(name, "Prm", std::to_string(count) + " values, expected 25: the time and 24 channels");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<int> value = whole_number(lines[0].fields[i]);
      if (!value) fail(name, "Prm", shown_text(lines[0].fields[i]) + ", expected a whole number");
      (i == 0 ? item.time : item.value[i - 1]) = *value;
    }
    items_.push_back(item);
    steps_.push_back(step_of(index, items_.back()));
  }

  FlowStep step_of(int index, const Item& item) const {
    FlowStep step;
    step.name = "item " + std::to_string(index) + " '" + item.name + "'";
    step.value = index;
    const int code = item.value[0];
    if (item.type == kTypePose) {
      step.kind = FlowStep::Kind::kPose;
    } else if (code >= kSetLoop && code <= kLastSetLoop && item.type == kTypeSet) {
      step.kind = FlowStep::Kind::kSetCounter;
      step.value = code - kSetLoop;
    } else if (code >= kCountDown && code <= kLastCountDown) {
      step.kind = FlowStep::Kind::kCountDown;
    } else if (item.type == kTypeCompare) {
      step.kind = FlowStep::Kind::kCompare;
    } else if (item.type != kTypeSet) {
      fail("Item" + std::to_string(index), "Type",
           std::to_string(item.type) + ", expected 0 (position), 1 (set) or 2 (compare)");
    }
    return step;
  }

  void read_links(int count) {
    if (count < 0 || count > 2 * kMaxItems)
      fail("GraphicalEdit", "Links",
           std::to_string(count) + ", expected 0.." + std::to_string(2 * kMaxItems));
    for (int i = 0; i < count; ++i) {
      const std::string name = "Link" + std::to_string(i);
      const Tree& tree = section(name);
      FlowStep& from = steps_[item_of(tree, name, "Origin")];
      const int to = static_cast<int>(item_of(tree, name, "Final"));
      int& goal = integer(tree, name, "Main") == 0 ? from.next : from.branch;
      if (goal != FlowStep::kEnd) fail(name, "Origin", from.name + " already leads elsewhere");
      goal = to;
    }
  }

  std::size_t item_of(const Tree& tree, const std::string& link, const char* key) const {
    const int item = integer(tree, link, key);
    if (item < 0 || item >= static_cast<int>(items_.size())) {
      fail(link, key,
           "item " + std::to_string(item) + " does not exist, expected 0.." +
               std::to_string(items_.size() - 1));
    }
    return static_cast<std::size_t>(item);
  }

  Motion motion_of(Unrolled flow, const std::string& title) {
    Motion motion;
    motion.file = file_;
    motion.name = std::filesystem::path(file_).stem().string();
    motion.note = title;
    motion.source = "HeartToHeart3 " + std::filesystem::path(file_).filename().string();
    motion.loop = flow.loops;
    motion.warnings = std::move(flow.warnings);
    for (int c = 1; c <= kMotionChannels; ++c) motion.joints.push_back(channel_name(c));
    if (flow.poses.empty()) throw ConfigError(file_ + ": the flow holds no position");
    for (const int item : flow.poses) motion.poses.push_back(pose_of(item, motion));
    if (free_values_ > 0) {
      motion.warnings.push_back(std::to_string(free_values_) +
                                " values switch a servo off, which is not played: the joint stays");
    }
    if (zero_values_ > 0) {
      motion.warnings.push_back(std::to_string(zero_values_) +
                                " values are 0, which is no position: taken as channel not used");
    }
    return motion;
  }

  Pose pose_of(int index, const Motion& motion) {
    const Item& item = items_[static_cast<std::size_t>(index)];
    const std::string name = "Item" + std::to_string(index);
    Pose pose;
    pose.label = item.name;
    if (item.time < 1 || item.time > 65535)
      fail(name, "Prm", "time " + std::to_string(item.time) + ", expected 1..65535 times 15 ms");
    pose.duration = item.time * kTimeUnit;
    pose.angle.resize(motion.joints.size());
    for (std::size_t c = 0; c < item.value.size(); ++c) {
      const int value = item.value[c];
      if (value == kUnused) continue;
      if (value == 0) {
        ++zero_values_;
        continue;
      }
      if (value >= kFree && value <= kLastFree) {
        ++free_values_;
        continue;
      }
      if (std::abs(value - kHome) > kFurthest) {
        fail(name, "Prm",
             "channel " + std::to_string(c + 1) + " is " + std::to_string(value) +
                 (value >= kSpecial ? ", a code that is not known" : ", expected 16384 +- 768"));
      }
      pose.angle[c] = to_rad((value - kHome) / kCountsPerDegree);
    }
    return pose;
  }

  const std::string& file_;
  Tree tree_;
  std::vector<Item> items_;
  std::vector<FlowStep> steps_;
  int free_values_ = 0;
  int zero_values_ = 0;
};

// for the original program; a line end would be another key
std::string one_line(const std::string& label) {
  std::string text = encode_cp932(label);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

std::string item_text(std::size_t index, const Pose& pose, const std::vector<int>& channels,
                      const std::string& name) {
  std::array<int, kMotionChannels> value{};
  value.fill(kUnused);
  for (std::size_t j = 0; j < channels.size(); ++j) {
    if (!pose.angle[j]) continue;
    const long count = std::lround(to_deg(*pose.angle[j]) * kCountsPerDegree);
    if (std::labs(count) > kFurthest) {
      throw ConfigError(name + ": pose " + std::to_string(index + 1) + ", channel " +
                        std::to_string(channels[j]) + ": " +
                        std::to_string(std::lround(to_deg(*pose.angle[j]))) +
                        " deg, expected at most 270 from home");
    }
    value.at(static_cast<std::size_t>(channels[j] - 1)) = kHome + static_cast<int>(count);
  }
  const long time = std::clamp(std::lround(pose.duration / kTimeUnit), 1L, 65535L);
  const std::string label =
      pose.label.empty() ? "Pos" + std::to_string(index + 1) : one_line(pose.label);
  std::string text =
      "[Item" + std::to_string(index) + "]\r\nName=" + label +
      "\r\nWidth=110\r\nHeight=30\r\nLeft=" + std::to_string(10 + 130 * (index % 6)) +
      "\r\nTop=" + std::to_string(50 + 40 * (index / 6)) +
      "\r\nColor=16777215\r\nType=0\r\nPrm=" + std::to_string(time);
  for (const int v : value) text += "," + std::to_string(v);
  return text + "\r\n\r\n";
}

}  // namespace

Motion parse_hth3(std::string_view text, const std::string& file, const std::set<int>& taken) {
  if (text.find("[TrimData]") != std::string_view::npos) {
    throw ConfigError(file + ": is a HeartToHeart3 home and trim file and holds no motion");
  }
  return Hth3Reader(text, file).read(taken);
}

std::string hth3_text(const Motion& motion, const MotionMap& map) {
  const Motion written = unmap_channels(motion, map);
  std::vector<int> channels;
  for (const std::string& joint : written.joints) {
    channels.push_back(channel_number(joint));
    if (channels.back() < 1 || channels.back() > kMotionChannels) {
      throw ConfigError(map.file + ": channel " + std::to_string(channels.back()) +
                        ", HeartToHeart3 has 1..24");
    }
  }
  const std::size_t poses = written.poses.size();
  const std::size_t links = motion.loop ? poses : poses - 1;
  std::string text =
      "[GraphicalEdit]\r\nType=0\r\nWidth=800\r\nHeight=600\r\nItems=" + std::to_string(poses) +
      "\r\nLinks=" + std::to_string(links) + "\r\nStart=0\r\nName=" + one_line(motion.name) +
      "\r\nPort=16777215\r\nCtrl=65535\r\n\r\n";
  for (std::size_t i = 0; i < poses; ++i) {
    text += item_text(i, written.poses[i], channels, motion.name);
  }
  for (std::size_t i = 0; i < links; ++i) {
    text += "[Link" + std::to_string(i) + "]\r\nMain=0\r\nOrigin=" + std::to_string(i) +
            "\r\nFinal=" + std::to_string((i + 1) % poses) + "\r\nPoint=\r\n\r\n";
  }
  return text;
}

}  // namespace kagami::motions
