// Convex meshes, their overlaps and contact patches: oracle O14e, what is known in closed form,
// laws that hold for any two polyhedra, what bad meshes get.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "models/contact/shape/patch.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

constexpr double kOracle = 1e-9;  // relative: the oracle's own bound

Vec3 vec3_of(const nlohmann::json& j) {
  const auto v = j.get<std::array<double, 3>>();
  return Vec3(v[0], v[1], v[2]);
}

Mat3 mat3_of(const nlohmann::json& j) {
  Mat3 m;
  for (int i = 0; i < 3; ++i) m.row(i) = vec3_of(j.at(static_cast<std::size_t>(i))).transpose();
  return m;
}

// the oracle lists twists as (v, omega), ours are (omega; v)
int ours(int i) {
  return (i + 3) % 6;
}

struct Block {
  ConvexMesh mesh;
  Pose X_W;
};

Block block_of(const nlohmann::json& j) {
  return {ConvexMesh::box("box", vec3_of(j.at("size"))), {mat3_of(j.at("R")), vec3_of(j.at("p"))}};
}

ClipStatus overlap_in_world(const Block& A, const Block& B, Clipper& clipper) {
  const ClipStatus status = intersect(A.mesh, B.mesh, inverse(A.X_W) * B.X_W, clipper);
  if (status == ClipStatus::kOk) clipper.move(A.X_W);
  return status;
}

Patch patch_of(const Clipper& clipper, DepthReading reading = DepthReading::kAbsolute) {
  Patch patch;
  EXPECT_TRUE(make_patch(clipper, reading, 1e-9, patch));
  return patch;
}

double volume_of(const Clipper& clipper) {
  Patch patch;
  return make_patch(clipper, DepthReading::kByOwner, 0.0, patch) ? patch.volume : 0.0;
}

void expect_faces(const nlohmann::json& expected, const Clipper& clipper) {
  ASSERT_EQ(clipper.faces().size(), expected.size());
  for (const nlohmann::json& face : expected) {
    const FaceOwner owner = face.at("owner") == "A" ? FaceOwner::kA : FaceOwner::kB;
    const auto same = [&](const OverlapFace& f) {
      if (f.owner != owner || static_cast<std::size_t>(f.count) != face.at("vertices").size()) {
        return false;
      }
      for (const nlohmann::json& v : face.at("vertices")) {
        double nearest = 1.0;
        for (int k = 0; k < f.count; ++k) {
          const Vec3& corner =
              clipper.vertices()[clipper.corners()[static_cast<std::size_t>(f.first + k)]];
          nearest = std::min(nearest, (corner - vec3_of(v)).norm());
        }
        if (nearest > 1e-12) return false;  // m
      }
      return true;
    };
    EXPECT_EQ(std::count_if(clipper.faces().begin(), clipper.faces().end(), same), 1) << face;
  }
}

// C of Eq. (9), angular first
void expect_drive(const nlohmann::json& C, const Patch& patch) {
  Eigen::Matrix<double, 3, 6> drive;
  drive << -skew(patch.depth_first), patch.depth * Mat3::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double expected = C.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
      EXPECT_NEAR(drive(i, ours(j)), expected, kOracle * patch.depth) << i << ' ' << j;
    }
  }
}

