// Jacobians of all joints and of the mass centre, centroidal momentum matrix; kinematics included.
#include "models/dynamics/centroidal.hpp"
#include "models/dynamics/jacobians.hpp"
#include "tools/bench/rows.hpp"
#include "tools/bench/subject.hpp"

namespace kagami::bench {

void add_jacobian_rows(const ModelDef& def) {
  add_row(def.name + "/joint_jacobians", [def](benchmark::State& state) {
    const Subject s(def);
    models::JacobianWorkspace w(s.model);
    models::Jacobian J(6, s.model.num_v());
    measure(state, [&](int i) { models::joint_jacobians(s.model, s.at(i).q, w, J); });
  });
  add_row(def.name + "/com_jacobian", [def](benchmark::State& state) {
    Subject s(def);
    models::JacobianWorkspace w(s.model);
    models::PointJacobian J(3, s.model.num_v());
    const auto call = [&](int i) { models::com_jacobian(s.model, s.at(i).q, w, J); };
    state.counters["checksum"] = s.checksum_rows(call, J, 0);
    measure(state, call);
  });
  add_row(def.name + "/centroidal_momentum_matrix", [def](benchmark::State& state) {
    const Subject s(def);
    models::CentroidalWorkspace w(s.model);
    models::Jacobian A(6, s.model.num_v());
    measure(state, [&](int i) { models::centroidal_matrix(s.model, s.at(i).q, w, A); });
  });
}

}  // namespace kagami::bench
