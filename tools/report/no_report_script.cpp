// Stands in for the generated script where the page is left out of the build.
#include "tools/report/report_script.hpp"

namespace kagami::tools {

ReportScript report_script() noexcept {
  return {};
}

}  // namespace kagami::tools
