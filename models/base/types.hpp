/// Fixed-capacity vectors and the sizes that every layer shares.
#pragma once

#include <Eigen/Core>
#include <array>

namespace kagami {

/// Most actuated joints a robot of ours may have (HOAP-2 has 25); sizes what crosses threads.
inline constexpr int kMaxJoints = 32;
/// Most coordinates and most degrees of freedom of a model, base included (chains of 384 links are
/// timed): the capacity of a JointVector.
inline constexpr int kMaxDofs = 400;
/// Most bodies of a model.
inline constexpr int kMaxBodies = 400;
/// Most degrees of freedom of one joint.
inline constexpr int kMaxJointDofs = 6;
/// Parent index of a body that hangs from the world.
inline constexpr int kWorld = -1;

using BodyIndex = int;

using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// One number per degree of freedom, in model order. Run-time size, capacity kMaxDofs: temporaries
/// stay on the stack, copies move size() numbers. Passed as `const JointVector&`.
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxDofs, 1>;
/// Square matrix over the degrees of freedom, on the heap: made at set-up, lives in a workspace,
/// never a temporary of cycle code.
using JointMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
/// One value per actuated joint, in model order, trivially copyable: what crosses between threads.
template <class T>
using JointArray = std::array<T, kMaxJoints>;

}  // namespace kagami
