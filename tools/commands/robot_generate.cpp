// kagami robot generate: a robot's dynamics as generated code, compiled into its folder.
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/hash.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/cli/words.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/robot_choice.hpp"
#include "tools/generator/owner_compiler.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::BaseKind;
using models::Model;

struct GenerateOptions {
  std::string robot;
  std::string data;
  std::string compiler;
};

void run_generate(const GenerateOptions& opt, Console& io) {
  const fs::path folder = find_robot(find_data(io, opt.data), opt.robot);
  std::string compiler = opt.compiler;
  if (compiler.empty()) compiler = io.environment("CXX").value_or("c++");
  nlohmann::json made = nlohmann::json::array();
  for (const BaseKind base : {BaseKind::kFloating, BaseKind::kFixed}) {
    const Model model = models::read_robot_folder(folder, base).model;
    const char* kind = base == BaseKind::kFloating ? "free" : "on its stand";
    io.say(std::string("compiling the dynamics of the robot, ") + kind);
    const std::string library = make_owner_code(folder, model, compiler).string();
    made.push_back({{"base", kind},
                    {"library", library},
                    {"model", hex_text(models::hybrid::model_hash(model))}});
    if (!io.json) io.print(library + "\n");
  }
  if (io.json) io.print_json({{"schema", "kagami.generate/1"}, {"libraries", made}});
}

}  // namespace

void add_robot_generate(CLI::App& app, Console& io) {
  auto opt = std::make_shared<GenerateOptions>();
  const auto all = app.get_subcommands([](const CLI::App* c) { return c->get_name() == "robot"; });
  CLI::App* robot = nullptr;
  if (all.empty()) {
    robot = app.add_subcommand("robot", "A robot: its folder, its boards");
    robot->require_subcommand(1);
  } else {
    robot = all.front();
  }
  CLI::App* cmd = robot->add_subcommand(
      "generate", "Derives a robot's dynamics and compiles them into its folder");
  cmd->add_option("folder", opt->robot, "the robot's folder, or the name of a shipped one")
      ->required();
  cmd->add_option("--compiler", opt->compiler, "C++ compiler; default: CXX, else c++");
  cmd->add_option("--data", opt->data, "folder of shipped data");
  add_json_word(*cmd, io);
  add_common_words(*cmd, io, "robot generate my_robot", "robot generate my_robot --compiler g++");
  cmd->callback([opt, &io] { run_generate(*opt, io); });
}

}  // namespace kagami::tools
