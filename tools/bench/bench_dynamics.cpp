// kagami-bench-dynamics: our algorithms on the models that the peers' programs compute too.
#include <stdexcept>
#include <vector>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/hybrid/chain_dynamics.hpp"
#include "models/hybrid/generated.hpp"
#include "models/hybrid/generated_blocks.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/rows.hpp"
#include "tools/bench/subject.hpp"

// of kagami-bench-generator, for the compared models that are no shipped robots
namespace kagami::models::hybrid {
extern "C" {
const GeneratedTable* kagami_generated_compared_planar7R() noexcept;
const GeneratedTable* kagami_generated_compared_khr1() noexcept;
const GeneratedTable* kagami_generated_compared_hoap2() noexcept;
const GeneratedBlocks* kagami_blocks_blocks_planar7R() noexcept;
}
}  // namespace kagami::models::hybrid

namespace kagami::bench {
namespace {

using models::Model;

void add_aba(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics/aba", [def](benchmark::State& state) {
    Subject s(def);
    models::AbaWorkspace w(s.model);
    run_checked(state, s,
                [&](int i) { models::aba(s.model, s.at(i).q, s.at(i).v, s.at(i).tau, w, s.out); });
  });
}

models::HybridDynamics generated(const Model& model) {
  using namespace models::hybrid;
  models::HybridDynamics code(model);
  for (const GeneratedTable* table :
       {kagami_generated_compared_planar7R(), kagami_generated_compared_khr1(),
        kagami_generated_compared_hoap2()}) {
    if (!code.available()) code = models::HybridDynamics(model, table);
  }
  if (!code.available()) throw std::runtime_error("no generated code for this model");
  return code;
}

/// The whole tree as straight-line code.
void add_generated(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics/generated", [def](benchmark::State& state) {
    Subject s(def);
    const models::HybridDynamics code = generated(s.model);
    run_checked(state, s, [&](int i) { code.forward(s.at(i).q, s.at(i).v, s.at(i).tau, s.out); });
  });
}

/// Sub-chains as straight-line code, joined by assembly.
void add_hybrid(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics/hybrid", [def](benchmark::State& state) {
    Subject s(def);
    models::ChainDynamics chain(s.model);
    if (!chain.available())
      chain = models::ChainDynamics(s.model, models::hybrid::kagami_blocks_blocks_planar7R());
    if (!chain.available()) throw std::runtime_error("no generated sub-chains for this model");
    bool fine = true;
    run_checked(state, s,
                [&](int i) { fine = chain.run(s.at(i).q, s.at(i).v, s.at(i).tau, s.out) && fine; });
    if (!fine) throw std::runtime_error("a state was refused");
  });
}

void add_generated_inverse(const ModelDef& def) {
  add_row(def.name + "/inverse_dynamics/generated", [def](benchmark::State& state) {
    Subject s(def);
    const models::HybridDynamics code = generated(s.model);
    run_checked(state, s, [&](int i) { code.inverse(s.at(i).q, s.at(i).v, s.at(i).tau, s.out); });
  });
}

/// The numbers that are torques elsewhere serve as accelerations; the base has none.
void add_inverse(const ModelDef& def) {
  add_row(def.name + "/inverse_dynamics/rnea", [def](benchmark::State& state) {
    Subject s(def);
    models::RneaWorkspace w(s.model);
    run_checked(state, s,
                [&](int i) { models::rnea(s.model, s.at(i).q, s.at(i).v, s.at(i).tau, w, s.out); });
  });
  add_row(def.name + "/mass_matrix/crba", [def](benchmark::State& state) {
    Subject s(def);
    models::CrbaWorkspace w(s.model);
    JointMatrix H(s.model.num_v(), s.model.num_v());
    const auto call = [&](int i) { models::crba(s.model, s.at(i).q, w, H); };
    state.counters["checksum"] = s.checksum_rows(call, H, s.model.num_v() - s.joints);
    measure(state, call);
  });
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  std::vector<ModelDef> models = compared_models();
  for (const ModelDef& robot : shipped_models()) models.push_back(robot);
  for (const ModelDef& model : models) {
    add_aba(model);
    for (const char* name : {"crba", "dca", "ada"}) add_forward_by_name(model, name);
    add_ada_tips_first(model);
    add_ada_with_forces(model);
    add_generated(model);
    add_hybrid(model);
    add_inverse(model);
    add_generated_inverse(model);
    add_jacobian_rows(model);
  }
  // for the growth of the cost; 12 links are among the compared models
  for (const int links : {24, 48, 96, 192, 384}) {
    add_aba(chain3d(links));
    add_forward_by_name(chain3d(links), "ada");
    add_hybrid(chain3d(links));
  }
  add_four_bar_rows();
  return run_rows(argc, argv, "kagami");
}
