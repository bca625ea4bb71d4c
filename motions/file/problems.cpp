#include "motions/file/problems.hpp"

#include <utility>

namespace kagami::motions {

Problems::Problems(std::string file) : file_(std::move(file)) {}

void Problems::add(std::string_view place, std::string_view problem) {
  add_line(file_ + ": " + std::string(place) + ": " + std::string(problem));
}

void Problems::add_line(std::string line) {
  if (count_++ < kShown) lines_.push_back(std::move(line));
}

void Problems::throw_if_any() const {
  if (empty()) return;
  std::string text;
  for (const std::string& line : lines_) text += (text.empty() ? "" : "\n") + line;
  if (count_ > kShown) {
    text += "\n" + file_ + ": and " + std::to_string(count_ - kShown);
    text += is_hopeless() ? " or more problems" : " more problems";
  }
  throw ConfigError(text);
}

}  // namespace kagami::motions
