#include "tools/cli/common_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

namespace kagami::tools {
namespace {

/// Levenshtein distance.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string with_hint(std::string sentence, const std::string& name,
                      const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) sentence += ", did you mean '" + nearest + "'?";
  return sentence;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

void add_examples(CLI::App& command, const std::string& example_1, const std::string& example_2) {
  if (CLI::Option* help = command.get_help_ptr(); help != nullptr) help->group("General");
  command.footer("Examples:\n  kagami " + example_1 + "\n  kagami " + example_2);
}

void add_common_options(CLI::App& command, Console& io, const std::string& example_1,
                        const std::string& example_2) {
  command.option_defaults()->group("General");
  command.add_flag("-q,--quiet", io.quiet, "Print results, warnings and errors only.");
  command.add_flag("-v,--verbose", io.verbose, "Print more details to standard error.");
  command.add_flag("--no-color", io.no_color,
                   "Print without colours. The variable NO_COLOR has the same effect.");
  command.option_defaults()->group("Options");  // subcommands inherit it
  add_examples(command, example_1, example_2);
}

void add_json_option(CLI::App& command, Console& io) {
  command.add_flag("--json", io.json, "Print one JSON object to standard output.")
      ->group("General");
}

void add_record_argument(CLI::App& command, std::string& record) {
  command.add_option("record", record, "Record of a run, an .mcap file.")
      ->required()
      ->check(CLI::ExistingFile);
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name(const CLI::App& app, std::span<const std::string> args) {
  const CLI::App* command = &app;
  for (const std::string& arg : args) {
    const std::vector<std::string> names = command_names(*command);
    if (arg.size() > 1 && arg[0] == '-') {
      const std::string name = arg.substr(0, arg.find('='));
      const std::vector<std::string> options = option_names(*command);
      const bool is_number = name.find_first_not_of("-.0123456789e") == std::string::npos;
      if (is_number || std::count(options.begin(), options.end(), name) > 0) continue;
      const bool is_bundle = name[1] != '-' && name.size() > 2;  // -qv, or -Q with its value
      if (is_bundle && std::count(options.begin(), options.end(), name.substr(0, 2)) > 0) continue;
      return with_hint("unknown option '" + name + "'", name, options);
    }
    if (names.empty()) continue;
    if (std::count(names.begin(), names.end(), arg) == 0)
      return with_hint("unknown command '" + arg + "'", arg, names);
    command = command->get_subcommand(arg);
  }
  return "";
}

}  // namespace kagami::tools
