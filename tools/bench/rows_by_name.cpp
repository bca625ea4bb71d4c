// Forward dynamics through the one signature that every algorithm shares.
#include <stdexcept>
#include <string>
#include <vector>

#include "models/forward/forward_dynamics.hpp"
#include "tools/bench/rows.hpp"
#include "tools/bench/subject.hpp"

namespace kagami::bench {

namespace {

/// Row `name`: `algorithm` with an order, empty for its default.
void add_forward(const ModelDef& def, const std::string& name, models::Algorithm algorithm,
                 const models::AssemblyOrder& order) {
  add_row(def.name + "/forward_dynamics/" + name, [=](benchmark::State& state) {
    Subject s(def);
    models::ForwardDynamics dynamics(s.model, algorithm, order);
    bool fine = true;
    run_checked(state, s, [&](int i) {
      const OurState& at = s.at(i);
      fine = dynamics.run(at.q, at.v, at.tau, s.out) == models::DynamicsStatus::kOk && fine;
    });
    if (!fine) throw std::runtime_error("a state was refused");
  });
}

}  // namespace

void add_forward_by_name(const ModelDef& def, const char* algorithm) {
  add_forward(def, algorithm, models::algorithm(algorithm), {});
}

void add_ada_tips_first(const ModelDef& def) {
  models::AssemblyOrder order;  // children have greater indices than their parents
  for (auto body = static_cast<BodyIndex>(def.bodies.size()); body-- > 0;) order.push_back(body);
  add_forward(def, "ada_tips_first", models::Algorithm::kAda, order);
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
