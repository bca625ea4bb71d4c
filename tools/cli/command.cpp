#include "tools/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace kagami::tools {
namespace {

bool is_any(const CLI::App* /*command*/) {
  return true;
}

}  // namespace

Option& Option::value(const std::string& text) {
  option_->type_name(text);
  return *this;
}

Option& Option::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Option& Option::range(int from, int to) {
  option_->check(CLI::Range(from, to));
  return *this;
}

Option& Option::range(double from, double to) {
  option_->check(CLI::Range(from, to));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option& Option::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option& Option::existing_folder() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

Option& Option::with_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::takes(int values) {
  option_->expected(values);
  return *this;
}

Option& Option::repeatable() {
  option_->expected(1)->take_all();
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option Command::add_target(const std::string& names, OptionTarget target, const std::string& text) {
  return Option(
      *std::visit([&](auto* value) { return app_->add_option(names, *value, text); }, target));
}

Option Command::add_flag(const std::string& names, bool& target, const std::string& text) {
  return Option(*app_->add_flag(names, target, text));
}

void Command::start_group(const std::string& name) {
  app_->option_defaults()->group(name);
}

void Command::set_examples(const std::string& example_1, const std::string& example_2) {
  if (CLI::Option* help = app_->get_help_ptr(); help != nullptr) help->group("General");
  app_->footer("Examples:\n  kagami " + example_1 + "\n  kagami " + example_2);
}

Command Command::add_command(const std::string& name, const std::string& text) {
  return Command(*app_->add_subcommand(name, text));
}

std::optional<Command> Command::find_command(const std::string& name) const {
  for (CLI::App* command : app_->get_subcommands(is_any)) {
    if (command->get_name() == name) return Command(*command);
  }
  return std::nullopt;
}

void Command::require_command() {
  app_->require_subcommand(1);
}

void Command::accept_everything() {
  app_->allow_extras();
  app_->set_help_flag();
}

void Command::accept_program(std::vector<std::string>& words) {
  app_->prefix_command();
  app_->parse_complete_callback([app = app_, &words] { words = app->remaining(); });
}

void Command::on_run(std::function<void()> action) {
  app_->callback(std::move(action));
}

bool Command::is_given(const std::string& option) const {
  return app_->count(option) > 0;
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands(is_any))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Program::Program(const std::string& text, const std::string& name)
    : app_(std::make_unique<CLI::App>(text, name)), command_(*app_) {
  app_->set_help_flag("-h,--help", "Print this help and exit.");
}

Program::~Program() = default;

}  // namespace kagami::tools
