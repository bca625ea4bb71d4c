/// The shipped data, in the form that the reader of scenarios takes.
#pragma once

#include "tools/scenario/scenario.hpp"
#include "tools/test/source_folder.hpp"

namespace kagami::test {

inline const tools::DataFolders kData{kSource / "models/data", kSource / "motions/data", {}};

}  // namespace kagami::test
