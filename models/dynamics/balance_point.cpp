// Ground plane through O with unit normal n; f, m_O: the ground's force and its moment about O. The
// point Z of the plane about which the moment is along n:
//   m_Z = m_O - z x f,  n x m_Z = 0,  z in the plane  =>  z = n x m_O / (n . f)       (balance-1)
// From the motion, with c the mass centre and [k'; p'] the rate of the centroidal momentum
// A vdot + A' v:
//   f = p' - m g - f_e,  m_W = k' + c x (p' - m g) - m_e                              (balance-2)
// Both are the same point: [Sardain 2004]. Derivation: docs/math/balance_points.md.
#include "models/dynamics/balance_point.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace kagami::models {

const char* name(BalanceStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "no support", "not finite"};
  return kNames[static_cast<int>(status)];
}

Force at_origin(const Vec3& p_WQ, const Force& F_Q_W) noexcept {
  return Force::from(F_Q_W.moment() + p_WQ.cross(F_Q_W.force()), F_Q_W.force());
}

BalanceStatus balance_point(const Force& F, const GroundPlane& plane,
                            BalancePoint& result) noexcept {
  if (!F.c.allFinite()) return BalanceStatus::kNotFinite;
  const Vec3 f = F.force();
  const double pressed = plane.normal.dot(f);
  if (!(pressed > kLeastSupport)) return BalanceStatus::kNoSupport;
  const Vec3 m_O = F.moment() - plane.point.cross(f);
  const Vec3 z = plane.normal.cross(m_O) / pressed;  // (balance-1)
  result = {plane.point + z, f, pressed, plane.normal.dot(m_O - z.cross(f))};
  return BalanceStatus::kOk;
}

BalanceStatus center_of_pressure(std::span<const Force> forces, const GroundPlane& plane,
                                 BalancePoint& result) noexcept {
  Force sum = Force::zero();
  for (const Force& F : forces) sum += F;
  return balance_point(sum, plane, result);
}

BalanceStatus zero_moment_point(const Model& model, const JointVector& q, const JointVector& v,
                                const JointVector& vdot, std::span<const Force> F_ext,
                                const GroundPlane& plane, CentroidalWorkspace& w,
                                BalancePoint& result) noexcept {
  if (!q.allFinite() || !v.allFinite() || !vdot.allFinite()) return BalanceStatus::kNotFinite;
  const Vec3 c = centroidal_matrix(model, q, w, w.A);
  Force rate = centroidal_bias(model, q, v, w);
  for (int k = 0; k < model.num_v(); ++k) rate.c += w.A.col(k) * vdot[k];
  const Vec3 lifted = rate.force() - model.total_mass() * model.gravity();
  Force F = at_origin(c, Force::from(rate.moment(), lifted));  // (balance-2)
  const Kinematics& k = w.jacobian.kinematics;
  for (std::size_t i = 0; i < F_ext.size(); ++i) F += -(k.X_WB[i] * F_ext[i]);
  return balance_point(F, plane, result);
}

}  // namespace kagami::models
