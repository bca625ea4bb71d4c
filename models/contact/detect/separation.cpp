#include "models/contact/detect/separation.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// every vertex of `mesh` has n . x >= offset; n and offset in its frame
bool all_beyond(const ConvexMesh& mesh, const Vec3& n, double offset) noexcept {
  return std::all_of(mesh.vertices().begin(), mesh.vertices().end(),
                     [&](const Vec3& v) { return n.dot(v) >= offset; });
}

bool separates(const ConvexMesh& A, const ConvexMesh& B, const Pose& X_AB, int face) noexcept {
  const int faces_A = static_cast<int>(A.faces().size());
  if (face < faces_A) {
    const MeshFace& f = A.faces()[idx(face)];
    return all_beyond(B, X_AB.R.transpose() * f.n, f.offset - f.n.dot(X_AB.p));
  }
  const MeshFace& f = B.faces()[idx(face - faces_A)];
  const Vec3 n_A = X_AB.R * f.n;
  return all_beyond(A, n_A, f.offset + n_A.dot(X_AB.p));
}

}  // namespace

int separating_face(const ConvexMesh& A, const ConvexMesh& B, const Pose& X_AB, int hint) noexcept {
  const int count = static_cast<int>(A.faces().size() + B.faces().size());
  if (hint >= 0 && hint < count && separates(A, B, X_AB, hint)) return hint;
  for (int face = 0; face < count; ++face) {
    if (face != hint && separates(A, B, X_AB, face)) return face;
  }
  return kNoFace;
}

}  // namespace kagami::models
