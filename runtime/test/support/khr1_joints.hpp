/// What the tests of runtime count on the shipped KHR-1.
#pragma once

namespace kagami::test {

inline constexpr int kKhr1Joints = 17;

}  // namespace kagami::test
