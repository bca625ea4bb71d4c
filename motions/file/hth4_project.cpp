#include <algorithm>
#include <map>
#include <sstream>

#include "models/base/errors.hpp"
#include "motions/file/hth4.hpp"
#include "motions/file/hth4_xml.hpp"

namespace kagami::motions {
namespace {

using Kind = Rcb4Command::Kind;

constexpr int kMotionBytes = 2048;  // of the board's memory for each motion
constexpr int kMaxCalls = 8;        // one within the other
constexpr std::size_t kListed = 12;

/// A motion of a project: its commands and where they lie in the board's memory.
struct Program {
  std::string key;
  std::string name;
  int address = 0;
  pugi::xml_node entry;  ///< <Value>
  pugi::xml_node code;   ///< <MotionData>
};

std::vector<Program> programs_of(const pugi::xml_document& document) {
  std::vector<Program> programs;
  for (const pugi::xml_node& entry :
       document.document_element().child("MotionDataCollection").children("DictionaryEntry")) {
    const pugi::xml_node value = entry.child("Value");
    programs.push_back({entry.child_value("Key"), value.child_value("Name"),
                        value.child("Address").text().as_int(-1), value,
                        value.child("MotionData")});
  }
  return programs;
}

bool is_empty(const Program& program) {
  return program.code.first_child().empty();
}

std::string listed(const std::vector<Program>& programs) {
  std::string text;
  std::size_t count = 0;
  for (const Program& program : programs) {
    if (is_empty(program)) continue;
    if (++count <= kListed) text += (text.empty() ? "" : ", ") + program.key + " " + program.name;
  }
  return count > kListed ? text + " and " + std::to_string(count - kListed) + " more" : text;
}

const Program& find_program(const std::vector<Program>& programs, const std::string& entry,
                            const std::string& file, bool may_be_empty) {
  const Program* only = nullptr;
  int filled = 0;
  for (const Program& program : programs) {
    if (!entry.empty() && (program.key == entry || program.name == entry)) {
      if (!is_empty(program) || may_be_empty) return program;
      throw ConfigError(file + ": motion " + program.key +
                        " is empty, expected one of: " + listed(programs));
    }
    if (is_empty(program)) continue;
    ++filled;
    only = &program;
  }
  if (entry.empty() && filled == 1) return *only;
  throw ConfigError(file + ": " +
                    (entry.empty() ? "is a HeartToHeart4 project of " + std::to_string(filled) +
                                         " motions, name one with --entry: "
                                   : "no motion '" + entry + "', expected one of: ") +
                    listed(programs));
}

/// Turns the commands of a motion, and of those that it calls, into steps.
class ProgramReader {
 public:
  ProgramReader(const std::vector<Program>& programs, const std::string& file, double frame)
      : programs_(programs), file_(file), poses_(file, frame) {}

  Motion read(const Program& program, const std::set<int>& taken) {
    add(program, FlowStep::kEnd, 0);
    return poses_.motion(unroll(steps_, 0, taken, file_), program.name);
  }

 private:
  // the steps of a motion; where it ends, the flow goes on with `back`
  void add(const Program& program, int back, int depth) {
    if (depth > kMaxCalls) {
      throw ConfigError(file_ + ": motion " + program.key + " calls itself, over " +
                        std::to_string(kMaxCalls) + " others or fewer");
    }
    std::vector<Rcb4Command> commands;
    std::map<int, int> step_at;  // by address
    int address = program.address;
    const int first = static_cast<int>(steps_.size());
    for (const pugi::xml_node& line : program.code.children()) {
      const int index = static_cast<int>(commands.size());
      step_at[address] = first + index;
      commands.push_back(decode_rcb4(line.child_value(), place(program, index)));
      address += commands.back().size;
    }
    steps_.resize(steps_.size() + commands.size());
    const int count = static_cast<int>(commands.size());
    for (int i = 0; i < count; ++i) {
      // a motion without an end command ends after its last one
      const int after = i + 1 < count ? first + i + 1 : back;
      FlowStep step = step_of(commands, i, program, step_at);
      const Kind kind = commands[static_cast<std::size_t>(i)].kind;
      if (kind == Kind::kEnd) step.next = back;
      if (kind == Kind::kCall) step.next = static_cast<int>(steps_.size());
      if (step.next == kFollowing) step.next = after;
      if (step.branch == kFollowing) step.branch = i + 2 < count ? first + i + 2 : back;
      steps_[static_cast<std::size_t>(first + i)] = step;
      if (kind == Kind::kCall)
        add(called(commands[static_cast<std::size_t>(i)].address, program, i), after, depth + 1);
    }
  }

  static constexpr int kFollowing = -2;  // next: the following command; branch: the one after it

