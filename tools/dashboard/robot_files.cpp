#include "tools/dashboard/robot_files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/robot/read_model.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxMeshBytes = 16 * 1024 * 1024;

std::string type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".stl" || extension == ".STL") return "model/stl";
  if (extension == ".dae") return "model/vnd.collada+xml";
  if (extension == ".obj") return "model/obj";
  if (extension == ".png") return "image/png";
  return "application/octet-stream";
}

ServedFile served(std::string path, std::string type, std::string text) {
  ServedFile file;
  file.path = std::move(path);
  file.type = std::move(type);
  file.etag = "\"" + hex_text(text_hash(text)) + "\"";
  file.raw = std::move(text);
  return file;
}

std::string read_whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw ConfigError(file.string() + ": cannot be read, expected a mesh");
  return text;
}

}  // namespace

std::vector<ServedFile> robot_files(const fs::path& robot_folder, const std::string& urdf_text) {
  std::vector<ServedFile> files;
  if (!models::is_json(urdf_text)) {
    files.push_back(served("/robot/robot.urdf", "application/xml", urdf_text));
  }
  std::error_code missing;
  const fs::path root = fs::canonical(robot_folder, missing);
  if (missing) return files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(root / "meshes", missing)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    if (entry.file_size() > kMaxMeshBytes) continue;
    const std::string name = entry.path().lexically_relative(root).generic_string();
    files.push_back(served("/robot/" + name, type_of(entry.path()), read_whole(entry.path())));
  }
  return files;
}

}  // namespace kagami::tools
