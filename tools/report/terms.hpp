/// Definitions of every number of the report.
#pragma once

#include <string>

namespace kagami::tools {

/// A link to the definition with this id, shown as `text`.
std::string term(const std::string& id, const std::string& text);
/// The list that these links lead to.
std::string terms_list();

}  // namespace kagami::tools
