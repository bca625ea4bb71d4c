/// What a call complained about.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace kagami::test {

/// Message of the Error that `call` throws; a test failure and an empty text if it throws none.
template <class Error, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace kagami::test
