#include "tools/cli/command_help.hpp"
#include "tools/cli/table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace kagami::tools {
namespace {

constexpr const char* kLastGroup = "General";  // what all commands share

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// CLI11 writes the type of an option and then ":" and the description of each check
struct ValueType {
  std::string name;    // "TEXT", "FLOAT", or the placeholder that the command sets
  std::string checks;  // "{floor,stand}", "FLOAT in [0 - 2]", "FILE"
};

ValueType value_type_of(const CLI::Option& option) {
  const std::string full = option.get_type_name();
  std::size_t end = full.size();
  for (const std::string_view check : {":{", ":FLOAT in [", ":INT in [", ":UINT in ["}) {
    end = std::min(end, full.find(check));
  }
  for (const std::string_view check : {":FILE", ":DIR"}) {
    const std::size_t start = full.size() - std::min(full.size(), check.size());
    if (full.compare(start, check.size(), check) == 0) end = std::min(end, start);
  }
  return {full.substr(0, end), end < full.size() ? full.substr(end + 1) : ""};
}

std::string placeholder_of(const ValueType& type) {
  if (type.name == "FLOAT") return "NUMBER";
  if (type.name == "INT" || type.name == "UINT") return "N";
  if (type.name != "TEXT") return type.name;
  if (type.checks == "FILE" || type.checks == "DIR") return type.checks;
  if (type.checks.empty() || type.checks[0] != '{') return "TEXT";
  std::string choices = type.checks.substr(1, type.checks.find('}') - 1);
  std::replace(choices.begin(), choices.end(), ',', '|');
  return choices;
}

// CLI11 writes large bounds as "1e+09"
std::string without_exponent(const std::string& number) {
  if (number.find("e+") == std::string::npos) return number;
  return std::to_string(std::llround(std::strtod(number.c_str(), nullptr)));
}

// "FLOAT in [0.1 - 2]": " Range: 0.1 to 2."
std::string range_sentence(const std::string& checks) {
  const std::size_t from = checks.find(" in [");
  const std::size_t to = checks.find(" - ", from);
  const std::size_t end = checks.find(']', from);
  if (from == std::string::npos || to == std::string::npos || end == std::string::npos) return "";
  return " Range: " + without_exponent(checks.substr(from + 5, to - from - 5)) + " to " +
         without_exponent(checks.substr(to + 3, end - to - 3)) + ".";
}

void add_values(const std::string& placeholder, OptionHelp& help) {
  for (const std::string& value : split_at(placeholder, '|')) {
    if (value == "FILE" || value == "PORT") help.takes_file = true;
    if (value == "DIR") help.takes_folder = true;
    if (std::none_of(value.begin(), value.end(), is_upper)) help.choices.push_back(value);
  }
}

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  help.text = option.get_description();
  help.required = option.get_required();
  const bool is_flag = option.get_items_expected_max() == 0;
  const ValueType type = is_flag ? ValueType{} : value_type_of(option);
  if (!is_flag) {
    const std::string value = placeholder_of(type);
    add_values(value, help);
    if (!option.get_positional()) help.value = value;
    help.text += range_sentence(type.checks);
    if (!option.get_default_str().empty())
      help.text += " Default: " + option.get_default_str() + ".";
  }
  if (help.required && !option.get_positional()) help.text += " Required.";
  if (option.get_positional()) {
    help.names.push_back(upper_case(option.get_name(true)));
  } else {
    for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  }
  return help;
}

std::vector<OptionHelp>& options_of_group(CommandHelp& help, const std::string& name) {
  for (OptionGroup& group : help.groups) {
    if (group.name == name) return group.options;
  }
  help.groups.push_back({name, {}});
  return help.groups.back().options;
}

// the command lines of a footer
std::vector<std::string> examples_of(const std::string& footer) {
  std::vector<std::string> examples;
  for (const std::string& line : split_at(footer, '\n')) {
    if (line.rfind("  kagami", 0) == 0) examples.push_back(line.substr(2));
  }
  return examples;
}

CommandHelp help_below(const CLI::App& app, const std::string& parent) {
  CommandHelp help;
  help.name = parent + app.get_name();
  help.text = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      help.arguments.push_back(option_help(*option));
    } else {
      options_of_group(help, option->get_group()).push_back(option_help(*option));
    }
  }
  std::stable_partition(help.groups.begin(), help.groups.end(),
                        [](const OptionGroup& group) { return group.name != kLastGroup; });
  help.examples = examples_of(app.get_footer());
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    help.commands.push_back(help_below(*command, help.name + " "));
  }
  return help;
}

// ---- the text of --help

