#include "models/robot/xml_scan.hpp"

#include <algorithm>
#include <cctype>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

constexpr std::size_t kMaxNesting = 32;
constexpr std::size_t kMaxTags = 100'000;

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<XmlTag> run() {
    check_characters();
    while (skip_to_tag()) read_tag();
    if (!open_.empty()) fail("<" + tags_[open_.back()].name + "> has no closing tag");
    if (tags_.empty()) fail("no tag at all, expected <robot>");
    return std::move(tags_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) {
    throw ModelError(file_ + ": line " + std::to_string(line()) + ": " + problem);
  }

  // continues counting from the last query
  int line() {
    const std::size_t end = std::min(at_, text_.size());
    for (; counted_ < end; ++counted_) line_ += text_[counted_] == '\n' ? 1 : 0;
    return line_;
  }

  void check_characters() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x20 && !is_space(text_[at_])) {
        fail("control character " + std::to_string(c) + ", expected text");
      }
    }
    at_ = 0;
  }

  bool starts(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

  void skip_past(std::string_view end, const std::string& what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(what + " is not terminated");
    at_ = found + end.size();
  }

  // stops at the next opening or closing tag
  bool skip_to_tag() {
    while (true) {
      at_ = std::min(text_.find('<', at_), text_.size());
      if (at_ == text_.size()) return false;
      if (starts("<!--")) {
        skip_past("-->", "a comment");
      } else if (starts("<?")) {
        skip_past("?>", "a processing instruction");
      } else if (starts("<!")) {
        fail("DOCTYPE and CDATA are not accepted");
      } else {
        return true;
      }
    }
  }

  std::string read_name(const std::string& what) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    if (at_ == start) fail("expected " + what);
    return std::string(text_.substr(start, at_ - start));
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  void read_tag() {
    ++at_;  // the '<'
    if (at_ < text_.size() && text_[at_] == '/') {
      close_tag();
      return;
    }
    XmlTag tag;
    tag.line = line();
    tag.name = read_name("a tag's name after '<'");
    const bool empty = read_attributes(tag);
    if (open_.empty() && !tags_.empty()) fail("a second root <" + tag.name + ">");
    if (open_.size() >= kMaxNesting) {
      fail("<" + tag.name + "> nests deeper than " + std::to_string(kMaxNesting) + " levels");
    }
    if (tags_.size() >= kMaxTags) fail("more than " + std::to_string(kMaxTags) + " tags");
    tag.parent = open_.empty() ? 0 : open_.back();
    if (!empty) open_.push_back(tags_.size());
    tags_.push_back(std::move(tag));
  }

  void close_tag() {
    ++at_;  // the '/'
    const std::string name = read_name("a tag's name after '</'");
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != '>') fail("</" + name + " is not terminated by '>'");
    if (open_.empty() || tags_[open_.back()].name != name) {
      fail("</" + name + "> closes " +
           (open_.empty() ? "no open tag" : "<" + tags_[open_.back()].name + ">"));
    }
    ++at_;
    open_.pop_back();
  }

  // true when the tag ends with '/>'
  bool read_attributes(XmlTag& tag) {
    while (true) {
      skip_spaces();
      if (starts("/>")) {
        at_ += 2;
        return true;
      }
      if (starts(">")) {
        ++at_;
        return false;
      }
      const std::string key = read_name("an attribute, '>' or '/>' in <" + tag.name + ">");
      skip_spaces();
      if (!starts("=")) fail("attribute " + key + " of <" + tag.name + "> has no value");
      ++at_;
      skip_spaces();
      if (!tag.attributes.emplace(key, read_quoted(key)).second) {
        fail("duplicate attribute " + key + " in <" + tag.name + ">");
      }
    }
  }

  std::string read_quoted(const std::string& key) {
    if (!starts("\"") && !starts("'")) fail("the value of attribute " + key + " is not quoted");
    const char quote = text_[at_++];
    const std::size_t start = at_;
    at_ = text_.find(quote, at_);
    if (at_ == std::string_view::npos) fail("the value of attribute " + key + " is not terminated");
    const std::string_view value = text_.substr(start, at_ - start);
    if (value.find('<') != std::string_view::npos) {
      fail("the value of attribute " + key + " holds '<'");
    }
    ++at_;
    return std::string(value);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  int line_ = 1;
  std::vector<XmlTag> tags_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<XmlTag> scan_xml(std::string_view text, const std::string& file) {
  return Scanner(text, file).run();
}

}  // namespace kagami::models
