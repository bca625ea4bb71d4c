#include "models/base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "models/base/errors.hpp"

namespace kagami {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "kagami_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw RecordError("'" + name + "': no folder can be created there: " + std::strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kagami