// a word that is too long for its line is broken after '|' or ',', else where the line ends
std::vector<std::string> break_word(const std::string& word, std::size_t width) {
  std::vector<std::string> pieces;
  std::string rest = word;
  while (rest.size() > width) {
    const std::size_t mark = rest.find_last_of("|,/", width - 1);
    const std::size_t length = mark == std::string::npos || mark == 0 ? width : mark + 1;
    pieces.push_back(rest.substr(0, length));
    rest = rest.substr(length);
  }
  pieces.push_back(rest);
  return pieces;
}

std::vector<std::string> help_lines(const std::string& text, std::size_t width) {
  std::string pieces;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    for (const std::string& piece : break_word(word, width)) pieces += piece + " ";
  }
  std::vector<std::string> lines = wrap_text(pieces, static_cast<int>(width));
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

void add_paragraph(std::string& out, const std::string& text, std::size_t indent,
                   std::size_t width) {
  for (const std::string& line : help_lines(text, width - indent)) {
    out += std::string(indent, ' ') + line + "\n";
  }
}

// name and text side by side on a wide screen, one below the other on a narrow one
void add_entry(std::string& out, const std::string& name, const std::string& text,
               std::size_t width) {
  constexpr std::size_t kNarrow = 60;
  constexpr std::size_t kTextColumn = 26;
  const std::size_t column = width < kNarrow ? 6 : kTextColumn;
  const bool is_beside = width >= kNarrow && name.size() + 4 <= column;
  if (!is_beside) {
    const std::vector<std::string> lines = help_lines(name, width - 4);
    for (std::size_t i = 0; i < lines.size(); ++i)
      out += (i == 0 ? "  " : "    ") + lines[i] + "\n";
    return add_paragraph(out, text, column, width);
  }
  std::string beside;
  add_paragraph(beside, text, column, width);
  if (beside.empty()) beside = "\n";
  out += "  " + name + (beside == "\n" ? "" : std::string(column - 2 - name.size(), ' ')) +
         beside.substr(std::min(beside.size() - 1, column));
}

std::string head_of(const OptionHelp& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + name;
  return option.value.empty() ? head : head + " " + option.value;
}

// a long example continues in the next line, in a form that the shell accepts
void add_example(std::string& out, const std::string& example, std::size_t width) {
  const std::vector<std::string> lines = help_lines(example, width - 6);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += (i == 0 ? "  " : "    ") + lines[i] + (i + 1 < lines.size() ? " \\\n" : "\n");
  }
}

// "kagami motion": "'kagami help motion COMMAND' prints ..."
std::string help_hint(const CommandHelp& command) {
  const std::size_t space = command.name.find(' ');
  const std::string parents = space == std::string::npos ? "" : command.name.substr(space);
  return "'kagami help" + parents + " COMMAND' prints the options of a command.";
}

}  // namespace

CommandHelp command_help(const Command& command) {
  std::string parents;
  for (const CLI::App* parent = command.app().get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    parents = parent->get_name() + " " + parents;
  }
  return help_below(command.app(), parents);
}

std::string usage_line(const CommandHelp& command) {
  std::string line = command.name + (command.commands.empty() ? "" : " COMMAND") + " [OPTIONS]";
  for (const OptionGroup& group : command.groups) {
    for (const OptionHelp& option : group.options) {
      if (option.required) line += " " + option.names.back() + " " + option.value;
    }
  }
  for (const OptionHelp& argument : command.arguments) {
    const std::string& name = argument.names.front();
    line += argument.required ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  if (end != std::string::npos) return text.substr(0, end);
  return !text.empty() && text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

std::string help_text(const CommandHelp& command, int width) {
  const auto columns = static_cast<std::size_t>(std::max(width, kMinHelpWidth));
  std::string out;
  add_paragraph(out, command.text, 0, columns);
  out += "\n";
  add_paragraph(out, "Usage: " + usage_line(command), 0, columns);
  if (!command.commands.empty()) {
    out += "\nCommands:\n";
    for (const CommandHelp& sub : command.commands) {
      const std::string name = sub.name.substr(command.name.size() + 1);
      add_entry(out, name, first_sentence(sub.text), columns);
    }
    out += "\n";
    add_paragraph(out, help_hint(command), 0, columns);
  }
  if (!command.arguments.empty()) {
    out += "\nArguments:\n";
    for (const OptionHelp& argument : command.arguments) {
      add_entry(out, head_of(argument), argument.text, columns);
    }
  }
  for (const OptionGroup& group : command.groups) {
    out += "\n" + group.name + ":\n";
    for (const OptionHelp& option : group.options) {
      add_entry(out, head_of(option), option.text, columns);
    }
  }
  if (!command.examples.empty()) {
    out += "\nExamples:\n";
    for (const std::string& example : command.examples) add_example(out, example, columns);
  }
  return out;
}

}  // namespace kagami::tools
