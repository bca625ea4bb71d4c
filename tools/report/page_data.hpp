/// The data of a report's page for its script: kagami.report/1.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/report/report_data.hpp"

namespace kagami::tools {

/// Times in s, angles in deg. Curves are 16-bit numbers in base64, two for each stretch of
/// `stretch_s`, the extremes in the order in which they occurred: value = offset + step * number,
/// -32768 = none. `most_bytes` limits the text of all curves together.
nlohmann::json page_data(const ReportData& data, std::size_t most_bytes);

/// JSON that ends no script element and is valid UTF-8, whatever texts it holds.
std::string script_safe(const nlohmann::json& object);

/// RFC 4648.
std::string base64(const std::string& bytes);

}  // namespace kagami::tools
