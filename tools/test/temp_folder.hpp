/// A folder of its own for one test, removed at the end.
#pragma once

#include "models/base/temporary_folder.hpp"

namespace kagami::test {

using TempFolder = TemporaryFolder;

}  // namespace kagami::test
