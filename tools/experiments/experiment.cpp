#include "tools/experiments/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr double kMaxSteps = 1e6;

void check_option(const ExperimentInfo& info, const char* option, const std::string& value,
                  const std::vector<std::string>& accepted) {
  if (std::find(accepted.begin(), accepted.end(), value) != accepted.end()) return;
  std::string list;
  for (const std::string& name : accepted) list += (list.empty() ? "" : ", ") + name;
  throw ConfigError("--" + std::string(option) + " '" + value + "': experiment " + info.name +
                    " takes " + list);
}

}  // namespace

bool Claim::was_measured() const {
  return !std::isnan(measured);
}

bool Claim::holds() const {
  return std::abs(measured - expected) <= tolerance;
}

void check_settings(const ExperimentInfo& info, const ExperimentSettings& s) {
  // written so that NaN fails
  if (!(s.dt > 0.0 && s.duration >= 0.0 && s.duration / s.dt <= kMaxSteps))
    throw ConfigError("--duration " + full_digits(s.duration) + " --dt " + full_digits(s.dt) +
                      ": expected seconds not below 0, steps above 0, at most a million steps");
  check_option(info, "integrator", s.integrator, info.integrators);
  check_option(info, "algorithm", s.algorithm, info.algorithms);
  if (info.contacts.empty() && !s.contact.empty())
    throw ConfigError("--contact '" + s.contact + "': experiment " + info.name +
                      " does not take a contact method");
  if (!info.contacts.empty()) check_option(info, "contact", s.contact, info.contacts);
  const int least = info.defaults.links;
  if (s.links == least || (s.links > least && s.links <= info.most_links)) return;
  throw ConfigError("--links " + std::to_string(s.links) + ": experiment " + info.name + " takes " +
                    (info.most_links == 0
                         ? "none"
                         : std::to_string(least) + " to " + std::to_string(info.most_links)));
}

std::vector<double> times_of(const ExperimentSettings& settings) {
  const auto steps = static_cast<long>(std::ceil(settings.duration / settings.dt - 1e-9));
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(steps) + 1);
  for (long i = 0; i < steps; ++i) times.push_back(static_cast<double>(i) * settings.dt);
  times.push_back(settings.duration);
  return times;
}

bool all_hold(const ExperimentResult& result) {
  return std::all_of(result.claims.begin(), result.claims.end(),
                     [](const Claim& c) { return !c.was_measured() || c.holds(); });
}

}  // namespace kagami::tools
