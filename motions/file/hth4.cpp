#include "motions/file/hth4.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "models/base/errors.hpp"
#include "motions/file/hth4_xml.hpp"

namespace kagami::motions {
namespace {

using Kind = Rcb4Command::Kind;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// The lines between the activities of a canvas.
struct Line {
  int from = FlowStep::kEnd;
  int to = FlowStep::kEnd;
  std::string mode = "Normal";
};

class CanvasReader {
 public:
  CanvasReader(std::string_view text, const std::string& file, double frame)
      : file_(file), document_(parse_xml(text, file)), poses_(file, frame) {}

  Motion read(const std::set<int>& taken) {
    const pugi::xml_node root = document_.document_element();
    const bool is_canvas = std::string_view(root.name()) == "CanvasData";
    for (const pugi::xml_node& line : typed_children(root.child("Lines"), "LineData")) {
      lines_[line.child_value("GUID")].mode = line.child_value("ConnectMode");
    }
    activities_ = typed_children(is_canvas ? root.child("Activities") : root, "ActivityData");
    if (activities_.empty()) throw ConfigError(file_ + ": holds no activities, expected a motion");
    for (std::size_t i = 0; i < activities_.size(); ++i) read_activity(static_cast<int>(i));
    connect();
    return poses_.motion(unroll(steps_, start(), taken, file_), "");
  }

 private:
  [[nodiscard]] std::string place(int index) const {
    return "activity " + std::to_string(index) + " '" +
           activities_[static_cast<std::size_t>(index)].child_value("Name") + "'";
  }

  void read_activity(int index) {
    const pugi::xml_node& node = activities_[static_cast<std::size_t>(index)];
    FlowStep step;
    step.name = place(index);
    for (const pugi::xml_node& code : node.child("ProgramCode").children())
      read_command(decode_rcb4(code.child_value(), file_ + ": " + step.name), node, step);
    steps_.push_back(std::move(step));

    const std::vector<std::string> guids = split(node.child_value("ConnectedGuids"));
    const std::vector<std::string> types = split(node.child_value("ConnectTypes"));
    for (std::size_t k = 0; k < std::min(guids.size(), types.size()); ++k) {
      if (types[k] == "BeginConnect") lines_[guids[k]].from = index;
      if (types[k] == "EndConnect") lines_[guids[k]].to = index;
    }
  }

  void read_command(const Rcb4Command& command, const pugi::xml_node& node, FlowStep& step) {
    switch (command.kind) {
      case Kind::kMove:
        if (step.kind == FlowStep::Kind::kPose)
          throw ConfigError(file_ + ": " + step.name + " holds two positions, expected one");
        step.kind = FlowStep::Kind::kPose;
        step.value = poses_.add(command, node.child_value("Name"), file_ + ": " + step.name);
        break;
      case Kind::kSet:
        step.kind = FlowStep::Kind::kSetCounter;
        step.counter = command.address;
        step.value = command.value;
        break;
      case Kind::kSubtract:
        step.kind = FlowStep::Kind::kCountDown;
        step.counter = command.address;
        break;
      case Kind::kJumpIf:
        if (step.kind == FlowStep::Kind::kPass) step.kind = FlowStep::Kind::kCompare;
        break;
      case Kind::kCall:
        throw ConfigError(file_ + ": " + step.name +
                          " calls another motion; read it from the project (.h4p)");
      default:
        poses_.skip(command);
    }
  }

  void connect() {
    for (const auto& [guid, line] : lines_) {
      if (line.from == FlowStep::kEnd) continue;
      if (line.to == FlowStep::kEnd) {
        throw ConfigError(file_ + ": the line from " + place(line.from) + " leads nowhere");
      }
      FlowStep& from = steps_[static_cast<std::size_t>(line.from)];
      // a loop goes on while the counter is not 0, which the editor calls false
      const bool is_branch =
          line.mode == (from.kind == FlowStep::Kind::kCountDown ? "False" : "True");
      int& goal = is_branch ? from.branch : from.next;
      if (goal != FlowStep::kEnd) {
        throw ConfigError(file_ + ": two lines lead on from " + place(line.from) +
                          ", expected one, or a true and a false one");
      }
      goal = line.to;
    }
  }

