/// The script of the report as the build embedded it.
#pragma once

#include <string_view>

namespace kagami::tools {

struct ReportScript {
  std::string_view text;    ///< empty: it was left out of the build, the figures stay as they are
  std::string_view sha256;  ///< "sha256-...", as a Content-Security-Policy names it
};

/// Any thread; the texts last as long as the program.
[[nodiscard]] ReportScript report_script() noexcept;

}  // namespace kagami::tools
