/// The health of a robot out of a folder of records.
#pragma once

#include <filesystem>
#include <functional>

#include "tools/gap/health.hpp"

namespace kagami::tools {

/// Analyses the records in `folder` (FOLDER/SESSION/run.mcap and FOLDER/*.mcap) that are of the
/// robot and the model of the newest one; the others, those that are not complete and those that
/// cannot be read are left out with the reason. `progress` gets 0..1 and may throw. Throws
/// ConfigError for a folder that cannot be read or holds no record.
HealthHistory read_health(const std::filesystem::path& folder,
                          const std::function<void(double)>& progress);

}  // namespace kagami::tools
