#include "tools/gap/gap_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kWorstJoints = 3;
constexpr std::size_t kProposals = 3;
constexpr double kLeastShown = 0.01;  // that a sentence or a row names

double rms_deg(double square) {
  return to_deg(std::sqrt(std::max(0.0, square)));
}

/// Sum over all readings of all joints, rad^2.
double total(const std::vector<JointExplanation>& joints,
             double (*square_of)(const JointExplanation&)) {
  double sum = 0.0;
  for (const JointExplanation& joint : joints) {
    sum += static_cast<double>(joint.readings) * square_of(joint);
  }
  return sum;
}

double all_readings(const std::vector<JointExplanation>& joints) {
  return total(joints, [](const JointExplanation&) { return 1.0; });
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100.0 * share);
}

/// "latency +20.3 ms (+-0.4)".
std::string amount_text(const JointExplanation& joint, const FoundCause& found,
                        const std::vector<JointExplanation>& joints) {
  std::string text = cause_name(found.cause);
  if (found.cause == Cause::kSwapped) return text + " with " + joints[idx(found.other_joint)].joint;
  const CauseScale scale = cause_scale(found.cause, joint.fitted);
  if (scale.typical == 0.0) return text;
  text += fmt::format(" {:+.3g} {}", scale.per_unit * found.amount, scale.unit);
  if (found.or_else) text += std::string(" or ") + cause_name(*found.or_else);
  return text;
}

std::string key_line(const char* key, double value, double present) {
  return fmt::format("\"{}\": {:.4g} in place of {:.4g}", key, value, present);
}

std::vector<const JointExplanation*> worst_first(const std::vector<JointExplanation>& joints) {
  std::vector<const JointExplanation*> order;
  for (const JointExplanation& joint : joints) {
    if (joint.readings > 0) order.push_back(&joint);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->mean_square > b->mean_square; });
  return order;
}

std::string where_sentence(const std::vector<JointExplanation>& joints) {
  std::string names;
  std::size_t count = 0;
  for (const JointExplanation* joint : worst_first(joints)) {
    if (count++ == kWorstJoints) break;
    names += (names.empty() ? "" : ", ") +
             fmt::format("{} {:.2f} deg", joint->joint, rms_deg(joint->mean_square));
  }
  return "Largest: " + names + ".";
}

std::string why_sentence(const std::vector<CauseShare>& shares) {
  std::string causes;
  for (const CauseShare& share : shares) {
    if (share.share < kLeastShown) continue;
    causes += (causes.empty() ? "" : ", ") + share.cause + " " + percent(share.share);
  }
  return "Causes, as shares of the mean square: " + causes + ".";
}

/// The causes that explain most, each with its joint.
std::vector<std::pair<const JointExplanation*, const FoundCause*>> largest_causes(
    const std::vector<JointExplanation>& joints) {
  std::vector<std::pair<const JointExplanation*, const FoundCause*>> all;
  for (const JointExplanation& joint : joints) {
    for (const FoundCause& cause : joint.causes) all.emplace_back(&joint, &cause);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return static_cast<double>(a.first->readings) * a.second->square >
           static_cast<double>(b.first->readings) * b.second->square;
  });
  return all;
}

nlohmann::json cause_json(const JointExplanation& joint, const FoundCause& found,
                          const std::vector<JointExplanation>& joints) {
  const CauseScale scale = cause_scale(found.cause, joint.fitted);
  nlohmann::json object = {
      {"cause", cause_name(found.cause)},
      {"share", joint.mean_square > 0.0 ? found.square / joint.mean_square : 0.0},
      {"rms_deg", rms_deg(found.square)},
      {"proposal", proposal(joint, found, joints)}};
  if (scale.typical != 0.0) {
    object["amount"] = scale.per_unit * found.amount;
    object["uncertainty"] = scale.per_unit * found.uncertainty;
    object["unit"] = scale.unit;
  }
  if (found.or_else) object["or"] = cause_name(*found.or_else);
  if (found.other_joint >= 0) object["with"] = joints[idx(found.other_joint)].joint;
  return object;
}

