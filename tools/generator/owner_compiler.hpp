/// Derives a model's dynamics and has the system's compiler make a library of them.
#pragma once

#include <filesystem>
#include <string>

#include "models/robot/model.hpp"

namespace kagami::tools {

/// Compiles the generated code of `model` with `compiler` (a program's name or path, g++ or
/// clang++) and puts library and note into FOLDER/generated; returns the library, which has been
/// loaded once. Throws ModelError for a model the hybrid modelling does not know, ConfigError when
/// the compiler fails or the folder cannot be written; an older library then remains as it was.
std::filesystem::path make_owner_code(const std::filesystem::path& folder,
                                      const models::Model& model, const std::string& compiler);

}  // namespace kagami::tools
