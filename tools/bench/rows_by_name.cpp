// Forward dynamics through the one signature that every algorithm shares.
#include <stdexcept>
#include <string>
#include <vector>

#include "models/dynamics/forward_dynamics.hpp"
#include "tools/bench/rows.hpp"
#include "tools/bench/subject.hpp"

namespace kagami::bench {

void add_forward_by_name(const ModelDef& def, const char* algorithm) {
  add_row(def.name + "/forward_dynamics/" + algorithm, [def, algorithm](benchmark::State& state) {
    Subject s(def);
    models::ForwardDynamics dynamics(s.model, models::algorithm(algorithm));
    bool fine = true;
    run_checked(state, s, [&](int i) {
      const OurState& at = s.at(i);
      fine = dynamics.run(at.q, at.v, at.tau, s.out) == models::DynamicsStatus::kOk && fine;
    });
    if (!fine) throw std::runtime_error("a state was refused");
  });
}

void add_ada_with_forces(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics/ada_forces", [def](benchmark::State& state) {
    Subject s(def);
    models::ForwardDynamics dynamics(s.model, models::Algorithm::kAda);
    std::vector<models::Force> forces(static_cast<std::size_t>(s.model.num_bodies()));
    bool fine = true;
    run_checked(state, s, [&](int i) {
      const OurState& at = s.at(i);
      fine = dynamics.run(at.q, at.v, at.tau, s.out) == models::DynamicsStatus::kOk && fine;
      for (BodyIndex b = 0; b < s.model.num_bodies(); ++b)
        forces[static_cast<std::size_t>(b)] = dynamics.joint_force(b);
      benchmark::DoNotOptimize(forces.data());
      benchmark::ClobberMemory();
    });
    for (const models::Force& F : forces) fine = fine && F.c.allFinite();
    if (!fine) throw std::runtime_error("a state was refused, or a force is missing");
  });
}

}  // namespace kagami::bench
