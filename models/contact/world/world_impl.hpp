/// What a world consists of inside; included by its own files alone.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/contact/detect/manifold.hpp"
#include "models/contact/detect/neighbours.hpp"
#include "models/contact/detect/vertices.hpp"
#include "models/contact/volume/volumetric_contacts.hpp"
#include "models/contact/world/world.hpp"

namespace kagami::models {

struct World::Impl {
  struct Shape {
    int body = 0;     // touching body
    int parent = -1;  // touching body that a joint ties it to
    ConvexMesh mesh;
    Surface surface;                // as it is now
    Surface bare;                   // as it was made
    std::vector<FaceFrame> frames;  // of its faces, in the body
    std::vector<MeshEdge> edges;    // in the body
    LocalBox box;
    double way = 0.0;  // m: the farthest that a point of it may move in two steps
  };

  // the same system with other masses, and what contact knows of it
  struct Variant {
    Model model;
    std::unique_ptr<ContactBodies> bodies;
  };

  struct System {
    std::string name;
    Model model;  // as it was made
    State state;
    Drive drive;
    JointVector vdot;
    std::unique_ptr<ContactBodies> own_bodies;  // of `model`
    ContactBodies* bodies = nullptr;            // of the variant in use
    std::vector<BodyIndex> touching;
    std::vector<std::unique_ptr<Variant>> variants;  // where they stay: models are borrowed
    int variant = 0;
    std::vector<Shape> shapes;
    bool self_collision = true;
    DynamicsChoice dynamics;
    std::vector<Force> impulse;  // per touching body, about the origin
    std::vector<int> place;      // per touching body: in the island's list, or -1
    SystemStatus status = SystemStatus::kOk;

    // sleep
    bool asleep = false;
    bool begun = false;        // in this step
    bool group_rests = false;  // scratch, of the group's first
    int group = 0;             // first of those that fell asleep together
    double quiet = 0.0;        // s, for how long it has been at rest
    State kept_state;          // as it fell asleep
    Drive kept_drive;          // when `quiet` began, or as it fell asleep
  };

  static constexpr int kEverybody = -1;  // no group

  // what is kept of a contact from step to step
  struct Memory {
    std::uint64_t id = 0;
    ContactMotion motion = ContactMotion::kNew;
    Vec3 reference = Vec3::Zero();  // p_n of [Wakisaka 2013], in W, or in a body b that moves
    Vec3 own = Vec3::Zero();        // with such a b: the point, in body a
    Vec3 local = Vec3::Zero();      // N s
  };

  // a shape of a system
  struct ShapePlace {
    int system = 0;
    int shape = 0;
  };

  // a touching body of a system
  struct BodyPlace {
    int system = 0;
    int body = 0;
  };

  // J: what all impulses of an island, shrunk to a share x, do: x linear + x^2 quadratic
  struct IslandWork {
    double linear = 0.0;
    double quadratic = 0.0;
  };

  Impl(const Scene& scene, const ContactSettings& settings, const ContactCapacity& capacity);

