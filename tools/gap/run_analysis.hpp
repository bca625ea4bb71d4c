/// A record read once for everything that is made of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/analysis/happenings.hpp"
#include "tools/analysis/series.hpp"
#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

struct RunAnalysis {
  RunSeries series;
  DriveHistory history;  ///< empty where it is not known
  std::vector<Happening> happenings;
  std::vector<std::string> findings;  ///< what is odd about the record; see record_checks.hpp
  std::string not_explained;          ///< why the history is empty or ends early; "" = it is whole
};

/// Throws ConfigError for a record that cannot be read. A record without what the model was built
/// from has curves alone. `also` receives every row.
RunAnalysis analyse_record(const RunRecord& record,
                           const std::function<void(const runtime::CycleRecord&)>& also = {});

}  // namespace kagami::tools
