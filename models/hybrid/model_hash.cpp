#include "models/hybrid/model_hash.hpp"

#include "models/base/hash.hpp"

namespace kagami::models::hybrid {
namespace {

// 0.0 and -0.0 are one number
template <class Matrix>
void add(StateHash& hash, const Matrix& m) noexcept {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) hash.add(static_cast<double>(m(i, j)) + 0.0);
  }
}

}  // namespace

std::uint64_t model_hash(const Model& model) noexcept {
  StateHash hash;
  hash.add(static_cast<std::int64_t>(model.num_bodies()));
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    hash.add(static_cast<std::int64_t>(b.parent));
    hash.add(static_cast<std::int64_t>(b.joint.type));
    add(hash, b.joint.axis);
    add(hash, b.joint.axis2);
    add(hash, b.X_PJ.R);
    add(hash, b.X_PJ.p);
    hash.add(b.inertia.mass);
    add(hash, b.inertia.h);
    add(hash, b.inertia.I);
  }
  hash.add(static_cast<std::int64_t>(model.loops().size()));  // generated code has none
  add(hash, model.rotor_inertia());
  add(hash, model.gravity());
  return hash.value();
}

}  // namespace kagami::models::hybrid