  void add_system(const SceneSystem& from);
  static void check_scene(const Scene& scene);
  void check_start() const;
  void check_apart() const;
  void begin(double h) noexcept;
  void begin_system(System& s, double h) noexcept;
  void detect() noexcept;
  void detect_shape(int system, int shape) noexcept;
  void detect_mesh(int system, int shape, int other) noexcept;
  void keep(const WorldContact& contact) noexcept;
  void make_pairs();
  void find_pairs() noexcept;
  void detect_pairs() noexcept;
  void detect_pair(int a, int b) noexcept;
  [[nodiscard]] double way_of(const System& s, const Shape& shape, double h) const noexcept;
  void recall() noexcept;
  void solve(double h) noexcept;
  void find_islands() noexcept;
  [[nodiscard]] int root_of(int system) noexcept;
  bool list_body(int system, int body) noexcept;
  bool list_contact(const WorldContact& c) noexcept;
  bool list_bodies(std::span<const int> island) noexcept;
  void sort_places() noexcept;
  void clear_places() noexcept;
  void load_island(std::span<const int> island) noexcept;
  void solve_island(std::span<const int> island, double h) noexcept;
  [[nodiscard]] double size_allowed(const IslandWork& work, std::span<const int> island,
                                    double h) const noexcept;
  void reserve_split();
  void add_impulse(const WorldContact& c, double sign) noexcept;
  void make_parts(std::span<const int> island) noexcept;
  void respond_wholly(System& s) noexcept;
  void shift_part() noexcept;
  bool solve_part(std::span<const int> part, double h, double& change) noexcept;
  bool sweep_parts(std::span<const int> island, double h) noexcept;
  IslandWork work_of_systems(int root) noexcept;
  void clear_impulses(int root) noexcept;
  void solve_split(std::span<const int> island, double h) noexcept;
  void fail_island(std::span<const int> island) noexcept;
  [[nodiscard]] IslandWork sum_impulses(std::span<const int> island) noexcept;
  [[nodiscard]] double work_allowed(std::span<const int> island, double h) const noexcept;
  void apply(std::span<const int> island, double h) noexcept;
  // of the other side: what is static does not move
  [[nodiscard]] const Pose& pose_of_other(const WorldContact& c) const noexcept {
    return c.other != kNoStatic ? still : pose_of(c.other_system, c.other_body);
  }
  // a vertex at a static shape is followed in W, all else in both bodies
  static bool is_vertex_at_static(const WorldContact& c) noexcept {
    return c.other != kNoStatic && c.vertex >= 0;
  }
  [[nodiscard]] const Pose& pose_of(int system, int body) const noexcept {
    return systems[static_cast<std::size_t>(system)].bodies->X_WB[static_cast<std::size_t>(body)];
  }
  void wake(int group) noexcept;
  void wake_disturbed() noexcept;
  void wake_touched(double h) noexcept;
  void find_groups() noexcept;
  void settle(double h) noexcept;
  void fall_asleep(int system, int group, double h) noexcept;
  [[nodiscard]] std::size_t patches_of_step() const noexcept { return volume->patches().size(); }
  [[nodiscard]] WorldPatch patch_of_step(int i) const noexcept;
  void make_volume(const ContactSettings& settings);
  void solve_volume(double h) noexcept;
  void finish() noexcept;
  void remember() noexcept;
  void worsen(WorldStatus to) noexcept { status = std::max(status, to); }

  std::vector<System> systems;
  std::vector<StaticShape> statics;
  std::vector<Surface> bare_statics;           // their surfaces as they were made
  std::vector<std::vector<FaceFrame>> frames;  // per static shape and face
  std::vector<std::vector<MeshEdge>> edges;    // per static shape; none of a half-space
  std::unique_ptr<ContactMethod> method;       // of points
  std::unique_ptr<VolumetricContacts> volume;  // or of patches
  std::vector<std::uint8_t> active;            // per system, for volume
  std::vector<int> system_of;                  // per touching body of all systems, for volume
  std::vector<WorldPatch> kept_patches;        // of sleepers; reserved
  ContactCapacity capacity;
  SleepSettings sleep;
  WorldCounters counters;
  WorldStatus status = WorldStatus::kOk;
  double contact_work = 0.0;
  double compensation = 0.0;           // 1/s, of points
  double compensation_speed = 0.0;     // m/s
  std::vector<WorldContact> contacts;  // reserved
  bool overflowed = false;
  std::vector<Memory> memory;       // reserved, by id
  std::vector<Memory> memory_next;  // the same, scratch

  // moving shapes against each other
  std::vector<ShapePlace> moving;  // shapes of all systems
  std::vector<Bounds> bounds;
  double skin = 0.0;  // m: by which patches reach beyond shapes
  std::unique_ptr<SweepAndPrune> sweep;
  bool pairs_known = true;  // its pairs are all
  std::unique_ptr<Neighbours> neighbours;
  Manifold manifold;
  Pose still;  // of static shapes

  // islands: systems that touch each other, each known by its first
  std::vector<int> joined;  // per system: one that it touches, towards the first
  std::vector<int> order;   // contacts, island after island; reserved

  // scratch of one island
  std::vector<BodyPlace> places;  // of `touching`
  std::vector<TouchingBody> touching;
  std::vector<int> touching_of_system;  // touching body numbers, as response takes them
  std::vector<double> Phi;
  std::vector<ContactPoint> points;
  std::vector<ContactForce> forces;
  std::vector<Force> sums;

  // scratch of an island with more bodies than fit in one problem
  std::vector<int> split_order;
  std::vector<std::span<const int>> parts;
  std::vector<int> split_bodies;
  std::vector<double> split_Phi;
};

}  // namespace kagami::models
