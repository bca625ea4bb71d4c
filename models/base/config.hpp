/// Typed reading of a JSON file: every error names the file, the path inside it, the value and the
/// range that was expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/range.hpp"

namespace kagami {

/// One object of a JSON document. Borrows from a ConfigDocument, which must outlive it. Set-up
/// only.
class ConfigNode {
 public:
  ConfigNode(const nlohmann::json& value, std::string file, std::string path);

  [[nodiscard]] bool has(std::string_view key) const;

  /// A finite number inside `range`. Throws ConfigError when missing, not a number or outside.
  [[nodiscard]] double number(std::string_view key, Range range) const;
  [[nodiscard]] double number_or(std::string_view key, double fallback, Range range) const;
  /// A whole number inside `range`.
  [[nodiscard]] std::int64_t integer(std::string_view key, Range range) const;
  [[nodiscard]] std::int64_t integer_or(std::string_view key, std::int64_t fallback,
                                        Range range) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] bool boolean_or(std::string_view key, bool fallback) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view fallback) const;
  /// A text that is one of `names`; the error lists them.
  [[nodiscard]] std::string one_of(std::string_view key,
                                   std::span<const std::string_view> names) const;
  /// A list of numbers inside `range`; `count` < 0 accepts any length up to 100 000.
  [[nodiscard]] std::vector<double> numbers(std::string_view key, int count, Range range) const;
  /// A list of `rows` lists of `columns` numbers each, row by row.
  [[nodiscard]] std::vector<double> matrix(std::string_view key, int rows, int columns,
                                           Range range) const;
  /// The object under `key`.
  [[nodiscard]] ConfigNode object(std::string_view key) const;
  [[nodiscard]] std::optional<ConfigNode> find_object(std::string_view key) const;
  /// The objects of the list under `key`.
  [[nodiscard]] std::vector<ConfigNode> list(std::string_view key) const;
  /// The keys of this object, in file order of the parser (sorted); counts none of them as read.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// Throws ConfigError that names every key that was not read and the keys that exist.
  void reject_unknown_keys() const;

  /// "khr1.json: /joints/3"
  [[nodiscard]] std::string where() const;
  /// Throws ConfigError "file: path/key: problem". Use for what a range cannot say.
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;
  /// The JSON below this node.
  [[nodiscard]] const nlohmann::json& raw() const { return *value_; }

 private:
  const nlohmann::json& at(std::string_view key) const;
  double checked_number(std::string_view key, const nlohmann::json& value, Range range) const;

  const nlohmann::json* value_;
  std::string file_;
  std::string path_;
  mutable std::set<std::string, std::less<>> read_;
};

/// Owner of a parsed JSON file.
class ConfigDocument {
 public:
  /// Parses `text`; `file` is the name that errors show. Refuses more than 64 MiB, nesting over 64
  /// and duplicate keys. Throws ConfigError with line and column.
  static ConfigDocument parse(std::string_view text, std::string file);
  /// Reads and parses a file. Throws ConfigError when it cannot be read or is larger than 64 MiB.
  static ConfigDocument read(const std::filesystem::path& file);
  ConfigDocument(ConfigDocument&&) noexcept;
  ConfigDocument& operator=(ConfigDocument&&) noexcept;
  ~ConfigDocument();

  /// The root, which must be an object.
  [[nodiscard]] ConfigNode root() const;
  [[nodiscard]] const nlohmann::json& json() const { return *json_; }

 private:
  ConfigDocument(std::unique_ptr<nlohmann::json> json, std::string file);

  std::unique_ptr<nlohmann::json> json_;  // on the heap: nodes stay valid when the document moves
  std::string file_;
};

}  // namespace kagami
