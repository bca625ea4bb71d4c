/// A refusal must be a message with the expected text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "models/base/errors.hpp"

namespace kagami::test {

/// `action` throws a ConfigError whose message contains `expected`.
template <class Action>
void expect_refused(Action action, const std::string& expected) {
  try {
    action();
    ADD_FAILURE() << "not refused: " << expected;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

}  // namespace kagami::test
