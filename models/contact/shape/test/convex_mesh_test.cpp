// Convex meshes: what they weigh, and what bad ones get.
#include "models/contact/shape/convex_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConvexMesh, ReportsTheProblem) {
  const ConvexMesh box = ConvexMesh::box("box", Vec3(0.2, 0.1, 0.05));
  const std::vector<Vec3>& v = box.vertices();
  std::vector<std::vector<int>> f;
  for (const MeshFace& face : box.faces()) f.push_back(face.corners);
  const auto expect = [&](const char* text, std::vector<Vec3> vertices,
                          std::vector<std::vector<int>> faces) {
    const std::string message = refusal([&] { ConvexMesh("box", vertices, faces); });
    EXPECT_NE(message.find(text), std::string::npos) << text << "\n" << message;
  };
  std::vector<Vec3> bent = v;
  bent[7].z() = std::nan("");
  expect("vertex 7 is not finite", bent, f);
  bent = v;
  bent[7] = 0.1 * bent[7];
  expect("is not flat", bent, f);
  bent = v;
  bent[3] = bent[1];
  expect("vertex 3 repeats vertex 1", bent, f);
  bent = v;
  bent.emplace_back(0, 0, 0);
  expect("vertex 8 belongs to no face", bent, f);
  auto open = f;
  open.pop_back();
  expect("the mesh is open", v, open);
  auto turned = f;
  std::reverse(turned[2].begin(), turned[2].end());
  expect("appears twice in one direction", v, turned);
  auto beyond = f;
  beyond[1][0] = 8;
  expect("face 1 names vertex 8, expected 0..7", v, beyond);
  auto twice = f;
  twice[1][0] = twice[1][1];
  expect("face 1 names vertex 3 twice", v, twice);
  auto inside_out = f;
  for (auto& face : inside_out) std::reverse(face.begin(), face.end());
  expect("not convex, or the face is not counter-clockwise", v, inside_out);
  expect("expected at least 4", {v[0], v[1], v[2]}, {});
  expect("expected at most 64", std::vector<Vec3>(65, Vec3::Zero()), {});
  bent = v;
  for (Vec3& p : bent) p.z() = 0.0;
  expect("repeats vertex", bent, f);
  bent = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  expect("the volume is zero", bent, {{0, 1, 2}, {1, 3, 2}, {0, 2, 3}, {0, 3, 1}});
  EXPECT_NE(refusal([] { ConvexMesh::box("flat", Vec3(1, 1, 0)); }).find("'flat'"),
            std::string::npos);
}

TEST(ConvexMesh, WedgeHasItsVolumeMassCentreAndEdges) {
  const ConvexMesh wedge = ConvexMesh::wedge("ramp", Vec3(0.3, 0.2, 0.1));
  EXPECT_NEAR(wedge.volume(), 0.5 * 0.3 * 0.2 * 0.1, 1e-16);
  const MassProperties m = wedge.mass_properties(2.0);
  EXPECT_LT((m.com - Vec3(0.1, 0.0, 0.1 / 3)).norm(), 1e-15);
  // triangle about its centroid: a^2/18 per unit mass along each leg, depth^2/12 across
  EXPECT_NEAR(m.I_com(1, 1), 2.0 * (0.09 + 0.01) / 18.0, 1e-15);
  EXPECT_NEAR(m.I_com(0, 0), 2.0 * (0.01 / 18.0 + 0.04 / 12.0), 1e-15);
  EXPECT_EQ(wedge.edges().size(), 9u);
  EXPECT_EQ(ConvexMesh::box("b", Vec3(1, 2, 3)).edges().size(), 12u);
}

}  // namespace
}  // namespace kagami::models
