/// A comparison as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/analysis/compare.hpp"

namespace kagami::tools {

/// Table of all joints and a closing line with the RMS over all of them.
std::string comparison_text(const Comparison& comparison);
/// RMS difference between robot and model beside the RMS of the noise.
std::string distance_sentence(const Comparison& comparison);
/// Table of gain and phase by frequency; "" where the motion excites none.
std::string responses_text(const Comparison& comparison);
/// Table of what changed from the baseline.
std::string changes_text(const Comparison& run, const Comparison& baseline);

/// {"name", "channel", "samples", "rms_deg", ...} per joint, as in `kagami.run/1`; null = not
/// measured.
nlohmann::json joints_json(const Comparison& comparison);
nlohmann::json changes_json(const Comparison& run, const Comparison& baseline);
nlohmann::json number_or_null(const std::optional<double>& value);

}  // namespace kagami::tools
