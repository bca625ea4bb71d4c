/// What VolumetricContacts consists of inside; included by its own files alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/contact/detect/neighbours.hpp"
#include "models/contact/detect/separation.hpp"
#include "models/contact/volume/volumetric_contacts.hpp"

namespace kagami::models {

/// Where the bodies of a patch were.
struct Stand {
  Pose X_WA;
  Pose X_WB;
};

struct VolumetricContacts::Impl {
  // what is kept of a pair of shapes from step to step
  struct Memory {
    std::uint64_t id = 0;
    int face = kNoFace;  // that separated them
    int patch = -1;      // where they overlapped: index into `past`
  };

  // the patches of one step, in the order of the candidates
  struct Patches {
    std::vector<ContactPatch> patch;
    std::vector<PatchForce> force;
    std::vector<Stand> stand;  // where a patch was made
    std::vector<Pose> anchor;  // X_WA where it began to stick to a static shape
  };

  // a pair whose bounds overlap
  struct Candidate {
    std::uint64_t id = 0;
    int a = 0;
    int b = 0;
    int face = kNoFace;
    int patch = -1;
  };

  Impl(std::vector<ContactBodies*> from, std::vector<VolumetricShape> shapes_in,
       std::vector<StaticShape> statics_in, const VolumetricSettings& settings,
       const VolumetricCapacity& limits);

  void check() const;
  [[nodiscard]] std::vector<PlacedShape> placed() const;
  void place() noexcept;
  void list_candidates() noexcept;
  void list_half_spaces() noexcept;
  void overlap(Candidate& candidate, const Memory* memory) noexcept;
  bool recall(const Candidate& candidate, const Memory& memory, Stand& stand,
              ContactPatch& out) const noexcept;
  Pose hold(const Candidate& candidate, const Memory* memory, ContactPatch& out) const noexcept;
  void keep(const ContactPatch& patch, const Stand& stand, const Pose& anchor,
            int candidate) noexcept;
  bool is_apart(Candidate& candidate, const Memory* memory) const noexcept;
  bool cut_out(const Pose& X_WA, ContactPatch& out) noexcept;
  // whether that patch of the step before touched, or came to
  [[nodiscard]] bool has_met(int patch) const noexcept {
    const ContactPatch& c = past.patch[static_cast<std::size_t>(patch)];
    return c.ahead < c.patch.outline_count ||
           past.force[static_cast<std::size_t>(patch)].motion != ContactMotion::kOpen;
  }
  [[nodiscard]] double way_of(int shape) const noexcept;
  bool look_ahead(int shape, const StaticShape& plane, double restitution,
                  ContactPatch& out) const noexcept;
  void detect() noexcept;
  void begin_bodies() noexcept;
  void solve() noexcept;
  void hand_out() noexcept;
  void remember() noexcept;

  [[nodiscard]] bool is_static(int shape) const noexcept {
    return shape >= static_cast<int>(shapes.size());
  }
  [[nodiscard]] const StaticShape& static_of(int shape) const noexcept {
    return statics[static_cast<std::size_t>(shape) - shapes.size()];
  }
  [[nodiscard]] const Pose& pose_of(int shape) const noexcept {
    const VolumetricShape& s = shapes[static_cast<std::size_t>(shape)];
    return systems[static_cast<std::size_t>(s.system)]->X_WB[static_cast<std::size_t>(s.body)];
  }
  [[nodiscard]] bool takes_part(int shape) const noexcept {
    return active.empty() ||
           active[static_cast<std::size_t>(shapes[static_cast<std::size_t>(shape)].system)] != 0;
  }

  std::vector<ContactBodies*> systems;
  std::vector<VolumetricShape> shapes;
  std::vector<StaticShape> statics;
  std::vector<LocalBox> boxes;  // shapes, then statics
  Neighbours neighbours;
  VolumetricMethod method;
  DepthReading reading;
  double skin = 0.0;
  double creep_limit = 0.0;        // m
  double restitution_speed = 0.0;  // m/s
  bool looks_ahead = true;         // to half-spaces
  double h = 0.0;                  // s, of this step
  VolumetricCapacity capacity;
  std::span<const std::uint8_t> active;

  SweepAndPrune sweep;
  std::vector<Bounds> bounds;  // shapes, then statics
  std::vector<Candidate> candidates;
  std::vector<Memory> memory;
  Clipper clipper;
  Patches now;
  Patches past;

  std::vector<int> first_body;      // per system, of all touching bodies
  std::vector<std::uint8_t> under;  // per touching body: a patch lies on it
  std::vector<int> touched;         // those bodies, system after system
  std::vector<int> local;           // the same, numbered within their system as response takes them
  std::vector<PatchBody> bodies;
  std::vector<PatchSystem> blocks;
  std::vector<double> Phi;
  std::vector<Force> impulses;  // per touching body
  VolumetricReport report;
};

}  // namespace kagami::models
