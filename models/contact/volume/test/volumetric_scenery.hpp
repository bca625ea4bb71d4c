/// Systems under the volumetric method alone, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/volume/volumetric_contacts.hpp"
#include "models/test/support/contact_boxes.hpp"

namespace kagami::models {

// systems, what carries them, and the method
struct Scenery {
  Scenery(std::vector<SceneSystem> from, const std::vector<StaticShape>& statics,
          const VolumetricSettings& settings = {}, const VolumetricCapacity& capacity = {})
      : systems(std::move(from)) {
    std::vector<ContactBodies*> borrowed;
    std::vector<VolumetricShape> shapes;
    for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
      const SceneSystem& s = systems[idx(i)];
      std::vector<BodyIndex> touching;
      for (const BodyShape& shape : s.shapes) {
        const auto parent =
            std::find(touching.begin(), touching.end(), s.model.body(shape.body).parent);
        shapes.push_back({.system = i,
                          .body = static_cast<int>(touching.size()),
                          .mesh = shape.mesh,
                          .surface = shape.surface,
                          .parent = parent == touching.end()
                                        ? -1
                                        : static_cast<int>(parent - touching.begin())});
        touching.push_back(shape.body);
      }
      bodies.push_back(make_contact_bodies(s.model, touching));
      borrowed.push_back(bodies.back().get());
      drives.push_back({.tau = JointVector::Zero(s.model.num_v()),
                        .added_inertia = s.model.rotor_inertia(),
                        .F_ext = {}});
      vdot.push_back(JointVector::Zero(s.model.num_v()));
      EXPECT_TRUE(bodies.back()->begin(s.start, drives.back(), 1e-3));
    }
    contacts = std::make_unique<VolumetricContacts>(borrowed, shapes, statics, settings, capacity);
  }

  bool step(double h) {
    for (std::size_t i = 0; i < systems.size(); ++i) {
      if (!bodies[i]->begin(systems[i].start, drives[i], h)) return false;
    }
    contacts->step(h);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      const auto P = contacts->impulses(static_cast<int>(i));
      if (!bodies[i]->finish(P, systems[i].start, vdot[i])) return false;
    }
    return true;
  }
  // force of everything static on all, N
  [[nodiscard]] double carried(double h) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < contacts->patches().size(); ++i) {
      if (contacts->patches()[i].b != kStaticBody) continue;
      sum += contacts->forces()[i].impulse.force().z() / h;
    }
    return sum;
  }
  [[nodiscard]] Vec3 x(int i) const { return systems[idx(i)].start.q.head<3>(); }
  [[nodiscard]] Mat3 R(int i) const {
    const JointVector& q = systems[idx(i)].start.q;
    return Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix();
  }
  [[nodiscard]] Vec3 v(int i) const { return R(i) * Vec3(systems[idx(i)].start.v.segment<3>(3)); }
  [[nodiscard]] Vec3 w(int i) const { return R(i) * Vec3(systems[idx(i)].start.v.head<3>()); }

  std::vector<SceneSystem> systems;
  std::vector<std::unique_ptr<ContactBodies>> bodies;
  std::vector<Drive> drives;
  std::vector<JointVector> vdot;
  std::unique_ptr<VolumetricContacts> contacts;
};

inline SceneSystem free_box(const Vec3& p, double mass = 1.0, const Motion& V = Motion::zero(),
                            const Surface& surface = test::kEqualFriction,
                            const Vec3& size = test::kBox, const std::string& name = "box") {
  return free_body(name, ConvexMesh::box(name, size), mass, surface, {Mat3::Identity(), p}, V);
}

/// Random poses in a column 0.12 m apart.
inline std::vector<SceneSystem> falling_boxes(int n, double mass, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<SceneSystem> systems;
  for (int i = 0; i < n; ++i) {
    const Vec3 p(0.15 * unit(random), 0.15 * unit(random), 0.15 + 0.12 * i);
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized();
    const std::string name = "box" + std::to_string(i);
    systems.push_back(free_body(name, ConvexMesh::box(name, test::kBox), mass, test::kEqualFriction,
                                {q.toRotationMatrix(), p}));
  }
  return systems;
}

}  // namespace kagami::models
