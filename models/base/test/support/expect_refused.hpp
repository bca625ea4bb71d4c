/// What does not fit must be said in a sentence.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "models/base/errors.hpp"

namespace kagami::test {

/// `action` throws a ConfigError with these words in its sentence.
template <class Action>
void expect_refused(Action action, const std::string& words) {
  try {
    action();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

}  // namespace kagami::test
