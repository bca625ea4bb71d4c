// kagami-generator OUT DATA: writes the dynamics of the shipped robots, one C++ file per model, and
// their registry into OUT; runs while Kagami is built.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/emit_blocks.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/robot/read_model.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::BaseKind;
using models::Model;

// chains of any length are put together from these, split as in Takahashi 2012 (Figs. 4.4 and 4.15)
struct BlockFamily {
  const char* name;
  const char* robot;
  std::vector<int> lengths;
};

std::vector<BlockFamily> block_families() {
  return {{"blocks_chain3d", "chain3d_12", {3, 3, 3, 3}},
          {"blocks_planar_7r", "planar_7r", {4, 3}},
          {"blocks_floating_6link", "floating_6link", {3, 3}}};
}

// a shipped robot, whose root floats unless its file states otherwise; ROBOT_fixed holds it
Model model_named(const std::string& name, const fs::path& data) {
  const std::string held = "_fixed";
  if (name.ends_with(held)) {
    return models::read_model(data / name.substr(0, name.size() - held.size()), BaseKind::kFixed)
        .model;
  }
  Model model = models::read_model(data / name).model;
  if (model.body(0).joint.type != models::JointType::kFixed) return model;
  return models::read_model(data / name, BaseKind::kFloating).model;
}

// a file that stays as it is need not be compiled again
void write_if_changed(const fs::path& file, const std::string& text) {
  if (fs::exists(file) && read_text_file(file) == text) return;
  write_file_atomically(file, text);
}

void generate(const fs::path& out, const fs::path& data, const std::vector<std::string>& names) {
  fs::create_directories(out);
  for (const std::string& name : names) {
    const Model model = model_named(name, data);
    write_if_changed(out / (name + ".cpp"),
                     models::hybrid::emit_unit(model, models::hybrid::model_hash(model), name));
  }
  std::vector<std::string> families;
  for (const BlockFamily& f : block_families()) {
    write_if_changed(out / (std::string(f.name) + ".cpp"),
                     models::hybrid::emit_blocks(model_named(f.robot, data), f.name, f.lengths));
    families.push_back(f.name);
  }
  write_if_changed(out / "blocks_registry.cpp", models::hybrid::emit_blocks_registry(families));
  write_if_changed(out / "registry.cpp", models::hybrid::emit_registry(names));
}

}  // namespace
}  // namespace kagami::tools

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: kagami-generator OUT DATA MODEL...\n";
    return 2;
  }
  try {
    kagami::tools::generate(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& e) {
    std::cerr << "kagami-generator: " << e.what() << "\n";
    return 2;
  }
  return 0;
}
