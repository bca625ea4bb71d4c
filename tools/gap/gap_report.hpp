/// An explained gap as sentences, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/gap/explain.hpp"

namespace kagami::tools {

/// Share of a cause in the mean square of all readings.
struct CauseShare {
  std::string cause;   ///< cause_name, "resolution" or "unexplained"
  double share = 0.0;  ///< 0..1, all of them together 1
  double rms_deg = 0.0;
};
/// The largest first, resolution and unexplained last.
std::vector<CauseShare> cause_shares(const std::vector<JointExplanation>& joints);

/// Sentences: how far robot and model were apart, where, why, what happened (a sentence of its own,
/// "" = none), and what to change. Without readings what happened alone.
std::vector<std::string> conclusion(const std::vector<JointExplanation>& joints,
                                    const std::string& happened = "");

/// One line per joint with a gap beyond the resolution: the gap and its causes.
std::string causes_text(const std::vector<JointExplanation>& joints, int width);

/// What to change so that the model has the cause too: file, key, new and present value.
std::string proposal(const JointExplanation& joint, const FoundCause& cause,
                     const std::vector<JointExplanation>& joints);

/// {"shares": [...], "conclusion": [...], "joints": [{"name", "causes": [...]}]}.
nlohmann::json explanation_json(const std::vector<JointExplanation>& joints);

/// What each number of the text means.
std::string explanation_glossary();

}  // namespace kagami::tools
