#include "models/hybrid/owner_code.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/hash.hpp"
#include "models/hybrid/code_texts.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/model_hash.hpp"

namespace kagami::models::hybrid {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "kagami.generated/1";
constexpr const char* kUnit = "owner";  // one name for all: each library is independent
constexpr std::uintmax_t kLargestLibrary = 64u << 20u;  // bytes

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : std::string();
}

// empty when the note ties these bytes to this model and program
std::string note_problem(const std::string& note, const OwnerSource& source,
                         const std::string& bytes) {
  const nlohmann::json json = nlohmann::json::parse(note, nullptr, false);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != kSchema)
    return "its note is not one of " + std::string(kSchema);
  if (json.value("model", nlohmann::json()) != hex_text(source.model))
    return "it was made for another model";
  if (json.value("program", nlohmann::json()) != hex_text(source.program))
    return "it was made by another version of the program";
  if (json.value("library", nlohmann::json()) != hex_text(text_hash(bytes)))
    return "its bytes are not those that were compiled";
  return "";
}

// empty when it is a file of its own in the robot's folder that only its owner may change: links
// would lead to code elsewhere
std::string place_problem(const fs::path& library) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(library.parent_path(), error)))
    return "its folder is a link, not a folder of the robot's";
  const fs::file_status file = fs::symlink_status(library, error);
  if (!fs::exists(file)) return "there is none for this model";
  if (!fs::is_regular_file(file)) return "it is not a regular file of the robot's folder";
  if ((file.permissions() & fs::perms::others_write) != fs::perms::none)
    return "everybody may write to it";
  const std::uintmax_t size = fs::file_size(library, error);
  if (error || size > kLargestLibrary) return "it is too large";
  return "";
}

// the very bytes that were checked, by a nameless file
void* open_bytes(const std::string& bytes, std::string& problem) {
  const int file = memfd_create("kagami-generated", MFD_CLOEXEC);
  if (file < 0) {
    problem = "no memory file for it";
    return nullptr;
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  void* handle = nullptr;
  if (done == bytes.size())
    handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    problem = why != nullptr ? why : "its bytes could not be copied";
  }
  close(file);
  return handle;
}

}  // namespace

OwnerSource owner_source(const Model& model) {
  OwnerSource source;
  source.model = model_hash(model);
  source.text = emit_unit(model, source.model, kUnit);
  source.program = text_hash(source.text + kGeneratedHeaderText + kLanesHeaderText);
  return source;
}

void write_headers(const fs::path& folder) {
  const fs::path place = folder / "models" / "hybrid";
  fs::create_directories(place);
  write_file_atomically(place / "generated.hpp", kGeneratedHeaderText);
  write_file_atomically(place / "lanes.hpp", kLanesHeaderText);
}

fs::path owner_library(const fs::path& folder, std::uint64_t model) {
  return folder / "generated" / (hex_text(model) + ".so");
}
fs::path owner_note(const fs::path& folder, std::uint64_t model) {
  return folder / "generated" / (hex_text(model) + ".json");
}

std::string owner_note_text(const OwnerSource& source, const std::string& library_bytes) {
  const nlohmann::json note = {{"schema", kSchema},
                               {"model", hex_text(source.model)},
                               {"program", hex_text(source.program)},
                               {"library", hex_text(text_hash(library_bytes))}};
  return note.dump(2) + "\n";
}

OwnerCode::~OwnerCode() {
  dlclose(handle_);
}

std::unique_ptr<OwnerCode> load_owner_code(const fs::path& folder, const Model& model,
                                           std::string& notice) {
  notice.clear();
  std::error_code ignored;
  if (!fs::is_directory(folder / "generated", ignored)) return nullptr;
  const std::uint64_t hash = model_hash(model);
  const fs::path library = owner_library(folder, hash);
  const auto refuse = [&](const std::string& why) {
    notice = library.string() + ": not loaded, " + why + " ('kagami robot generate' makes it anew)";
    return nullptr;
  };
  if (const std::string problem = place_problem(library); !problem.empty()) return refuse(problem);
  const std::string bytes = bytes_of(library);
  const OwnerSource source = owner_source(model);
  std::string problem = note_problem(bytes_of(owner_note(folder, hash)), source, bytes);
  if (!problem.empty()) return refuse(problem);

  void* handle = open_bytes(bytes, problem);
  if (handle == nullptr) return refuse(problem);
  using OwnerEntry = const GeneratedTable* (*)();
  const auto entry = reinterpret_cast<OwnerEntry>(dlsym(handle, "kagami_generated_owner"));
  const GeneratedTable* table = entry != nullptr ? entry() : nullptr;
  if (table == nullptr || table->version != kGeneratorVersion || table->model_hash != hash) {
    dlclose(handle);
    return refuse("its table does not match this model");
  }
  return std::unique_ptr<OwnerCode>(new OwnerCode(handle, table));
}

}  // namespace kagami::models::hybrid
