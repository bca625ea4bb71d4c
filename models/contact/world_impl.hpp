/// What a world consists of inside; included by its own files alone.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/contact/detect/vertices.hpp"
#include "models/contact/volumetric_contacts.hpp"
#include "models/contact/world.hpp"

namespace kagami::models {

struct World::Impl {
  struct Shape {
    int body = 0;     // touching body
    int parent = -1;  // touching body that a joint ties it to
    ConvexMesh mesh;
    Surface surface;
  };

  struct System {
    std::string name;
    Model model;
    State state;
    Drive drive;
    JointVector vdot;
    std::unique_ptr<ContactBodies> bodies;
    std::vector<Shape> shapes;
    std::vector<Force> impulse;  // per touching body, about the origin
    SystemStatus status = SystemStatus::kOk;
  };

  // what is kept of a contact from step to step
  struct Memory {
    std::uint64_t id = 0;
    ContactMotion motion = ContactMotion::kNew;
    Vec3 reference = Vec3::Zero();  // p_n of [Wakisaka 2013], in W
    Vec3 local = Vec3::Zero();      // N s
  };

  Impl(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity);

  void add_system(const SceneSystem& from);
  void check_start() const;
  void check_apart() const;
  void begin(double h) noexcept;
  void detect(double h) noexcept;
  void detect_shape(int system, int shape, double h) noexcept;
  void keep(const WorldContact& contact) noexcept;
  void recall() noexcept;
  void solve(double h) noexcept;
  void solve_island(std::size_t first, std::size_t last, double h) noexcept;
  void apply(std::size_t first, std::size_t last) noexcept;
  void make_volume(const ContactSettings& settings);
  void solve_volume(double h) noexcept;
  void finish() noexcept;
  void remember() noexcept;
  void worsen(WorldStatus to) noexcept { status = std::max(status, to); }

  std::vector<System> systems;
  std::vector<StaticShape> statics;
  std::vector<std::vector<FaceFrame>> frames;  // per static shape and face
  std::unique_ptr<ContactMethod> method;       // of points
  std::unique_ptr<VolumetricContacts> volume;  // or of patches
  std::vector<std::uint8_t> active;            // per system, for volume
  std::vector<int> system_of;                  // per touching body of all systems, for volume
  ContactCapacity capacity;
  WorldCounters counters;
  WorldStatus status = WorldStatus::kOk;
  double contact_work = 0.0;
  std::vector<WorldContact> contacts;  // reserved
  bool overflowed = false;
  std::vector<Memory> memory;  // reserved, by id

  // scratch of one island
  std::vector<TouchingBody> touching;
  std::vector<int> touching_of_system;  // touching body numbers, as response takes them
  std::vector<double> Phi;
  std::vector<ContactPoint> points;
  std::vector<ContactForce> forces;
  std::vector<Force> sums;
};

}  // namespace kagami::models