TEST(ContactPatch, BoxPairsHaveTheOraclesVolumeFacesAndIntegrals) {
  Clipper clipper;
  const nlohmann::json cases = test::read_fixture("o14e_volumetric.json").at("cases");
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const Block A = block_of(c.at("A"));
    const Block B = block_of(c.at("B"));
    ASSERT_EQ(overlap_in_world(A, B, clipper), ClipStatus::kOk);
    const Patch p = patch_of(clipper);
    EXPECT_NEAR(p.volume, c.at("volume"), kOracle * p.volume);
    EXPECT_LT((p.centroid - vec3_of(c.at("centroid"))).norm(), 1e-12);  // m
    EXPECT_NEAR(p.area, c.at("surface_area"), kOracle * p.area);
    EXPECT_LT((p.sum_A - vec3_of(c.at("sum_A"))).norm(), kOracle * p.area);
    EXPECT_LT((p.sum_B - vec3_of(c.at("sum_B"))).norm(), kOracle * p.area);
    EXPECT_LT((p.n - vec3_of(c.at("normal_on_A"))).norm(), kOracle);
    expect_faces(c.at("faces"), clipper);

    const Mat6 Q = patch_metric(p);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        const double expected =
            c.at("Q").at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
        const double scale = std::sqrt(Q(ours(i), ours(i)) * Q(ours(j), ours(j)));
        EXPECT_NEAR(Q(ours(i), ours(j)), expected, kOracle * scale) << i << ' ' << j;
      }
    }
    expect_drive(c.at("C_abs"), p);
    const Patch by_owner = patch_of(clipper, DepthReading::kByOwner);
    expect_drive(c.at("C_owner"), by_owner);

    const Vec6 V = patch_velocity(p);
    const Vec6 V_owner = patch_velocity(by_owner);
    for (int i = 0; i < 6; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(V[ours(i)], c.at("kappa_velocity_for_k1").at(k), kOracle);
      EXPECT_NEAR(V_owner[ours(i)], c.at("kappa_velocity_for_k1_owner").at(k), kOracle);
    }
  }
}

// S = 2ab + 2d(a+b), integral of |h| = ab d + (a+b) d^2/2
TEST(ContactPatch, SlabOnAHalfSpaceFollowsTheClosedForm) {
  const double a = 0.2;
  const double b = 0.1;
  const double d = 1e-7;
  Clipper clipper;
  const ConvexMesh box = ConvexMesh::box("box", {a, b, 0.05});
  const HalfSpace floor{.n = Vec3::UnitZ(), .offset = -0.025 + d};
  ASSERT_EQ(intersect(box, floor, clipper), ClipStatus::kOk);
  const Patch p = patch_of(clipper);
  EXPECT_NEAR(p.volume, a * b * d, 1e-9 * a * b * d);  // d is a difference of rounded heights
  EXPECT_NEAR(p.area, 2 * a * b + 2 * d * (a + b), 1e-15);
  EXPECT_NEAR(p.depth, a * b * d + (a + b) * d * d / 2, 1e-9 * a * b * d);
  EXPECT_LT((p.n - Vec3::UnitZ()).norm(), 1e-12);
  ASSERT_EQ(p.outline_count, 4);
  for (int k = 0; k < 4; ++k) {
    const Vec3& r = p.outline[static_cast<std::size_t>(k)];
    EXPECT_NEAR(std::abs(r.x()), a / 2, 1e-12);
    EXPECT_NEAR(std::abs(r.y()), b / 2, 1e-12);
    const Vec3& next = p.outline[static_cast<std::size_t>((k + 1) % 4)];
    EXPECT_GT(r.cross(next).dot(p.n), 0.0);  // counter-clockwise
  }
}

TEST(Clipper, FacesThatCoincideAreThereOnce) {
  const Block A{ConvexMesh::box("a", {0.2, 0.1, 0.05}), {Mat3::Identity(), Vec3(0, 0, 0.049)}};
  const Block B{ConvexMesh::box("b", {0.2, 0.1, 0.05}), Pose{}};
  Clipper clipper;
  ASSERT_EQ(overlap_in_world(A, B, clipper), ClipStatus::kOk);
  EXPECT_EQ(clipper.faces().size(), 6u);
  EXPECT_EQ(clipper.vertices().size(), 8u);
  EXPECT_EQ(std::count_if(clipper.faces().begin(), clipper.faces().end(),
                          [](const OverlapFace& f) { return f.owner == FaceOwner::kB; }),
            1);
  const Patch p = patch_of(clipper);
  EXPECT_NEAR(p.volume, 0.2 * 0.1 * 0.001, 1e-15);
  EXPECT_LT((p.n - Vec3::UnitZ()).norm(), 1e-15);
}

