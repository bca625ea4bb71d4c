/// Collects everything that is wrong with a file, so that one message can say all of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/errors.hpp"

namespace kagami::motions {

/// Set-up only. At most kShown problems are kept as text, the rest is counted.
class Problems {
 public:
  static constexpr int kShown = 20;

  /// `file` is the name that every line of the message begins with.
  explicit Problems(std::string file);

  /// "file: place: problem".
  void add(std::string_view place, std::string_view problem);
  /// Runs a read that may throw ConfigError and keeps its message instead.
  template <class Read>
  void collect(Read read) {
    try {
      read();
    } catch (const ConfigError& error) {
      add_line(error.what());
    }
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] int count() const { return count_; }
  /// More problems than a person reads: a reader may stop.
  [[nodiscard]] bool is_hopeless() const { return count_ >= kHopeless; }
  /// Throws ConfigError with one line per problem, at most kShown, then "and N more".
  void throw_if_any() const;

 private:
  static constexpr int kHopeless = 1000;
  void add_line(std::string line);

  std::string file_;
  std::vector<std::string> lines_;
  int count_ = 0;
};

}  // namespace kagami::motions
