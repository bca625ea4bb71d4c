/// Work on every joint, on all cores.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace kagami::tools {

/// Calls work(j) once for each j below `joints`; calls for different joints run at the same time.
/// Returns when all are done. `work` must not throw.
template <class Work>
void for_each_joint(std::size_t joints, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take_joints = [&] {
    for (std::size_t j = next++; j < joints; j = next++) work(j);
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
    helpers.emplace_back(take_joints);
  }
  take_joints();
}

}  // namespace kagami::tools