nlohmann::json joint_json(const JointExplanation& joint,
                          const std::vector<JointExplanation>& joints) {
  nlohmann::json causes = nlohmann::json::array();
  for (const FoundCause& found : joint.causes) causes.push_back(cause_json(joint, found, joints));
  nlohmann::json not_identifiable = nlohmann::json::array();
  for (const Cause cause : joint.not_identifiable) not_identifiable.push_back(cause_name(cause));
  return {{"name", joint.joint},
          {"readings", joint.readings},
          {"rms_deg", rms_deg(joint.mean_square)},
          {"tracking_rms_deg", rms_deg(joint.tracking)},
          {"resolution_deg", rms_deg(joint.resolution)},
          {"unexplained_deg", rms_deg(joint.unexplained)},
          {"causes", causes},
          {"not_identifiable", not_identifiable}};
}

}  // namespace

std::vector<CauseShare> cause_shares(const std::vector<JointExplanation>& joints) {
  std::map<Cause, double> squares;
  for (const JointExplanation& joint : joints) {
    for (const FoundCause& found : joint.causes) {
      squares[found.cause] += static_cast<double>(joint.readings) * found.square;
    }
  }
  const double whole = total(joints, [](const JointExplanation& j) { return j.mean_square; });
  const double n = all_readings(joints);
  if (!(whole > 0.0)) return {};
  const auto share = [&](const char* name, double square) {
    return CauseShare{name, square / whole, rms_deg(square / n)};
  };
  std::vector<CauseShare> shares;
  for (const auto& [cause, square] : squares) shares.push_back(share(cause_name(cause), square));
  std::sort(shares.begin(), shares.end(),
            [](const CauseShare& a, const CauseShare& b) { return a.share > b.share; });
  shares.push_back(
      share("resolution", total(joints, [](const JointExplanation& j) { return j.resolution; })));
  shares.push_back(
      share("unexplained", total(joints, [](const JointExplanation& j) { return j.unexplained; })));
  return shares;
}

std::vector<std::string> conclusion(const std::vector<JointExplanation>& joints,
                                    const std::string& happened) {
  std::vector<std::string> sentences;
  const double n = all_readings(joints);
  if (n == 0.0) {
    if (!happened.empty()) sentences.push_back(happened);
    return sentences;
  }
  const double gap = total(joints, [](const JointExplanation& j) { return j.mean_square; }) / n;
  const double floor = total(joints, [](const JointExplanation& j) { return j.resolution; }) / n;
  sentences.push_back(
      fmt::format("Robot and model were {:.2f} deg RMS apart over {:.0f} readings of {} joints; "
                  "the resolution of the readings alone makes {:.2f} deg.",
                  rms_deg(gap), n, worst_first(joints).size(), rms_deg(floor)));
  sentences.push_back(where_sentence(joints));
  const std::vector<CauseShare> shares = cause_shares(joints);
  if (!shares.empty()) sentences.push_back(why_sentence(shares));
  if (!happened.empty()) sentences.push_back(happened);
  std::size_t count = 0;
  for (const auto& [joint, found] : largest_causes(joints)) {
    if (count++ == kProposals) break;
    sentences.push_back("Next: " + proposal(*joint, *found, joints) + ".");
  }
  const std::size_t causes = largest_causes(joints).size();
  if (causes > kProposals) {
    sentences.push_back(
        fmt::format("{} further causes: 'kagami compare' lists them, 'kagami identify' fits all "
                    "servos together.",
                    causes - kProposals));
  }
  return sentences;
}

