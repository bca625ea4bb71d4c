#include "motions/edit/graph.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "motions/edit/edit.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {
namespace {

constexpr Range kTransition{0.001, 60.0, "s"};
constexpr std::size_t kMaxPath = 10'000;

std::string nodes_after(const MotionGraph& graph, const std::string& node) {
  std::string text;
  for (const auto& [step, duration] : graph.transitions) {
    if (step.first == node) text += (text.empty() ? "" : ", ") + step.second;
  }
  return text.empty() ? "none" : text;
}

std::string node_names(const MotionGraph& graph) {
  std::string text;
  for (const auto& [node, motion] : graph.motions) text += (text.empty() ? "" : ", ") + node;
  return text;
}

const std::string& motion_of(const MotionGraph& graph, const std::string& node) {
  const auto found = graph.motions.find(node);
  if (found != graph.motions.end()) return found->second;
  throw ConfigError(graph.file + ": no node '" + node + "', expected one of: " + node_names(graph));
}

void read_transition(const ConfigNode& node, MotionGraph& graph) {
  const std::string from = node.text("from"), to = node.text("to");
  for (const std::string& name : {from, to}) static_cast<void>(motion_of(graph, name));
  const double duration = node.number("duration_s", kTransition);
  if (!graph.transitions.emplace(std::pair(from, to), duration).second)
    node.fail("to", "the transition from " + from + " to " + to + " is there twice");
  node.reject_unknown_keys();
}

}  // namespace

MotionGraph parse_motion_graph(std::string_view text, const std::string& file) {
  const ConfigDocument document = ConfigDocument::parse(text, file);
  const ConfigNode root = document.root();
  Problems problems(file);
  MotionGraph graph;
  graph.file = file;
  constexpr std::string_view kSchemas[] = {"kagami.motion_graph/1"};
  problems.collect([&] { static_cast<void>(root.one_of("schema", kSchemas)); });
  problems.throw_if_any();
  problems.collect([&] { graph.name = root.text("name"); });
  problems.collect([&] { graph.note = root.text_or("note", ""); });
  problems.collect([&] {
    const ConfigNode motions = root.object("motions");
    for (const std::string& node : motions.keys()) graph.motions[node] = motions.text(node);
    if (graph.motions.empty()) root.fail("motions", "is empty, expected 1 or more");
  });
  problems.throw_if_any();
  problems.collect([&] {
    if (!root.has("transitions")) return;
    for (const ConfigNode& node : root.list("transitions"))
      problems.collect([&] { read_transition(node, graph); });
  });
  problems.collect([&] {
    if (!root.has("play")) return;
    if (!root.raw()["play"].is_array()) root.fail("play", "expected a list of nodes");
    for (const nlohmann::json& node : root.raw()["play"]) {
      if (!node.is_string()) root.fail("play", "expected the names of nodes");
      graph.play.push_back(node.get<std::string>());
    }
  });
  for (const std::string& key : root.keys()) {
    static const std::set<std::string> kKnown = {"schema",  "name",        "note",
                                                 "motions", "transitions", "play"};
    if (!kKnown.contains(key)) {
      problems.add("/" + key,
                   "unknown key, expected: motions, name, note, play, schema, transitions");
    }
  }
  problems.throw_if_any();
  return graph;
}

Motion walk_graph(const MotionGraph& graph, const std::vector<std::string>& path,
                  const std::function<Motion(const std::string&)>& load, const SpeedTable& speed) {
  if (path.empty() || path.size() > kMaxPath) {
    throw ConfigError(graph.file + ": a path of " + std::to_string(path.size()) +
                      " nodes, expected 1..10000: \"play\" of the file, or --path");
  }
  std::map<std::string, Motion> loaded;
  for (const std::string& node : path) {
    if (!loaded.contains(node)) loaded.emplace(node, load(motion_of(graph, node)));
  }
  Motion whole = loaded.at(path.front());
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto step = graph.transitions.find({path[i - 1], path[i]});
    if (step == graph.transitions.end()) {
      throw ConfigError(graph.file + ": no transition from " + path[i - 1] + " to " + path[i] +
                        ", from there it goes to: " + nodes_after(graph, path[i - 1]));
    }
    whole = joined(whole, loaded.at(path[i]), step->second, speed);
    if (whole.poses.size() > kMaxPoses) {
      throw ConfigError(graph.file + ": the path gives more than " + std::to_string(kMaxPoses) +
                        " poses");
    }
  }
  whole.name = graph.name;
  whole.note = graph.note;
  whole.loop = false;
  return whole;
}

}  // namespace kagami::motions
