#include "tools/analysis/happenings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

using runtime::EventCode;
using runtime::EventLevel;

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kMostKinds = 5;

bool is_of_board(EventCode code) {
  return code == EventCode::kCommandGap || code == EventCode::kBoardFrozen ||
         code == EventCode::kBoardRestarted;
}

/// "rate_clamped" as words.
std::string words(EventCode code) {
  std::string text = runtime::event_name(code);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// Events of one kind as one phrase.
std::string phrase(const std::vector<const Happening*>& same) {
  std::string places;
  std::size_t count = 0;
  std::size_t named = 0;
  for (const Happening* one : same) {
    count += one->count;
    if (one->where.empty()) continue;
    if (++named <= kMostNames) places += (places.empty() ? " at " : ", ") + one->where;
  }
  if (named > kMostNames) places += fmt::format(" and {} more", named - kMostNames);
  const std::string times = count > 1 ? fmt::format("{} times, first at", count) : "at";
  return fmt::format("{}{} ({} {:.2f} s)", words(same.front()->code), places, times,
                     same.front()->first_s);
}

}  // namespace

HappeningCollector::HappeningCollector(std::vector<std::string> joint_names)
    : joint_names_(std::move(joint_names)) {}

void HappeningCollector::add(const runtime::CycleRecord& row) {
  if (!has_rows_) first_ns_ = row.in.now_ns;
  has_rows_ = true;
  for (int e = 0; e < row.out.num_events; ++e) {
    const runtime::Event& event = row.out.events[idx(e)];
    if (runtime::event_level(event.code) == EventLevel::kInfo) continue;
    Happening& happening = all_[{event.code, event.joint}];
    if (happening.count++ > 0) continue;
    happening.code = event.code;
    happening.first_s = 1e-9 * static_cast<double>(row.in.now_ns - first_ns_);
    if (event.joint < 0) continue;
    const std::size_t place = idx(event.joint);
    happening.where = is_of_board(event.code)       ? fmt::format("board {}", event.joint)
                      : place < joint_names_.size() ? joint_names_[place]
                                                    : fmt::format("joint {}", event.joint);
  }
}

std::vector<Happening> HappeningCollector::take() const {
  std::vector<Happening> result;
  for (const auto& [key, happening] : all_) result.push_back(happening);
  std::stable_sort(result.begin(), result.end(),
                   [](const Happening& a, const Happening& b) { return a.first_s < b.first_s; });
  return result;
}

std::string happenings_sentence(const std::vector<Happening>& all) {
  std::vector<std::vector<const Happening*>> kinds;
  for (const Happening& happening : all) {
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return kind.front()->code == happening.code;
    });
    if (same == kinds.end()) {
      kinds.push_back({&happening});
    } else {
      same->push_back(&happening);
    }
  }
  if (kinds.empty()) return "Happened: no fall, fault or clamped target.";
  std::string text;
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i) {
    text += (text.empty() ? "" : "; ") + phrase(kinds[i]);
  }
  if (kinds.size() > kMostKinds) {
    text += fmt::format("; {} further kinds of event", kinds.size() - kMostKinds);
  }
  return "Happened: " + text + ".";
}

const char* event_level_name(EventLevel level) noexcept {
  if (level == EventLevel::kError) return "error";
  return level == EventLevel::kWarning ? "warning" : "info";
}

nlohmann::json happenings_json(const std::vector<Happening>& all) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Happening& one : all) {
    rows.push_back({{"event", runtime::event_name(one.code)},
                    {"where", one.where},
                    {"first_s", one.first_s},
                    {"count", one.count}});
  }
  return rows;
}

}  // namespace kagami::tools
