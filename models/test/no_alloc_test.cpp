#include "models/test/support/no_alloc.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <vector>

namespace kagami::test {
namespace {

// volatile: keeps the compiler from removing the pair of calls
double* volatile g_block = nullptr;

TEST(NoAlloc, CountsPlantedAllocations) {
  if (!hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  const NoAlloc guard;
  g_block = new double[10];
  EXPECT_EQ(guard.count(), 1);
  delete[] g_block;
  EXPECT_EQ(guard.count(), 2);
}

TEST(NoAlloc, CountsAlignedAllocations) {
  if (!hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  struct alignas(64) Wide {
    double x[8] = {};
  };
  const NoAlloc guard;
  const auto wide = std::make_unique<Wide>();
  EXPECT_EQ(guard.count(), 1);
}

TEST(NoAlloc, CountsNothingInArithmetic) {
  std::vector<double> x(100, 1.0);
  const NoAlloc guard;
  double sum = 0.0;
  for (const double v : x) sum += v;
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(sum, 100.0);
}

TEST(NoLock, CountsPlantedLocks) {
  if (!hooks_are_active()) GTEST_SKIP() << "the sanitizer owns the mutex";
  std::mutex mutex;
  const NoLock guard;
  { const std::lock_guard lock(mutex); }
  EXPECT_EQ(guard.count(), 1);
}

}  // namespace
}  // namespace kagami::test
