/// An articulated model for contact: free motion by the articulated-body algorithm or a
/// chosen one, response by the articulated bodies' factors.
#pragma once

#include <optional>
#include <vector>

#include "models/contact/response/contact_bodies.hpp"
#include "models/contact/response/inverse_operational_inertia.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/kernel/composite_kernel.hpp"
#include "models/forward/forward_dynamics.hpp"

namespace kagami::models {

/// A vector as the kernels write it.
inline kernel::Vec<double> plain(const Vec3& v) noexcept {
  return {v.x(), v.y(), v.z()};
}

class TreeBodies final : public ContactBodies {
 public:
  TreeBodies(const Model& model, const std::vector<BodyIndex>& touching,
             const DynamicsChoice& dynamics);
  [[nodiscard]] bool begin(const State& state, const Drive& drive, double h) noexcept override;
  void response(std::span<const int> bodies, double* Phi, int stride) noexcept override;
  [[nodiscard]] bool finish(std::span<const Force> impulses, State& state,
                            JointVector& vdot) noexcept override;

 private:
  // where a place of the kernel's joint values has its body
  struct HostPlace {
    bool pair = false;
    int index = 0;
    int lane = 0;
  };

  void accelerate(const State& state, const ExternalLoads& extras, JointVector& vdot) noexcept;
  void make_kernel_nodes();
  void make_reference_nodes();
  void load_kernel(const State& state) noexcept;
  void respond_free(std::size_t i) noexcept;
  void load_reference() noexcept;
  void move_bodies(const JointVector& v, std::vector<Motion>& V) noexcept;
  void step_velocity(const State& state, const JointVector& vdot, JointVector& v_end) noexcept;
  void respond_kernel(std::span<const Force> impulses, JointVector& vdot) noexcept;
  void respond_reference(std::span<const Force> impulses, const State& state,
                         JointVector& vdot) noexcept;
  [[nodiscard]] Pose pose_of(BodyIndex body) const noexcept;

  const Model& model_;
  std::vector<BodyIndex> touching_;
  AbaWorkspace aba_;
  std::optional<ForwardDynamics> chosen_;  // none: aba
  std::vector<kernel::FreeResponse> roots_;
  kernel::Bodies<kernel::CompositeBody> placed_;
  InverseOperationalInertia tree_;
  bool responds_ = false;  // tree_.respond ran for this step
  std::vector<int> node_;  // of each touching body; -1: held by the world
  std::vector<int> node_of_slot_;
  std::vector<HostPlace> place_of_slot_;
  std::vector<Vec6> V_;         // scratch, per node
  std::vector<Pose> X_WB_all_;  // of all bodies, where the kernels do not serve
  const Drive* drive_ = nullptr;
  double h_ = 0.0;
  JointVector vdot_;   // free
  JointVector v_end_;  // scratch
  std::vector<Force> F_ext_;
};

}  // namespace kagami::models
