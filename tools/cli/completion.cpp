#include "tools/cli/completion.hpp"

namespace kagami::tools {
namespace {

std::string join_texts(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

// within single quotes of bash and zsh; fish has its own rule
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

void collect(const CommandHelp& command, std::vector<const CommandHelp*>& all) {
  all.push_back(&command);
  for (const CommandHelp& sub : command.commands) collect(sub, all);
}

std::vector<const CommandHelp*> all_commands(const CommandHelp& program) {
  std::vector<const CommandHelp*> all;
  collect(program, all);
  return all;
}

std::string last_name(const CommandHelp& command) {
  const std::size_t space = command.name.rfind(' ');
  return space == std::string::npos ? command.name : command.name.substr(space + 1);
}

std::vector<OptionHelp> options_of(const CommandHelp& command) {
  std::vector<OptionHelp> all;
  for (const OptionGroup& group : command.groups) {
    all.insert(all.end(), group.options.begin(), group.options.end());
  }
  return all;
}

std::vector<std::string> command_names_of(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const CommandHelp& sub : command.commands) names.push_back(last_name(sub));
  return names;
}

// what the arguments of a command may be
struct ArgumentValues {
  std::vector<std::string> values;
  bool files = false;
  bool folders = false;
};

ArgumentValues argument_values(const CommandHelp& command, const CommandHelp& program) {
  ArgumentValues all{command_names_of(command)};
  for (const OptionHelp& argument : command.arguments) {
    all.values.insert(all.values.end(), argument.choices.begin(), argument.choices.end());
    all.files = all.files || argument.takes_file;
    all.folders = all.folders || argument.takes_folder;
    if (argument.names.front() == "COMMAND") all.values = command_names_of(program);
  }
  return all;
}

// 'kagami replay'|'kagami motion list': the patterns of all commands below the program
std::string command_patterns(const CommandHelp& program, const std::string& separator) {
  std::vector<std::string> names;
  for (const CommandHelp* command : all_commands(program)) {
    if (command != &program) names.push_back("'" + command->name + "'");
  }
  return join_texts(names, separator);
}

// 'kagami replay:-q'|'kagami replay:--quiet'
std::string option_pattern(const CommandHelp& command, const OptionHelp& option) {
  std::string pattern;
  for (const std::string& name : option.names) {
    pattern += (pattern.empty() ? "'" : "|'") + command.name + ":" + name + "'";
  }
  return pattern;
}

std::string bash_value_case(const CommandHelp& command, const OptionHelp& option) {
  const std::string kind = option.takes_file ? "file" : option.takes_folder ? "dir" : "";
  return "    " + option_pattern(command, option) +
         ") values=" + shell_quoted(join_texts(option.choices, " ")) +
         " kind=" + (kind.empty() ? "''" : kind) + " ;;\n";
}

std::string zsh_value_case(const CommandHelp& command, const OptionHelp& option) {
  std::string actions;
  if (!option.choices.empty()) actions += "compadd -- " + join_texts(option.choices, " ") + "; ";
  if (option.takes_file) {
    actions += "_files; ";
  } else if (option.takes_folder) {
    actions += "_files -/; ";
  }
  return "    (" + option_pattern(command, option) + ") " + actions + "return ;;\n";
}

std::string zsh_list(const std::string& name, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string text = "      " + name + "=(\n";
  for (const std::string& item : items) text += "        " + shell_quoted(item) + "\n";
  return text + "      )\n";
}

std::string zsh_command_case(const CommandHelp& command, const CommandHelp& program) {
  std::vector<std::string> commands;
  for (const CommandHelp& sub : command.commands) {
    commands.push_back(last_name(sub) + ":" + first_sentence(sub.text));
  }
  std::vector<std::string> options;
  for (const OptionHelp& option : options_of(command)) {
    for (const std::string& name : option.names) {
      options.push_back(name + ":" + first_sentence(option.text));
    }
  }
  ArgumentValues arguments = argument_values(command, program);
  if (!commands.empty()) arguments.values.clear();  // they are listed with their descriptions
  std::string text = "    ('" + command.name + "')\n" + zsh_list("commands", commands) +
                     zsh_list("options", options) + zsh_list("values", arguments.values);
  if (arguments.files || arguments.folders) text += "      files=yes\n";
  return text + "      ;;\n";
}

void add_fish_option(std::string& out, const std::string& begin, const OptionHelp& option) {
  out += begin;
  for (const std::string& name : option.names) {
    const bool is_long = name.rfind("--", 0) == 0;
    out += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  if (!option.value.empty()) {
    out += option.takes_file || option.takes_folder ? " -r -F" : " -x";
    if (!option.choices.empty()) out += " -a " + fish_quoted(join_texts(option.choices, " "));
  }
  out += " -d " + fish_quoted(first_sentence(option.text)) + "\n";
}

}  // namespace

std::string bash_completion(const CommandHelp& program) {
  std::string values;
  std::string commands;
  for (const CommandHelp* command : all_commands(program)) {
    std::vector<std::string> names;
    for (const OptionHelp& option : options_of(*command)) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (!option.value.empty()) values += bash_value_case(*command, option);
    }
    const ArgumentValues arguments = argument_values(*command, program);
    const char* kind = arguments.files ? "file" : arguments.folders ? "dir" : "''";
    commands += "    '" + command->name +
                "')\n      options=" + shell_quoted(join_texts(names, " ")) +
                "\n      values=" + shell_quoted(join_texts(arguments.values, " ")) +
                "\n      kind=" + kind + " ;;\n";
  }
  return R"(# bash completion for kagami; written by: kagami completion bash
_kagami() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=kagami options='' values='' kind='' is_value=yes i name
  # bash separates --name=value into three words
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = && COMP_CWORD -ge 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
      )" +
         command_patterns(program, "|") + R"() command="$command ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command:$previous" in
)" + values +
         R"(    *) is_value=no ;;
  esac
  if [[ $is_value == no ]]; then
    case "$command" in
)" + commands +
         R"(    esac
    [[ $current == -* ]] && values=$options kind=''
  fi
  COMPREPLY=($(compgen -W "$values" -- "$current"))
  if [[ $kind == file || $kind == dir ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(
      if [[ $kind == file ]]; then compgen -f -- "$current"; else compgen -d -- "$current"; fi)
  fi
}
complete -F _kagami kagami
)";
}

