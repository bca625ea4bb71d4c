#include "tools/dashboard/run_side.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/dashboard/gain_services.hpp"
#include "tools/dashboard/live_topics.hpp"
#include "tools/dashboard/motion_services.hpp"
#include "tools/dashboard/session_list.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using runtime::LiveAnswer;
using runtime::LiveParameter;

constexpr const char* kTunables = "/tunables";

json tunables_json(const std::vector<LiveParameter>& parameters) {
  json list = json::array();
  for (const LiveParameter& p : parameters) {
    list.push_back({{"name", p.what.name},
                    {"min", p.what.min},
                    {"max", p.what.max},
                    {"unit", p.what.unit},
                    {"text", p.what.text},
                    {"default", p.what.default_value}});
  }
  return list;
}

// why a request is refused at once; empty: it is not
std::string why_unfit(const SetParameters::Entry& entry) {
  if (entry.name == kTunables) return "/tunables is read only";
  if (entry.name.empty() || entry.name[0] != '/') {
    return entry.name + ": unknown, expected a name that begins with '/'";
  }
  if (!entry.value.is_number()) return entry.name + ": expected a number";
  return {};
}

const char* why_not(runtime::TicketEnd end) {
  switch (end) {
    case runtime::TicketEnd::kRefused:
      return "a controller refused the values; nothing was changed";
    case runtime::TicketEnd::kRunOver:
      return "the run ended before the cycle applied it";
    case runtime::TicketEnd::kLate:
    case runtime::TicketEnd::kApplied:
      break;
  }
  return "the cycle did not apply it within a second; it may still do so";
}

}  // namespace

RunSide::RunSide(runtime::LiveControl& live, RunSideSettings settings)
    : live_(live), settings_(std::move(settings)) {
  add_motion_services(*this, live_);
  add_gain_services(*this, live_, settings_.gains_folder);
  add_list_services();
}

void RunSide::add_list_services() {
  add("motions", Right::kAnyone, [this](const json&, const Done& done) {
    json list = json::array();
    for (const runtime::MotionSummary& motion : live_.motion().list()) {
      list.push_back({{"name", motion.name},
                      {"duration_s", motion.duration},
                      {"keyframes", motion.keyframes}});
    }
    done({{"ok", true}, {"motions", std::move(list)}});
  });
  add("sessions", Right::kAnyone, guarded([this](const json&, const Done& done) {
        done({{"ok", true}, {"sessions", session_list(settings_.sessions_folder)}});
      }));
}

void RunSide::add(const std::string& name, Right right, ServiceAction action) {
  const auto id = static_cast<std::uint32_t>(offers_.size() + 1);
  offers_.push_back({{{id, name, "kagami/" + name}, right}, std::move(action)});
}

std::string RunSide::name() const {
  return "Kagami: " + settings_.title;
}

std::vector<OfferedChannel> RunSide::channels() const {
  return live_topics();
}

std::vector<OfferedService> RunSide::services() const {
  std::vector<OfferedService> services;
  for (const Offer& offer : offers_) services.push_back(offer.offered);
  return services;
}

std::vector<Parameter> RunSide::parameters(std::span<const std::string> names) const {
  const std::vector<LiveParameter> all = live_.gains().parameters();
  const auto is_wanted = [&](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Parameter> wanted;
  if (is_wanted(kTunables)) wanted.push_back({kTunables, tunables_json(all).dump()});
  for (const LiveParameter& p : all) {
    const std::string name = "/" + p.what.name;
    if (is_wanted(name)) wanted.push_back({name, p.value, "float64"});
  }
  return wanted;
}

void RunSide::set_parameters(std::vector<SetParameters::Entry> entries,
                             std::function<void(std::string)> done) {
  std::vector<control::TunableValue> changes;
  for (const SetParameters::Entry& entry : entries) {
    if (const std::string why = why_unfit(entry); !why.empty()) return done(why);
    changes.push_back({entry.name.substr(1), entry.value.get<double>()});
  }
  answer_when_applied(
      live_.gains().propose(changes),
      [done = std::move(done)](const json& answer) {
        done(answer.at("ok").get<bool>() ? "" : answer.at("error").get<std::string>());
      },
      json::object());
}

void RunSide::answer_when_applied(const LiveAnswer& answered, Done done, json more) {
  if (!answered.ok()) return done(refusal(answered.sentence()));
  live_.tickets().when_done(answered.ticket, [done = std::move(done), more = std::move(more)](
                                                 const runtime::TicketResult& result) {
    if (result.end != runtime::TicketEnd::kApplied) return done(refusal(why_not(result.end)));
    json answer = more;
    answer["ok"] = true;
    answer["tick"] = result.tick;
    done(std::move(answer));
  });
}

void RunSide::call(const std::string& service, json request, Done done) {
  const auto found = std::find_if(offers_.begin(), offers_.end(), [&](const Offer& offer) {
    return offer.offered.service.name == service;
  });
  if (found == offers_.end()) return done(refusal("there is no service " + service));
  found->action(std::move(request), std::move(done));
}

void RunSide::writer_lost() {
  live_.stop(needs_hand() ? runtime::StopLevel::kHoldNow : runtime::StopLevel::kSlowDown);
}

bool RunSide::needs_hand() const {
  return live_.status().testing;
}

std::vector<Parameter> changed_parameters(const runtime::AppliedGains& gains,
                                          std::map<std::string, double>& before) {
  std::vector<Parameter> changed;
  for (const auto& [name, value] : gains.values) {
    const auto [place, is_new] = before.emplace(name, value);
    if (!is_new && place->second == value) continue;
    place->second = value;
    changed.push_back({"/" + name, value, "float64"});
  }
  return changed;
}

}  // namespace kagami::tools
