/// Escaping for HTML and XML.
#pragma once

#include <string>

namespace kagami::tools {

/// `text` with the marks of HTML replaced; control characters and bytes that are no
/// UTF-8 become U+FFFD.
std::string html_escaped(const std::string& text);

}  // namespace kagami::tools
