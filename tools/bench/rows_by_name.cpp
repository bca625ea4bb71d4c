// Forward dynamics through the one signature that every algorithm shares.
#include <stdexcept>
#include <string>

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

}  // namespace kagami::bench
