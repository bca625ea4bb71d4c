#include "tools/bench/contact/free_scenes.hpp"

#include <random>

namespace kagami::bench {

Triple box_inertia(double mass, const Triple& size) {
  const auto [a, b, c] = size;
  return {mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b)};
}

ModelDef ground_pendulum() {
  constexpr double kMass = .3;  // kg, of a link
  ModelDef model{"ground_pendulum", {}};
  for (int i = 0; i < 5; ++i)
    model.bodies.push_back({"l" + std::to_string(i),
                            i - 1,
                            'y',
                            {0, 0, i > 0 ? -kLink[2] : .41},
                            kMass,
                            {0, 0, kLinkZ},
                            box_inertia(kMass, kLink)});
  return model;
}

std::vector<BoxPose> falling_boxes(int count) {
  std::mt19937 random(2018);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<BoxPose> boxes(static_cast<std::size_t>(count));
  double height = .15;
  for (BoxPose& box : boxes) {
    box.p[0] = .15 * unit(random);
    box.p[1] = .15 * unit(random);
    box.p[2] = height;
    height += .12;
    double square = 0.0;
    for (double& x : box.q) {
      x = normal(random);
      square += x * x;
    }
    for (double& x : box.q) x /= std::sqrt(square);
  }
  return boxes;
}

}  // namespace kagami::bench
