#include "runtime/threads/sized_thread.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <vector>

namespace kagami::runtime {
namespace {

TEST(SizedThread, RunsItsBodyOnceOnAStackOfTheStatedSizeUnderItsName) {
  std::size_t size = 0;
  std::array<char, 16> name{};
  int runs = 0;
  {
    SizedThread thread(
        "a-name-longer-than-fifteen",
        [&] {
          ++runs;
          pthread_attr_t attributes;
          ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
          void* lowest = nullptr;
          pthread_attr_getstack(&attributes, &lowest, &size);
          pthread_attr_destroy(&attributes);
          pthread_getname_np(pthread_self(), name.data(), name.size());
        },
        std::size_t{1} << 20);
  }
  EXPECT_EQ(runs, 1);
  EXPECT_GE(size, (std::size_t{1} << 20) - 65536);  // the library may round
  EXPECT_LE(size, (std::size_t{1} << 20) + 65536);
  EXPECT_STREQ(name.data(), "a-name-longer-t");
}

TEST(SizedThread, HasItsStackInMemoryBeforeTheBodyBegins) {
  double resident_part = 0.0;
  {
    SizedThread thread("touched", [&] {
      pthread_attr_t attributes;
      ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
      void* lowest = nullptr;
      std::size_t size = 0;
      pthread_attr_getstack(&attributes, &lowest, &size);
      pthread_attr_destroy(&attributes);
      std::vector<unsigned char> pages((size + 4095) / 4096);
      ASSERT_EQ(mincore(lowest, size, pages.data()), 0);
      std::size_t resident = 0;
      for (const unsigned char page : pages) resident += page & 1U;
      resident_part = static_cast<double>(resident) / static_cast<double>(pages.size());
    });
  }
  EXPECT_GT(resident_part, 0.85);  // all but the 32 KiB at the far end and the library's own
}

TEST(SizedThread, JoinsOnceHoweverOftenCalled) {
  int runs = 0;
  SizedThread thread("joined", [&] { ++runs; });
  thread.join();
  thread.join();
  EXPECT_EQ(runs, 1);
}

TEST(SizedThread, ThrowsWhenTheSystemRefusesTheStack) {
  EXPECT_ANY_THROW(SizedThread(
      "huge", [] {}, std::size_t{1} << 46));
}

}  // namespace
}  // namespace kagami::runtime
