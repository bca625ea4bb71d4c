#include "models/robot/urdf_structure.hpp"

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

// {enclosing tag, tag} pairs whose content reaches the model or a viewer
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kKnownTags{{
    {"robot", "link"},        {"robot", "joint"},        {"robot", "material"},
    {"link", "inertial"},     {"link", "visual"},        {"link", "collision"},
    {"inertial", "origin"},   {"inertial", "mass"},      {"inertial", "inertia"},
    {"visual", "origin"},     {"visual", "geometry"},    {"visual", "material"},
    {"collision", "origin"},  {"collision", "geometry"}, {"geometry", "box"},
    {"geometry", "cylinder"}, {"geometry", "sphere"},    {"geometry", "mesh"},
    {"material", "color"},    {"material", "texture"},   {"joint", "origin"},
    {"joint", "parent"},      {"joint", "child"},        {"joint", "axis"},
    {"joint", "limit"},
}};

struct JointTag {
  std::string name;
  std::string type;
  std::string parent;
  std::string child;
  bool mimics = false;
};

bool is_known(std::string_view enclosing, std::string_view tag) {
  for (const auto& [outer, inner] : kKnownTags) {
    if (outer == enclosing && inner == tag) return true;
  }
  return false;
}

std::string attribute(const XmlTag& tag, const std::string& key) {
  const auto found = tag.attributes.find(key);
  return found == tag.attributes.end() ? "" : found->second;
}

class Structure {
 public:
  Structure(const std::vector<XmlTag>& tags, const std::string& file) : tags_(tags), file_(file) {}

  UrdfStructure run() {
    if (tags_[0].name != "robot") fail("the root tag is <" + tags_[0].name + ">, expected <robot>");
    collect();
    for (const JointTag& joint : joints_) check_joint(joint);
    check_tree();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ModelError(file_ + ": " + problem);
  }

  void collect() {
    std::set<std::string> ignored;
    std::vector<bool> skipped(tags_.size(), false);
    std::map<std::size_t, std::size_t> joint_of_tag;
    for (std::size_t i = 1; i < tags_.size(); ++i) {
      const XmlTag& tag = tags_[i];
      const std::string& enclosing = tags_[tag.parent].name;
      if (skipped[tag.parent]) {
        skipped[i] = true;
        continue;
      }
      if (enclosing == "joint") read_joint_part(tag, joints_[joint_of_tag.at(tag.parent)]);
      if (!is_known(enclosing, tag.name)) {
        skipped[i] = true;
        ignored.insert(tag.name);
      } else if (tag.name == "link") {
        add_name(links_, tag, "link");
      } else if (tag.name == "joint") {
        add_name(joint_names_, tag, "joint");
        joint_of_tag[i] = joints_.size();
        joints_.push_back({attribute(tag, "name"), attribute(tag, "type"), "", "", false});
      }
    }
    result_.ignored_tags.assign(ignored.begin(), ignored.end());
  }

  void add_name(std::map<std::string, int>& lines, const XmlTag& tag,
                const std::string& kind) const {
    const std::string name = attribute(tag, "name");
    if (name.empty()) {
      fail("line " + std::to_string(tag.line) + ": a " + kind + " without a name");
    }
    const auto [first, is_new] = lines.emplace(name, tag.line);
    if (!is_new) {
      fail("duplicate " + kind + " '" + name + "' (lines " + std::to_string(first->second) +
           " and " + std::to_string(tag.line) + "): rename one of them");
    }
  }

  static void read_joint_part(const XmlTag& tag, JointTag& joint) {
    if (tag.name == "parent") joint.parent = attribute(tag, "link");
    if (tag.name == "child") joint.child = attribute(tag, "link");
    if (tag.name == "mimic") joint.mimics = true;
  }

  void check_joint(const JointTag& joint) {
    const std::string place = "joint '" + joint.name + "': ";
    if (joint.mimics) fail(place + "mimic is not supported, expected an independent joint");
    for (const std::string& link : {joint.parent, joint.child}) {
      if (!links_.contains(link)) {
        fail(place + "its parent or child '" + link + "' is not a link of this file");
      }
    }
    if (joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic") {
      result_.moving_joints.push_back(joint.name);
      if (joint.type == "prismatic") result_.sliding_joints.insert(joint.name);
    } else if (joint.type != "fixed") {
      fail(place + "type '" + joint.type +
           "' is not supported, expected revolute, continuous, prismatic or fixed");
    }
    const auto [other, is_new] = parent_of_.emplace(joint.child, joint.parent);
    if (!is_new) {
      fail("link '" + joint.child + "' is the child of two joints (parents '" + other->second +
           "' and '" + joint.parent + "'), expected a tree");
    }
  }

  void check_tree() {
    if (links_.empty()) fail("no link, expected at least one");
    std::vector<std::string> roots;
    for (const auto& [link, line] : links_) {
      if (!parent_of_.contains(link)) roots.push_back(link);
    }
    if (roots.size() > 1) {
      fail("several roots: links '" + roots[0] + "' and '" + roots[1] +
           "' have no parent joint, expected one root");
    }
    for (const auto& [link, line] : links_) check_reaches_root(link);
    result_.root = roots.at(0);
  }

  // with one parent each, a link that never comes to a root is in or behind a loop
  void check_reaches_root(const std::string& link) const {
    std::string at = link;
    for (std::size_t steps = 0; steps <= links_.size(); ++steps) {
      const auto up = parent_of_.find(at);
      if (up == parent_of_.end()) return;
      at = up->second;
    }
    fail("link '" + link + "' is part of a loop, expected a tree");
  }

  const std::vector<XmlTag>& tags_;
  const std::string& file_;
  std::map<std::string, int> links_;        // name -> line
  std::map<std::string, int> joint_names_;  // name -> line
  std::vector<JointTag> joints_;
  std::map<std::string, std::string> parent_of_;
  UrdfStructure result_;
};

}  // namespace

UrdfStructure check_urdf_structure(const std::vector<XmlTag>& tags, const std::string& file) {
  return Structure(tags, file).run();
}

}  // namespace kagami::models
