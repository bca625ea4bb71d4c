/// Random draws of the virtual robot, repeatable from a recorded seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kagami::drivers::virtual_robot {

/// xorshift64*: which board answers FE, apart from every other random number.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t count) noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 0x2545F4914F6CDD1Du) >> 33) % count;
  }

 private:
  std::uint64_t state_;
};

}  // namespace kagami::drivers::virtual_robot
