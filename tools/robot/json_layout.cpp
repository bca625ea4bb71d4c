#include "tools/robot/json_layout.hpp"

#include <nlohmann/json.hpp>

namespace kagami::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 118;

std::string scalar_text(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string one_line(const ordered_json& value) {
  if (!value.is_structured()) return scalar_text(value);
  std::string text;
  for (const auto& [key, element] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += scalar_text(key) + ": ";
    text += one_line(element);
    if (text.size() > 2 * kLineWidth) break;  // long enough to know that it does not fit
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string laid_out(const ordered_json& value, const std::string& indent, std::size_t column) {
  const std::string line = one_line(value);
  const bool is_root = indent.empty();
  if (!value.is_structured() || value.empty() || (!is_root && column + line.size() <= kLineWidth)) {
    return line;
  }
  const std::string deeper = indent + "  ";
  std::string text;
  for (const auto& [key, element] : value.items()) {
    const std::string name = value.is_object() ? scalar_text(key) + ": " : "";
    text += (text.empty() ? "\n" : ",\n") + deeper + name +
            laid_out(element, deeper, deeper.size() + name.size());
  }
  return (value.is_object() ? "{" : "[") + text + "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json_lines(const ordered_json& value) {
  return laid_out(value, "", 0) + "\n";
}

}  // namespace kagami::tools
