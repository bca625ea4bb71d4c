/// The main function of our test programs. `PROGRAM NAME...` runs the tests of the files NAME.cpp
/// alone, so that ctest lists files though a folder's tests are one program.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

namespace {

/// The tests of the named files as a gtest filter; names in which no test is found stay in `names`.
std::string filter_of(std::set<std::string>& names) {
  const std::set<std::string> wanted = names;
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      const std::string file = std::filesystem::path(test.file()).stem();
      if (!wanted.contains(file)) continue;
      names.erase(file);
      filter.append(suite.name()).append(".").append(test.name()).append(":");
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::set<std::string> names(argv + 1, argv + argc);
  if (names.empty()) return RUN_ALL_TESTS();
  const std::string filter = filter_of(names);
  for (const std::string& name : names)
    std::fprintf(stderr, "%s: no test is in a file '%s.cpp'\n", argv[0], name.c_str());
  if (!names.empty()) return 1;
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
  return RUN_ALL_TESTS();
}
