/// JSON as people write it: what fits into a line is one line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kagami::tools {

/// Two blanks a level, a line end at the end; keys in the order of `value`.
std::string json_lines(const nlohmann::ordered_json& value);

}  // namespace kagami::tools
