// kagami robot generate: a robot's dynamics as generated code, compiled into its folder.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "models/base/hash.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/robot/read_model.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/commands/robot_new.hpp"
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
  std::string base;  // "fixed", "floating"; empty = both
};

struct Variant {
  std::string base;  // "free", "on its stand", "as its file holds it"
  Model model;
};

// what the robot's folder may be used with: both bases, unless its root is a joint of its own
std::vector<Variant> variants_of(const fs::path& folder, const std::string& base) {
  std::vector<Variant> variants;
  const auto add = [&](const char* name, std::optional<BaseKind> kind) {
    variants.push_back({name, models::read_model(folder, kind).model});
  };
  const auto root = models::read_model(folder).model.body(0).joint.type;
  const bool any = root == models::JointType::kFloating || root == models::JointType::kFixed;
  if (!any && base.empty()) add("as its file holds it", std::nullopt);
  if (any ? base != "fixed" : base == "floating") add("free", BaseKind::kFloating);
  if (any ? base != "floating" : base == "fixed") add("on its stand", BaseKind::kFixed);
  return variants;
}

void run_generate(const GenerateOptions& opt, Console& io) {
  const fs::path folder = fs::is_directory(opt.robot)
                              ? fs::path(opt.robot)
                              : find_robot(find_data(io, opt.data), opt.robot);
  std::string compiler = opt.compiler;
  if (compiler.empty()) compiler = io.environment("CXX").value_or("c++");
  nlohmann::json made = nlohmann::json::array();
  for (const Variant& v : variants_of(folder, opt.base)) {
    io.say("compiling the dynamics of the robot, " + v.base);
    const std::string library = make_owner_code(folder, v.model, compiler).string();
    made.push_back({{"base", v.base},
                    {"library", library},
                    {"model", hex_text(models::hybrid::model_hash(v.model))}});
    if (!io.json) io.print(library + "\n");
  }
  if (io.json) io.print_json({{"schema", "kagami.generate/1"}, {"libraries", made}});
}

}  // namespace

void add_robot_generate(Command& app, Console& io) {
  auto opt = std::make_shared<GenerateOptions>();
  Command robot = app.add_command(
      "robot", "Show, set, save and restore what is in the boards; prepare a robot folder.");
  robot.require_command();
  robot.set_examples("robot info --robot /dev/ttyUSB0", "robot generate khr1 --base floating");
  add_robot_info(robot, io);
  add_robot_identity(robot, io);
  add_robot_motions(robot, io);
  add_robot_settings(robot, io);
  add_robot_backup(robot, io);
  add_robot_calibrate(robot, io);
  add_robot_new(robot, io);
  Command cmd = robot.add_command(
      "generate", "Generate the dynamics code of a robot and compile it into the robot's folder.");
  cmd.add_option("folder", opt->robot, "The robot's folder, or the name of a shipped robot.")
      .value("NAME|DIR")
      .required();
  cmd.add_option("--compiler", opt->compiler, "C++ compiler. Default: the variable CXX, else c++.")
      .value("PROGRAM");
  cmd.add_option("--base", opt->base, "How the root of the robot is held. Default: code for both.")
      .one_of({"fixed", "floating"});
  add_data_option(cmd, opt->data);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "robot generate my_robot", "robot generate my_robot --compiler g++");
  cmd.on_run([opt, &io] { run_generate(*opt, io); });
}

}  // namespace kagami::tools