  FlowStep step_of(const std::vector<Rcb4Command>& commands, int i, const Program& program,
                   const std::map<int, int>& step_at) {
    const Rcb4Command& command = commands[static_cast<std::size_t>(i)];
    FlowStep step;
    step.name = "motion " + program.key + ", command " + std::to_string(i);
    step.next = kFollowing;
    switch (command.kind) {
      case Kind::kMove:
        step.kind = FlowStep::Kind::kPose;
        step.value = poses_.add(command, "", place(program, i));
        break;
      case Kind::kSet:
        step.kind = FlowStep::Kind::kSetCounter;
        step.counter = command.address;
        step.value = command.value;
        break;
      case Kind::kSubtract:
        // with the jump that follows: on while the counter is not 0
        if (i + 1 < static_cast<int>(commands.size()) &&
            commands[static_cast<std::size_t>(i + 1)].kind == Kind::kJumpIf) {
          step.kind = FlowStep::Kind::kCountDown;
          step.counter = command.address;
          step.next = target(commands[static_cast<std::size_t>(i + 1)], program, i + 1, step_at);
          step.branch = kFollowing;
        }
        break;
      case Kind::kJump:
        step.next = target(command, program, i, step_at);
        break;
      case Kind::kJumpIf:
        step.kind = FlowStep::Kind::kCompare;
        step.branch = target(command, program, i, step_at);
        break;
      default:
        poses_.skip(command);
    }
    return step;
  }

  [[nodiscard]] int target(const Rcb4Command& jump, const Program& program, int i,
                           const std::map<int, int>& step_at) const {
    const auto found = step_at.find(jump.address);
    if (found != step_at.end()) return found->second;
    throw ConfigError(place(program, i) + ": jumps to address " + std::to_string(jump.address) +
                      ", where no command of this motion begins");
  }

  const Program& called(int address, const Program& program, int i) const {
    const auto found = std::find_if(programs_.begin(), programs_.end(), [&](const Program& p) {
      return p.address == address && !is_empty(p);
    });
    if (found != programs_.end()) return *found;
    throw ConfigError(place(program, i) + ": calls address " + std::to_string(address) +
                      ", where no motion of the project begins");
  }

  [[nodiscard]] std::string place(const Program& program, int command) const {
    return file_ + ": motion " + program.key + ", command " + std::to_string(command);
  }

  const std::vector<Program>& programs_;
  const std::string& file_;
  Rcb4Poses poses_;
  std::vector<FlowStep> steps_;
};

}  // namespace

Motion parse_hth4_project(std::string_view text, const std::string& file, const std::string& entry,
                          double frame, const std::set<int>& taken) {
  const pugi::xml_document document = parse_xml(text, file);
  const std::vector<Program> programs = programs_of(document);
  const Program& program = find_program(programs, entry, file, false);
  Motion motion = ProgramReader(programs, file, frame).read(program, taken);
  motion.name = program.name.empty() ? program.key : program.name;
  return motion;
}

std::vector<ProjectEntry> list_hth4_project(std::string_view text, const std::string& file) {
  const pugi::xml_document document = parse_xml(text, file);
  std::vector<ProjectEntry> entries;
  for (const Program& program : programs_of(document)) {
    if (is_empty(program)) continue;
    const auto lines = program.code.children();
    entries.push_back(
        {program.key, program.name, static_cast<int>(std::distance(lines.begin(), lines.end()))});
  }
  return entries;
}

std::string hth4_project_text(std::string_view project, const std::string& file,
                              const std::string& entry, const Motion& motion, const MotionMap& map,
                              double frame) {
  pugi::xml_document document = parse_xml(project, file);
  const std::vector<Program> programs = programs_of(document);
  const Program& program = find_program(programs, entry, file, true);
  std::vector<std::string> lines;
  int bytes = 0;
  for (auto& [label, line] : rcb4_lines(motion, map, frame)) lines.push_back(std::move(line));
  if (motion.loop) {
    const auto at = static_cast<unsigned>(program.address);
    lines.push_back(encode_rcb4({0x0B, static_cast<std::uint8_t>(at & 0xFF),
                                 static_cast<std::uint8_t>(at >> 8 & 0xFF),
                                 static_cast<std::uint8_t>(at >> 16 & 0xFF), 0}));
  }
  lines.push_back(encode_rcb4({0x0D}));
  for (const std::string& line : lines) bytes += static_cast<int>(line.size() + 1) / 3;
  if (bytes > kMotionBytes) {
    throw ConfigError(motion.name + ": needs " + std::to_string(bytes) +
                      " bytes of the board's memory, expected at most " +
                      std::to_string(kMotionBytes) + ": cut it with kagami motion trim");
  }
  pugi::xml_node value = program.entry;
  value.remove_child("MotionData");
  pugi::xml_node code = value.insert_child_before("MotionData", value.child("Address"));
  for (const std::string& line : lines) {
    pugi::xml_node node = code.append_child("anyType");
    node.append_attribute("xsi:type").set_value("xsd:string");
    node.text().set(line.c_str());
  }
  if (value.child("Name").empty()) value.prepend_child("Name");
  value.child("Name").text().set(motion.name.c_str());
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace kagami::motions
