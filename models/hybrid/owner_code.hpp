/// Generated code of an owner's robot: a shared object in the robot's folder, loaded only when
/// model, program and bytes are those it was made with.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "models/hybrid/generated.hpp"
#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// What to compile for a model, and the hashes that tie the result to model and program.
struct OwnerSource {
  std::string text;           ///< one C++ file; needs the headers of write_headers
  std::uint64_t model = 0;    ///< model_hash()
  std::uint64_t program = 0;  ///< of text and headers
};

/// Throws ModelError where plan_problem() is not empty.
OwnerSource owner_source(const Model& model);
/// The headers that generated code includes, below `folder`. Throws Error when it cannot write.
void write_headers(const std::filesystem::path& folder);

/// FOLDER/generated/MODEL.so and MODEL.json, MODEL the model's hash.
std::filesystem::path owner_library(const std::filesystem::path& folder, std::uint64_t model);
std::filesystem::path owner_note(const std::filesystem::path& folder, std::uint64_t model);
/// The note that load_owner_code requires, about a library of these bytes.
std::string owner_note_text(const OwnerSource& source, const std::string& library_bytes);

/// A loaded library; its code is gone with it.
class OwnerCode {
 public:
  ~OwnerCode();
  OwnerCode(const OwnerCode&) = delete;
  OwnerCode& operator=(const OwnerCode&) = delete;
  [[nodiscard]] const GeneratedTable& table() const noexcept { return *table_; }

 private:
  friend std::unique_ptr<OwnerCode> load_owner_code(const std::filesystem::path&, const Model&,
                                                    std::string&);
  OwnerCode(void* handle, const GeneratedTable* table) : handle_(handle), table_(table) {}

  void* handle_;
  const GeneratedTable* table_;
};

/// The folder's code for this model, or null: then `notice` gives the reason, empty when the folder
/// never had generated code. Only a regular file in FOLDER/generated is loaded, no link to
/// elsewhere; the bytes that were checked are the bytes that run. It is native code and runs with
/// our rights: the hashes find what is stale or damaged, they do not say who made it. Set-up only.
std::unique_ptr<OwnerCode> load_owner_code(const std::filesystem::path& folder, const Model& model,
                                           std::string& notice);

}  // namespace kagami::models::hybrid
