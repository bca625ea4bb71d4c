#include "tools/cli/log_digest.hpp"

namespace kagami::tools {
namespace {

constexpr int kShown = 3;  // of each kind

bool is_part_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-';
}

}  // namespace

std::string LogDigest::kind_of(std::string_view sentence) {
  const std::size_t colon = sentence.find(": ");
  if (colon != std::string_view::npos) sentence.remove_prefix(colon + 2);
  std::string kind;
  for (const char c : sentence) {
    if (!is_part_of_number(c))
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind;
}

void LogDigest::add(std::string_view sentence) {
  const int count = ++seen_[kind_of(sentence)];
  if (count <= kShown || io_.verbose) io_.say(std::string(sentence));
}

void LogDigest::finish() {
  if (io_.verbose) return;
  int hidden = 0;
  for (const auto& [kind, count] : seen_) hidden += count > kShown ? count - kShown : 0;
  if (hidden > 0)
    io_.say(std::to_string(hidden) +
            " more remarks of these kinds: see /events in the record, or -v");
}

}  // namespace kagami::tools
