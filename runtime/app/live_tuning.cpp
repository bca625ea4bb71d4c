#include "runtime/app/live_tuning.hpp"

#include <algorithm>
#include <utility>

namespace kagami::runtime {

void LiveTuning::open(const Tuning& start, LatestValue<Tuning>& channel) {
  channel_ = &channel;
  requested_ = start;
  newest_ = written_ = 0;
  written_values_ = values();
  published_.clear();
}

std::vector<double> LiveTuning::values() const {
  return {requested_.values.begin(), requested_.values.begin() + requested_.num_values};
}

void LiveTuning::set_values(const std::vector<double>& values) {
  requested_.num_values = static_cast<std::int32_t>(values.size());
  std::copy(values.begin(), values.end(), requested_.values.begin());
}

LiveAnswer LiveTuning::publish(std::string why) {
  requested_.version = ++newest_;
  channel_->publish(requested_);
  published_.push_back({requested_.version, std::move(why), values()});
  if (published_.back().values != written_values_) {
    written_ = requested_.version;
    written_values_ = published_.back().values;
  }
  return {.ticket = requested_.version, .refusal = std::nullopt};
}

std::optional<LiveTuning::Published> LiveTuning::published(std::uint64_t version) {
  while (!published_.empty() && published_.front().version < version) published_.pop_front();
  if (published_.empty() || published_.front().version != version) return std::nullopt;
  return published_.front();
}

}  // namespace kagami::runtime
