/// What set-up code and tools throw. Each message names file, place, value and what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace kagami {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or an option with an impossible value. Exit code 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A robot description that no physical robot can have. Exit code 2.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// A device that is missing, busy, forbidden or gone. Exit code 3.
class PortError : public Error {
 public:
  using Error::Error;
};

/// The boards do not answer as they should. Exit code 4.
class LinkError : public Error {
 public:
  using Error::Error;
};

/// A record that cannot be written or read. Exit code 1 when writing, 2 when reading.
class RecordError : public Error {
 public:
  using Error::Error;
};

}  // namespace kagami
