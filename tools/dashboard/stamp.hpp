/// A time as the dashboard's messages say it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace kagami::tools {

/// {"sec": s, "nsec": ns}
inline nlohmann::json stamp_json(std::uint64_t time_ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return {{"sec", time_ns / kSecond}, {"nsec", time_ns % kSecond}};
}

}  // namespace kagami::tools
