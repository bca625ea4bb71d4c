/// A command as its author describes it: options, arguments, subcommands. CLI11 does the work in
/// command.cpp alone, because its header takes seconds in every file that includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its name

class App;
class Option;

}  // namespace CLI

namespace kagami::tools {

/// What an option can set.
using OptionTarget =
    std::variant<std::string*, double*, int*, std::uint16_t*, std::uint64_t*, std::optional<int>*,
                 std::optional<double>*, std::optional<std::string>*, std::vector<std::string>*>;

/// An option or argument that was just added; each call says more about it.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What stands for the value in the help: "NAME|FILE".
  Option& value(const std::string& text);
  Option& group(const std::string& name);
  Option& range(int from, int to);
  Option& range(double from, double to);
  Option& one_of(const std::vector<std::string>& choices);
  Option& existing_file();
  Option& existing_folder();
  /// The help prints the target's present value as the default.
  Option& with_default();
  Option& required();
  /// The option takes this many values at a time.
  Option& takes(int values);
  /// The option may be given several times, with one value each.
  Option& repeatable();
  Option& needs(const Option& other);

 private:
  CLI::Option* option_;
};

/// A command or the program itself. A copy means the same command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Names that start with '-' make an option ("-q,--quiet"), others an argument. The target must
  /// outlive the command.
  template <class Target>
  Option add_option(const std::string& names, Target& target, const std::string& text) {
    return add_target(names, &target, text);
  }
  Option add_flag(const std::string& names, bool& target, const std::string& text);
  /// Where the help lists the options that are added from here on.
  void start_group(const std::string& name);
  /// What ends the help. Each is a command line without the name "kagami".
  void set_examples(const std::string& example_1, const std::string& example_2);

  Command add_command(const std::string& name, const std::string& text);
  /// The one with that name, if there is one.
  [[nodiscard]] std::optional<Command> find_command(const std::string& name) const;
  /// One of the subcommands must be named.
  void require_command();
  /// Any arguments, and --help among them, are left to `on_run`.
  void accept_everything();
  /// From the first word on that is no option, all words are those of another program. The target
  /// must outlive the command.
  void accept_program(std::vector<std::string>& words);

  void on_run(std::function<void()> action);
  [[nodiscard]] bool is_given(const std::string& option) const;

  [[nodiscard]] std::vector<std::string> command_names() const;
  /// "-q", "--quiet", of all options.
  [[nodiscard]] std::vector<std::string> option_names() const;

  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  Option add_target(const std::string& names, OptionTarget target, const std::string& text);

  CLI::App* app_;
};

/// Holds a program's command line with all its commands. It has --help.
class Program {
 public:
  explicit Program(const std::string& text = "", const std::string& name = "kagami");
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  Command& command() { return command_; }

 private:
  std::unique_ptr<CLI::App> app_;
  Command command_;
};

}  // namespace kagami::tools
