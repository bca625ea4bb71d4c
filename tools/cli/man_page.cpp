#include "tools/cli/man_page.hpp"

#include <algorithm>
#include <cctype>

namespace kagami::tools {
namespace {

// text as roff input
std::string roff(const std::string& text) {
  std::string out;
  if (!text.empty() && text[0] == '.') out = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

bool is_program(const CommandHelp& command) {
  return command.name.find(' ') == std::string::npos;
}

std::string synopsis(const CommandHelp& command) {
  const std::string usage = usage_line(command);
  return bold(command.name) + roff(usage.substr(command.name.size())) + "\n";
}

void add_arguments(std::string& out, const CommandHelp& command) {
  for (const OptionHelp& argument : command.arguments) {
    out += ".TP\n" + italic(argument.names.front()) + "\n" + roff(argument.text) + "\n";
  }
}

void add_options(std::string& out, const OptionGroup& group) {
  for (const OptionHelp& option : group.options) {
    out += ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      out += (i == 0 ? "" : ", ") + bold(option.names[i]);
    }
    if (!option.value.empty()) out += " " + italic(option.value);
    out += "\n" + roff(option.text) + "\n";
  }
}

void add_example_lines(std::string& out, const CommandHelp& command) {
  for (const std::string& example : command.examples) {
    if (&example != &command.examples.front()) out += ".PP\n";
    out += ".nf\n" + roff(example) + "\n.fi\n";
  }
}

// a subcommand within the page of its command
void add_subcommand_section(std::string& out, const CommandHelp& command) {
  out += ".SH \"" + roff(command.name) + "\"\n" + synopsis(command);
  out += ".PP\n" + roff(command.text) + "\n";
  add_arguments(out, command);
  for (const OptionGroup& group : command.groups) add_options(out, group);
  if (!command.examples.empty()) out += ".PP\nExamples:\n.PP\n";
  add_example_lines(out, command);
  for (const CommandHelp& sub : command.commands) add_subcommand_section(out, sub);
}

}  // namespace

std::string man_page_name(const CommandHelp& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CommandHelp& command, const std::string& version) {
  const std::string name = man_page_name(command);
  std::string title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out =
      ".TH \"" + roff(title) + "\" 1 \"\" \"kagami " + roff(version) + "\" \"Kagami commands\"\n";
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(first_sentence(command.text)) + "\n";
  out += ".SH SYNOPSIS\n" + synopsis(command);
  out += ".SH DESCRIPTION\n" + roff(command.text) + "\n";
  if (!command.commands.empty()) out += ".SH COMMANDS\n";
  for (const CommandHelp& sub : command.commands) {
    const std::string short_name = sub.name.substr(command.name.size() + 1);
    out += ".TP\n" + bold(short_name) + "\n" + roff(first_sentence(sub.text)) +
           (is_program(command) ? ", see " + bold(man_page_name(sub)) + "(1)" : "") + ".\n";
  }
  if (!command.arguments.empty()) out += ".SH ARGUMENTS\n";
  add_arguments(out, command);
  out += ".SH OPTIONS\n";
  for (const OptionGroup& group : command.groups) {
    out += ".SS " + roff(group.name) + "\n";
    add_options(out, group);
  }
  if (!is_program(command)) {
    for (const CommandHelp& sub : command.commands) add_subcommand_section(out, sub);
  }
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  add_example_lines(out, command);
  if (!is_program(command)) out += ".SH SEE ALSO\n" + bold("kagami") + "(1)\n";
  return out;
}

}  // namespace kagami::tools
