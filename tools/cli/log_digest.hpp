/// LogDigest of a run on their way to the screen: the first of each kind, the rest counted.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Two remarks are of one kind when they differ only in numbers and in the text before ": ".
/// Under -v all are shown. Not shown ones are counted at the end: the record holds them all.
class LogDigest {
 public:
  explicit LogDigest(Console& io) : io_(io) {}

  void add(std::string_view sentence);
  /// Says how many of each kind were not shown.
  void finish();

  /// What makes the kind of a sentence.
  static std::string kind_of(std::string_view sentence);

 private:
  Console& io_;
  std::map<std::string, int> seen_;
};

}  // namespace kagami::tools