TEST(Clipper, TouchingIsNotOverlapping) {
  const ConvexMesh box = ConvexMesh::box("box", Vec3::Constant(1.0));
  Clipper clipper;
  for (const Vec3& p : {Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(0.3, 0, -1)}) {
    EXPECT_EQ(intersect(box, box, {Mat3::Identity(), p}, clipper), ClipStatus::kApart)
        << p.transpose();
    EXPECT_TRUE(clipper.faces().empty());
  }
  // edge across edge, apart although no face plane separates them
  const Pose X_AB{Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()).toRotationMatrix() *
                      Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()).toRotationMatrix(),
                  Vec3(0.9, 0.9, 0.9)};
  EXPECT_EQ(intersect(box, box, X_AB, clipper), ClipStatus::kApart);
}

// a box cut by random planes
ConvexMesh random_mesh(std::mt19937& random, int planes) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Clipper clipper;
  clipper.start(ConvexMesh::box("raw", Vec3(0.2, 0.15, 0.1)));
  for (int k = 0; k < planes; ++k) {
    const Vec3 n = Vec3(unit(random), unit(random), unit(random)).normalized();
    EXPECT_EQ(clipper.cut({.n = n, .offset = 0.05 + 0.03 * std::abs(unit(random))}, 1e-15),
              ClipStatus::kOk);
  }
  std::vector<std::vector<int>> faces;
  for (const OverlapFace& f : clipper.faces()) {
    std::vector<int>& face = faces.emplace_back();
    for (int k = 0; k < f.count; ++k) {
      face.push_back(clipper.corners()[static_cast<std::size_t>(f.first + k)]);
    }
  }
  return {"random", {clipper.vertices().begin(), clipper.vertices().end()}, faces};
}

Pose random_pose(std::mt19937& random, double spread) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Eigen::Quaterniond q =
      Eigen::Quaterniond(unit(random), unit(random), unit(random), unit(random)).normalized();
  return {q.toRotationMatrix(), spread * Vec3(unit(random), unit(random), unit(random))};
}

TEST(Clipper, RandomPolyhedraAgreeInBothOrdersAndAreClosed) {
  Clipper clipper;
  int hits = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Block A{random_mesh(random, 1 + static_cast<int>(seed % 12)), random_pose(random, 0.06)};
    const Block B{random_mesh(random, 1 + static_cast<int>(seed % 7)), random_pose(random, 0.06)};
    const ClipStatus status = overlap_in_world(A, B, clipper);
    const double volume = status == ClipStatus::kOk ? volume_of(clipper) : 0.0;
    Patch p;
    const bool touches = make_patch(clipper, DepthReading::kAbsolute, 1e-9, p);
    if (touches) {
      ++hits;
      EXPECT_LT((p.sum_A + p.sum_B).norm(), 1e-14 * p.area);  // closed
      const std::size_t edges = clipper.corners().size() / 2;
      EXPECT_EQ(clipper.vertices().size() + clipper.faces().size(), edges + 2);  // Euler
    }
    const ClipStatus swapped = overlap_in_world(B, A, clipper);
    Patch q;
    ASSERT_EQ(make_patch(clipper, DepthReading::kAbsolute, 1e-9, q), touches);
    if (!touches) continue;
    ASSERT_EQ(swapped, ClipStatus::kOk);
    EXPECT_NEAR(q.volume, volume, 1e-12 * 1e-3);  // of the bodies' own m^3
    EXPECT_LT((q.n + p.n).norm(), 1e-9);
    EXPECT_LT((patch_metric(q) - patch_metric(p)).norm(), 1e-9 * p.area);
    EXPECT_NEAR(q.depth, p.depth, 1e-9 * p.depth);
  }
  EXPECT_GT(hits, 200);
}

TEST(Clipper, TheTwoSidesOfAPlaneAddUp) {
  Clipper clipper;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const ConvexMesh A = random_mesh(random, 6);
    const Pose X = random_pose(random, 0.03);
    const Vec3 n = X.R.col(0);
    double sum = 0.0;
    if (intersect(A, {.n = n, .offset = n.dot(X.p)}, clipper) == ClipStatus::kOk) {
      sum += patch_of(clipper).volume;
    }
    if (intersect(A, {.n = -n, .offset = -n.dot(X.p)}, clipper) == ClipStatus::kOk) {
      sum += patch_of(clipper).volume;
    }
    EXPECT_NEAR(sum, A.volume(), 1e-14 * 1e-3);  // m^3
  }
}

