/// Errors of the boards that also say what was done before.
#pragma once

#include <string>

#include "models/base/errors.hpp"

namespace kagami::tools {

/// Runs `work`. What it throws gets `addition()` at the end of its text and keeps its type.
template <class Work, class Addition>
auto with_failure_text(const Work& work, const Addition& addition) {
  const auto text = [&](const Error& error) { return error.what() + std::string(addition()); };
  try {
    return work();
  } catch (const PortError& error) {
    throw PortError(text(error));
  } catch (const LinkError& error) {
    throw LinkError(text(error));
  } catch (const RecordError& error) {
    throw RecordError(text(error));
  } catch (const ConfigError& error) {
    throw ConfigError(text(error));
  }
}

}  // namespace kagami::tools
