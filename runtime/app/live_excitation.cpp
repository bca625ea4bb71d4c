// Checks a request as far as possible at once; the cycle decides finally.
#include "runtime/app/live_excitation.hpp"

#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "runtime/cycle/joint_excitation.hpp"

namespace kagami::runtime {
namespace {

constexpr const char* kWhat = "joint test";

/// What is wrong with the numbers of a signal, as refusal; nothing: they are in their ranges.
std::optional<LiveRefusal> wrong_number(const control::JointSignal& signal) {
  try {
    control::check(signal);
  } catch (const ConfigError& error) {
    constexpr std::string_view kBefore = ", expected ";
    const std::string text = error.what();
    const std::size_t at = text.find(kBefore);
    return LiveRefusal{text.substr(0, at), 0.0, text.substr(at + kBefore.size())};
  }
  return std::nullopt;
}

}  // namespace

std::optional<LiveRefusal> LiveExcitation::why_not(const control::JointSignal& signal) const {
  if (!shared_.is_open()) return LiveRefusal{kWhat, 0.0, "a run in progress"};
  if (is_under_way()) {
    return LiveRefusal{kWhat, 0.0, "the end of the one that is under way"};
  }
  const SupervisorState state = shared_.seen.state;
  if (state != SupervisorState::kHold) {
    return LiveRefusal{
        kWhat, 0.0,
        std::string("a robot that holds without a fault, not one that is '") + name(state) + "'"};
  }
  if (std::optional<LiveRefusal> wrong = wrong_number(signal)) return wrong;
  const std::vector<JointWiring>& joints = shared_.setup->robot.wiring.joints;
  if (signal.joint < 0 || signal.joint >= static_cast<int>(joints.size())) {
    return LiveRefusal{std::string(kWhat) + ": joint " + std::to_string(signal.joint), 0.0,
                       "0.." + std::to_string(joints.size() - 1)};
  }
  const auto j = static_cast<std::size_t>(signal.joint);
  const double base = shared_.seen.standing[j];
  if (!runtime::why_not(signal, &joints[j], base)) return std::nullopt;
  const auto degrees = [](double angle) {
    return number_text(std::round(to_deg(angle) * 10) / 10);
  };
  return LiveRefusal{
      std::string(kWhat) + ": " + joints[j].joint + ", which is at " + degrees(base) + " deg", 0.0,
      "a signal that stays in " + degrees(joints[j].soft_min + JointTest::kMargin) + ".." +
          degrees(joints[j].soft_max - JointTest::kMargin) + " deg"};
}

LiveAnswer LiveExcitation::begin(const control::JointSignal& signal) {
  const std::uint32_t stop_seen = shared_.stop.seen();
  const std::lock_guard lock(shared_.mutex);
  if (std::optional<LiveRefusal> refusal = why_not(signal)) {
    return {.ticket = 0, .refusal = std::move(refusal)};
  }
  // as with a play: a later press wins
  if (!shared_.stop.rearm(stop_seen)) {
    return LiveAnswer::refuse(kWhat, 0.0, "no stop at the same time");
  }
  tuning_.requested().test = signal;
  ++tuning_.requested().tests;
  const LiveAnswer answer = tuning_.publish("joint test");
  ticket_ = answer.ticket;
  return answer;
}

}  // namespace kagami::runtime
