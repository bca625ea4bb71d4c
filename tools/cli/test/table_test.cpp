#include "tools/cli/table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace kagami::tools {
namespace {

TEST(Table, AlignsNumbersRightAndTextLeft) {
  Table table({{"joint", Align::kLeft}, {"RMS"}});
  table.add_row({"head", "0.3"});
  table.add_row({"left_knee", "12.0"});
  EXPECT_EQ(table.text(),
            "joint       RMS\n"
            "head        0.3\n"
            "left_knee  12.0\n");
}

TEST(Table, WrapsTheLastColumnBelowItself) {
  Table table({{"name", Align::kLeft}, {"note", Align::kLeft}});
  table.add_row({"bow", "bends the trunk and comes up again"});
  EXPECT_EQ(table.text(28),
            "name  note\n"
            "bow   bends the trunk and\n"
            "      comes up again\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"a", Align::kLeft}, {"b"}});
  table.add_row({"鏡°", "1"});
  table.add_row({"xyz", "2"});
  EXPECT_EQ(table.text(), "a    b\n鏡°   1\nxyz  2\n");
}

TEST(Table, RefusesARowOfAWrongLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::logic_error);
}

TEST(Fixed, NeverShowsNegativeZero) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.006, 2), "-0.01");
}

TEST(Fixed, ShowsADashForWhatWasNotMeasured) {
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 2), "-");
  EXPECT_EQ(fixed(std::nullopt, 2), "-");
}

TEST(SizeText, PicksTheUnit) {
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1000), "1.0 kB");
  EXPECT_EQ(size_text(999'960), "1.0 MB");
  EXPECT_EQ(size_text(2.34e9), "2.3 GB");
}

}  // namespace
}  // namespace kagami::tools