// nearly coincident faces, edges and corners: any decision will do, but one result
TEST(Clipper, PoisedBoxesStayClosedHoweverSmallTheTilt) {
  Clipper clipper;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Block B{ConvexMesh::box("b", {0.2, 0.1, 0.05}), Pose{}};
  for (const double tiny : {1e-17, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9}) {
    for (int k = 0; k < 500; ++k) {
      const Vec3 turn = tiny * Vec3(unit(random), unit(random), unit(random));
      const Vec3 shift = tiny * Vec3(unit(random), unit(random), unit(random));
      const Block A{B.mesh, {exponential(turn).toRotationMatrix(), Vec3(0, 0, 0.0499) + shift}};
      ASSERT_EQ(overlap_in_world(A, B, clipper), ClipStatus::kOk);
      const Patch p = patch_of(clipper);
      EXPECT_NEAR(p.volume, 0.2 * 0.1 * 1e-4, 0.03 * tiny + 1e-16);
      EXPECT_LT((p.sum_A + p.sum_B).norm(), 1e-14 * p.area);
      // (1) leans by depth / width where opposite side faces have different owners
      EXPECT_LT((p.n - Vec3::UnitZ()).norm(), 1.2 * 1e-4 / 0.1 + 10 * tiny);
      EXPECT_GE(p.outline_count, 4);
      EXPECT_TRUE(patch_velocity(p).allFinite());
    }
  }
}

TEST(ContactPatch, ABodyInsideAnotherHasNoNormal) {
  Clipper clipper;
  const ConvexMesh small = ConvexMesh::box("small", Vec3::Constant(0.1));
  const ConvexMesh large = ConvexMesh::box("large", Vec3::Constant(1.0));
  ASSERT_EQ(intersect(small, large, Pose{}, clipper), ClipStatus::kOk);
  Patch p;
  EXPECT_FALSE(make_patch(clipper, DepthReading::kAbsolute, 0.0, p));
  Pose lost;
  lost.p.x() = std::nan("");
  if (intersect(small, large, lost, clipper) == ClipStatus::kOk) {
    EXPECT_FALSE(make_patch(clipper, DepthReading::kAbsolute, 0.0, p));
  }
}

TEST(ContactPatch, LongOutlinesKeepTheCornersThatMatter) {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces(2);
  constexpr int kSides = 30;
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2.0 * M_PI * k / kSides;
    vertices.emplace_back(std::cos(angle), std::sin(angle), -0.5);
    vertices.emplace_back(std::cos(angle), std::sin(angle), 0.5);
    faces[0].insert(faces[0].begin(), 2 * k);
    faces[1].push_back(2 * k + 1);
    const int next = (k + 1) % kSides;
    faces.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
  }
  const ConvexMesh drum("drum", vertices, faces);
  Clipper clipper;
  ASSERT_EQ(intersect(drum, HalfSpace{.n = Vec3::UnitZ(), .offset = -0.4}, clipper),
            ClipStatus::kOk);
  const Patch p = patch_of(clipper);
  ASSERT_EQ(p.outline_count, kMaxOutline);
  double area = 0.0;
  for (int k = 0; k < kMaxOutline; ++k) {
    const Vec3& a = p.outline[static_cast<std::size_t>(k)];
    const Vec3& b = p.outline[static_cast<std::size_t>((k + 1) % kMaxOutline)];
    area += 0.5 * a.cross(b).dot(p.n);
  }
  EXPECT_GT(area, 0.95 * p.sum_B.norm());
}

TEST(Clipper, TheCycleAllocatesNothing) {
  std::mt19937 random(5);
  const Block A{random_mesh(random, 9), {Mat3::Identity(), Vec3(0.03, 0.02, 0.06)}};
  const Block B{random_mesh(random, 9), Pose{}};
  Clipper clipper;
  Patch patch;
  const test::NoAlloc guard;
  const ClipStatus status = overlap_in_world(A, B, clipper);
  const bool made = make_patch(clipper, DepthReading::kAbsolute, 1e-6, patch);
  const Vec6 V = patch_velocity(patch);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(status, ClipStatus::kOk);
  EXPECT_TRUE(made && V.allFinite());
}

}  // namespace
}  // namespace kagami::models