std::string proposal(const JointExplanation& joint, const FoundCause& cause,
                     const std::vector<JointExplanation>& joints) {
  const ServoParameters& s = joint.fitted;
  ServoParameters before = s;
  apply_cause(cause.cause, -cause.amount, before);
  const std::string in_twin = "servos of the model, " + joint.joint + ": ";
  switch (cause.cause) {
    case Cause::kLatency:
      return in_twin + key_line("delay_s", s.delay, s.delay - cause.amount);
    case Cause::kServoLag:
      return in_twin + key_line("filter_1_s", s.filter_1, before.filter_1) + ", " +
             key_line("filter_2_s", s.filter_2, before.filter_2);
    case Cause::kTrim:
      return in_twin + key_line("trim_deg", to_deg(s.trim), to_deg(s.trim - cause.amount));
    case Cause::kStiffness:
      return in_twin + key_line("kp", s.kp, s.kp / (1.0 + cause.amount));
    case Cause::kBacklash:
      return in_twin +
             key_line("backlash_deg", to_deg(s.backlash), to_deg(s.backlash - cause.amount));
    case Cause::kFriction:
      return in_twin +
             key_line("coulomb_friction", s.coulomb_friction, s.coulomb_friction - cause.amount);
    case Cause::kRateLimit:
      return in_twin + key_line("free_speed", s.free_speed, s.free_speed / (1.0 + cause.amount));
    case Cause::kTorqueLimit:
      return in_twin +
             key_line("stall_torque", s.stall_torque, s.stall_torque / (1.0 + cause.amount));
    case Cause::kGain:
      return fmt::format(
          "{}: turns {:+.1f} % further than commanded; check its horn and its "
          "potentiometer",
          joint.joint, 100.0 * cause.amount);
    case Cause::kLoad:
      return fmt::format(
          "{}: carries {:+.0f} % of the model's load; check masses and contacts in "
          "the robot file",
          joint.joint, 100.0 * cause.amount);
    case Cause::kSign:
      return "robot.json, joint " + joint.joint + ": the opposite \"sign\"";
    case Cause::kSwapped:
      return "robot.json: exchange the \"channel\" of " + joint.joint + " and " +
             joints[idx(cause.other_joint)].joint + ", or their plugs";
    case Cause::kJammed:
      return joint.joint + ": does not move; switch off, check the servo, its plug and its link";
  }
  return "";
}

std::string causes_text(const std::vector<JointExplanation>& joints, int width) {
  Table table({{"joint", Align::kLeft},
               {"gap deg"},
               {"tracking deg"},
               {"resolution"},
               {"unexplained"},
               {"causes", Align::kLeft}});
  for (const JointExplanation* joint : worst_first(joints)) {
    const double whole = joint->mean_square;
    std::string causes;
    for (const FoundCause& found : joint->causes) {
      causes += (causes.empty() ? "" : ", ") + amount_text(*joint, found, joints) + " (" +
                percent(found.square / whole) + ")";
    }
    const auto share = [&](double square) { return whole > 0.0 ? percent(square / whole) : "-"; };
    table.add_row({joint->joint, fixed(rms_deg(whole), 2), fixed(rms_deg(joint->tracking), 2),
                   share(joint->resolution), share(joint->unexplained),
                   causes.empty() ? "-" : causes});
  }
  return table.text(width);
}

nlohmann::json explanation_json(const std::vector<JointExplanation>& joints) {
  nlohmann::json shares = nlohmann::json::array();
  for (const CauseShare& s : cause_shares(joints)) {
    shares.push_back({{"cause", s.cause}, {"share", s.share}, {"rms_deg", s.rms_deg}});
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const JointExplanation& joint : joints) rows.push_back(joint_json(joint, joints));
  return {{"conclusion", conclusion(joints)}, {"shares", shares}, {"joints", rows}};
}

std::string explanation_glossary() {
  return "gap           RMS of measured minus simulated angle, at each reading's own time\n"
         "tracking      RMS of measured angle minus the motion's reference\n"
         "resolution    share of the mean square that reading in whole degrees alone makes\n"
         "unexplained   share that no cause explains\n"
         "cause (x %)   share of the mean square that goes when the model gets this cause with\n"
         "              this amount; all shares of a joint add up to 100 %\n"
         "a or b        the motion does not distinguish the two causes\n"
         "RMS           root mean square: the square root of the mean of the squares\n"
         "mean abs      mean of the absolute differences\n"
         "max           largest absolute difference; bias: mean difference\n"
         "in holds      mean difference while the joint rests for 0.5 s or more: trim and sag\n"
         "lag           how much later than the model the robot moves, +- a standard deviation\n"
         "noise         RMS that whole degrees, the time of reading and, with --repeat, other "
         "runs\n"
         "              of the motion make; half a degree where the joint rests\n"
         "beyond it     RMS without the noise: what differs for a reason\n"
         "0.97 -14      gain and phase of the robot in proportion to the model at a frequency\n";
}

}  // namespace kagami::tools
