#include "tools/dashboard/promotion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/time.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;

// the motion must come to where the prediction begins, and the cycle must take the change, by then
constexpr std::int64_t kPatienceNs = 10'000'000'000;
// a motion's time that is further than this beyond the beginning has jumped over it
constexpr double kMissed = 0.1;  // s

}  // namespace

RunMoment moment_of(const CycleRecord& row) noexcept {
  RunMoment moment;
  moment.tick = row.in.tick;
  moment.now_ns = row.in.now_ns;
  moment.motion_time = row.out.motion_time;
  moment.phase = row.out.phase;
  moment.state = row.out.state;
  moment.paused = row.out.paused;
  moment.version = row.out.tuning_version;
  moment.angle = row.in.sample.angle;
  return moment;
}

Promotion::Promotion(runtime::LiveControl& live, const RobotWiring& wiring)
    : live_(live), wiring_(wiring) {}

bool Promotion::arm(std::vector<control::TunableValue> changes, std::optional<double> begin,
                    const Forecast& predicted,
                    std::function<void(const runtime::LiveAnswer&)> done) {
  const std::lock_guard lock(mutex_);
  if (armed_) return false;
  armed_.emplace(Armed{std::move(changes), begin, std::move(done), BandWatch(predicted), {}});
  return true;
}

std::optional<PromotionNews> Promotion::row(const CycleRecord& row,
                                            const std::vector<std::string>& joint_names) {
  const std::lock_guard lock(mutex_);
  if (!armed_) return std::nullopt;
  Armed& armed = *armed_;
  if (armed.armed_ns < 0) armed.armed_ns = row.in.now_ns;
  if (armed.ticket == 0) {
    const RunMoment now = moment_of(row);
    const bool gone_by =
        armed.begin && (!now.is_playing() || now.motion_time > *armed.begin + kMissed ||
                        now.now_ns - armed.armed_ns > kPatienceNs);
    if (gone_by) {
      runtime::LiveAnswer no;
      no.refusal = runtime::LiveRefusal{"promote", 0.0, "a motion that goes on as it did"};
      armed.done(no);
      armed_.reset();
      return std::nullopt;
    }
    if (armed.begin && now.motion_time < *armed.begin) return std::nullopt;
    ask(armed);
    if (armed.ticket == 0) armed_.reset();  // refused
    return std::nullopt;
  }
  std::optional<PromotionNews> news = watch(armed, row, joint_names);
  if (news || armed.ticket == 0) armed_.reset();
  return news;
}

// also keeps the values to come back to
void Promotion::ask(Armed& armed) {
  for (const runtime::LiveParameter& p : live_.gains().parameters()) {
    const bool is_changed = std::any_of(
        armed.changes.begin(), armed.changes.end(),
        [&](const control::TunableValue& change) { return change.name == p.what.name; });
    if (is_changed) armed.before.push_back({p.what.name, p.value});
  }
  const runtime::LiveAnswer answer = live_.gains().propose(armed.changes, "promote");
  armed.ticket = answer.ok() ? answer.ticket : 0;
  armed.done(answer);
}

std::optional<PromotionNews> Promotion::watch(Armed& armed, const CycleRecord& row,
                                              const std::vector<std::string>& joint_names) {
  if (armed.applied_ns < 0) {
    if (row.out.tuning_version >= armed.ticket) {
      armed.applied_ns = row.in.now_ns;
    } else if (row.in.now_ns - armed.armed_ns > kPatienceNs) {
      return PromotionNews{.sentence = "the promotion was not applied and is not monitored"};
    }
    return std::nullopt;
  }
  if (row.out.tuning_version != armed.ticket) {
    return PromotionNews{.sentence =
                             "the promotion is no longer monitored: another change was made"};
  }
  const bool goes_on = armed.begin ? moment_of(row).is_playing() : true;
  const double now = seconds(row.in.now_ns - armed.applied_ns);
  if (!goes_on || armed.watch.is_over(now)) {
    armed.ticket = 0;
    return std::nullopt;
  }
  for (std::size_t j = 0; j < joint_names.size(); ++j) {
    const auto board = static_cast<std::size_t>(wiring_.joints[j].board());
    const std::int64_t sampled = row.in.sample.reading[board].sampled_ns;
    if (sampled < armed.applied_ns || sampled == armed.seen_ns[board]) continue;
    const double at = seconds(sampled - armed.applied_ns);
    const auto exit = armed.watch.add_reading(static_cast<int>(j), at, row.in.sample.angle[j]);
    if (!exit) continue;
    const runtime::LiveAnswer back = live_.gains().propose(armed.before, "rollback");
    const std::string reason = fmt::format(
        "{} read {:.1f} deg after {:.2f} s, its twins predicted {:.1f}..{:.1f}", joint_names[j],
        to_deg(exit->angle), exit->time, to_deg(exit->low), to_deg(exit->high));
    return PromotionNews{.sentence = back.ok() ? "the promotion was reverted: " + reason
                                               : "the promotion could NOT be reverted (" +
                                                     back.sentence() + "): " + reason,
                         .is_rollback = true,
                         .joint = joint_names[j],
                         .tick = row.in.tick,
                         .ticket = back.ticket};
  }
  for (std::size_t b = 0; b < kMaxBoards; ++b) {
    armed.seen_ns[b] = row.in.sample.reading[b].sampled_ns;
  }
  return std::nullopt;
}

}  // namespace kagami::tools
