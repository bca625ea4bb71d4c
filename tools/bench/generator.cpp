// kagami-bench-generator OUT: writes the dynamics of the compared models that are no shipped
// robots, one C++ file per model, into OUT; runs while the benchmarks are built.
#include <filesystem>
#include <iostream>
#include <string>

#include "models/base/file_replacement.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/emit_blocks.hpp"
#include "models/hybrid/model_hash.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::bench {
namespace {

void generate(const std::filesystem::path& out) {
  using namespace models::hybrid;
  std::filesystem::create_directories(out);
  for (const ModelDef& def : {planar(7), khr1_like(), hoap2_like()}) {
    const models::Model model = our_model(def);
    const std::string name = "compared_" + def.name;
    write_file_atomically(out / (name + ".cpp"), emit_unit(model, model_hash(model), name));
  }
  write_file_atomically(out / "blocks_planar7R.cpp",
                        emit_blocks(our_model(planar(7)), "blocks_planar7R", {4, 3}));
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: kagami-bench-generator OUT\n";
    return 2;
  }
  try {
    kagami::bench::generate(argv[1]);
  } catch (const std::exception& e) {
    std::cerr << "kagami-bench-generator: " << e.what() << "\n";
    return 2;
  }
  return 0;
}
