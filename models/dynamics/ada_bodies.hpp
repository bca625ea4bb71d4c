/// Articulated bodies of the assembly-disassembly algorithm: their joins and openings.
#pragma once

#include <vector>

#include "models/dynamics/joint_assembly.hpp"

namespace kagami::models {

/// From the single links to the whole and back, everything at O in world axes. Sized once; the
/// model must outlive it.
struct AdaBodies {
  AdaBodies(const Model& of, const AssemblyOrder& order, const std::vector<BodyIndex>& handles);

  /// The links alone: rigid bodies of one add up. Cycle code.
  void start(const JointVector& q, const JointVector& v, const ExternalLoads& extras) noexcept;
  /// J is added to the joints' diagonal. False for an inertia that is not positive. Cycle code.
  [[nodiscard]] bool join(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept;
  /// The joint's acceleration and force, motion of A and B, forces on their handles. Cycle code.
  void open(const JoinStep& s, JointVector& vdot) noexcept;

  const Model& model;
  AssemblyPlan plan;
  CommonFrame frame;
  HandleStore store;     ///< of articulated bodies of Phi form
  std::vector<Mat6> IA;  ///< per articulated body of inertia form
  std::vector<Vec6> pA;
  std::vector<Vec6> a;  ///< per articulated body of inertia form: its handle's acceleration
  std::vector<Vec6> F;  ///< per body: its joint's force on it

  /// What a join keeps for its opening: one degree of freedom between two one-handle bodies.
  struct Single {
    Vec6 U = Vec6::Zero();
    double D = 0.0;
    double u = 0.0;
  };
  /// The same with several.
  struct Several {
    Mat6 U = Mat6::Zero();
    Mat6 D_inverse = Mat6::Zero();
    Vec6 u = Vec6::Zero();
  };
  struct Pair {
    Vec6 g_a = Vec6::Zero();
    Vec6 g_b = Vec6::Zero();
    double D = 0.0;
    double qdd = 0.0;
  };
  struct General {
    Mat6 L = Mat6::Zero();          ///< Phi_j^A + Phi_j^B = L L'
    Mat6 U = Mat6::Zero();          ///< L^-1 S
    Mat6 D_inverse = Mat6::Zero();  ///< (S' Y S + J)^-1
    Vec6 z = Vec6::Zero();          ///< L^-1 beta
    Vec6 qdd = Vec6::Zero();        ///< joint acceleration without handle forces
    Mat6 IA = Mat6::Zero();  ///< C alone where it has inertia form: more is added to it later
    Vec6 pA = Vec6::Zero();
  };
  std::vector<Single> single;    ///< per body
  std::vector<Several> several;  ///< per body
  std::vector<Pair> pair;        ///< per body
  std::vector<General> general;  ///< per general step
  std::vector<Mat6> X;           ///< per general step and handle of C: Phi_hj L^-T
  std::vector<Mat6> G;           ///< the same times U
};

}  // namespace kagami::models