  [[nodiscard]] int start() const {
    std::set<int> entered;
    for (const auto& [guid, line] : lines_) entered.insert(line.to);
    int start = FlowStep::kEnd;
    for (int i = 0; i < static_cast<int>(activities_.size()); ++i) {
      if (std::string_view(activities_[static_cast<std::size_t>(i)].child_value("MotionFlag")) ==
          "Start")
        return i;
      if (!entered.contains(i) && start == FlowStep::kEnd) start = i;
    }
    if (start == FlowStep::kEnd) throw ConfigError(file_ + ": no activity is marked as the start");
    return start;
  }

  const std::string& file_;
  pugi::xml_document document_;
  Rcb4Poses poses_;
  std::vector<pugi::xml_node> activities_;
  std::vector<FlowStep> steps_;
  std::map<std::string, Line> lines_;
};

// unique within a file, which is all that the editor needs
std::string guid(char kind, std::size_t number) {
  const std::string digits = std::to_string(number);
  return "0000000" + std::string(1, kind) + "-0000-4000-8000-" +
         std::string(12 - std::min<std::size_t>(12, digits.size()), '0') + digits;
}

void add_size(pugi::xml_node parent, const char* name, const char* first, std::size_t a,
              const char* second, std::size_t b) {
  pugi::xml_node node = parent.append_child(name);
  node.append_child(first).text().set(static_cast<unsigned long>(a));
  node.append_child(second).text().set(static_cast<unsigned long>(b));
}

void add_type(pugi::xml_node node, const char* type) {
  node.append_attribute("xsi:type").set_value(type);
}

}  // namespace

Motion parse_hth4(std::string_view text, const std::string& file, double frame,
                  const std::set<int>& taken) {
  return CanvasReader(text, file, frame).read(taken);
}

std::string hth4_text(const Motion& motion, const MotionMap& map, double frame) {
  const auto lines = rcb4_lines(motion, map, frame);
  const std::size_t links = motion.loop ? lines.size() : lines.size() - 1;
  pugi::xml_document document;
  document.append_child(pugi::node_declaration).append_attribute("version").set_value("1.0");
  pugi::xml_node canvas = document.append_child("CanvasData");
  canvas.append_attribute("xmlns:xsi").set_value("http://www.w3.org/2001/XMLSchema-instance");
  canvas.append_attribute("xmlns:xsd").set_value("http://www.w3.org/2001/XMLSchema");
  canvas.append_child("Name").text().set("canvas");
  add_size(canvas, "Size", "Width", 640, "Height", 480);
  canvas.append_child("GridSize").text().set(8);
  pugi::xml_node line_list = canvas.append_child("Lines");
  for (std::size_t i = 0; i < links; ++i) {
    pugi::xml_node line = line_list.append_child("anyType");
    add_type(line, "LineData");
    line.append_child("GUID").text().set(guid('1', i).c_str());
    line.append_child("Path");
    line.append_child("ConnectMode").text().set("Normal");
  }
  pugi::xml_node activities = canvas.append_child("Activities");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    pugi::xml_node activity = activities.append_child("anyType");
    add_type(activity, "ActivityData");
    activity.append_child("Name").text().set(lines[i].first.c_str());
    activity.append_child("GUID").text().set(guid('2', i).c_str());
    add_size(activity, "Location", "X", 32 + 96 * (i % 6), "Y", 32 + 80 * (i / 6));
    add_size(activity, "Size", "Width", 64, "Height", 48);
    activity.append_child("MotionFlag").text().set(i == 0 ? "Start" : "None");
    activity.append_child("BaseName").text().set("Pos");
    activity.append_child("Group").text().set("Position");
    std::string guids, types;
    const bool is_entered = i > 0 || motion.loop;
    if (is_entered) {
      guids = guid('1', (i + lines.size() - 1) % lines.size());
      types = "EndConnect";
    }
    if (i < links) {
      guids += (guids.empty() ? "" : ",") + guid('1', i);
      types += types.empty() ? "BeginConnect" : ",BeginConnect";
    }
    activity.append_child("ConnectedGuids").text().set(guids.c_str());
    activity.append_child("ConnectTypes").text().set(types.c_str());
    pugi::xml_node code = activity.append_child("ProgramCode").append_child("anyType");
    add_type(code, "xsd:string");
    code.text().set(lines[i].second.c_str());
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace kagami::motions