std::string zsh_completion(const CommandHelp& program) {
  std::string values;
  std::string commands;
  for (const CommandHelp* command : all_commands(program)) {
    for (const OptionHelp& option : options_of(*command)) {
      if (!option.value.empty()) values += zsh_value_case(*command, option);
    }
    commands += zsh_command_case(*command, program);
  }
  return R"(#compdef kagami
# zsh completion for kagami; written by: kagami completion zsh
_kagami() {
  local command=kagami previous=${words[CURRENT-1]} files=no i
  local -a commands options values
  for ((i = 2; i < CURRENT; i++)); do
    case "$command ${words[i]}" in
      ()" +
         command_patterns(program, "|") + R"() command="$command ${words[i]}" ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    previous=${PREFIX%%=*}
    compset -P '*='
  fi
  case "$command:$previous" in
)" + values +
         R"(  esac
  case "$command" in
)" + commands +
         R"(  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
    return
  fi
  (( ${#commands} )) && _describe command commands
  (( ${#values} )) && compadd -- $values
  [[ $files == yes ]] && _files
  return 0
}
if [[ ${funcstack[1]} == _kagami ]]; then
  _kagami "$@"
else
  compdef _kagami kagami
fi
)";
}

std::string fish_completion(const CommandHelp& program) {
  std::string out = R"(# fish completion for kagami; written by: kagami completion fish
function __kagami_command
    set -l command kagami
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case )" +
                    command_patterns(program, " ") + R"(
                set command "$command $word"
        end
    end
    echo $command
end
complete -c kagami -f
)";
  for (const CommandHelp* command : all_commands(program)) {
    const std::string begin =
        "complete -c kagami -n 'test (__kagami_command) = \"" + command->name + "\"'";
    for (const CommandHelp& sub : command->commands) {
      out +=
          begin + " -a " + last_name(sub) + " -d " + fish_quoted(first_sentence(sub.text)) + "\n";
    }
    const ArgumentValues arguments = argument_values(*command, program);
    if (command->commands.empty() && !arguments.values.empty()) {
      out += begin + " -a " + fish_quoted(join_texts(arguments.values, " ")) + "\n";
    }
    if (arguments.files || arguments.folders) out += begin + " -F\n";
    for (const OptionHelp& option : options_of(*command)) add_fish_option(out, begin, option);
  }
  return out;
}

}  // namespace kagami::tools
