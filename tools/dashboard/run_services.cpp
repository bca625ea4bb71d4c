// The services of a run: what they want, what they ask of LiveControl, and what they answer.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/dashboard/request_fields.hpp"
#include "tools/dashboard/run_side.hpp"
#include "tools/dashboard/session_list.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using runtime::GainSet;
using runtime::LiveAnswer;
using runtime::StopLevel;

GainSet set_of(const json& request) {
  const std::string set = text_of(request, "set");
  if (set == "A") return GainSet::kA;
  if (set == "B") return GainSet::kB;
  throw BadRequest("expected \"set\" as \"A\" or \"B\"");
}

StopLevel level_of(const json& request) {
  const std::string level = text_or(request, "level", "slow");
  if (level == "slow") return StopLevel::kSlowDown;
  if (level == "hold") return StopLevel::kHoldNow;
  if (level == "release") return StopLevel::kRelease;
  throw BadRequest("expected \"level\" as \"slow\", \"hold\" or \"release\"");
}

/// A version of the gains; they are counted from 0.
std::uint64_t base_of(const json& request) {
  const auto found = request.find("base");
  if (found == request.end() || !found->is_number_unsigned()) {
    throw BadRequest("expected \"base\" as the version that was read, a whole number from 0");
  }
  return found->get<std::uint64_t>();
}

/// Names with or without the '/' of the protocol's parameters.
std::vector<control::TunableValue> changes_of(const json& request) {
  constexpr std::size_t kMost = 1000;
  const auto found = request.find("changes");
  if (found == request.end() || !found->is_object() || found->empty() || found->size() > kMost) {
    throw BadRequest("expected \"changes\" as 1..1000 of {name: value}");
  }
  std::vector<control::TunableValue> changes;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_number()) throw BadRequest(name.substr(0, 64) + ": expected a number");
    changes.push_back({name[0] == '/' ? name.substr(1) : name, value.get<double>()});
  }
  return changes;
}

json difference_json(const std::vector<runtime::LiveDifference>& rows) {
  json list = json::array();
  for (const auto& row : rows) list.push_back({{"name", row.name}, {"a", row.a}, {"b", row.b}});
  return list;
}

}  // namespace

void RunSide::add_motion_services() {
  // a stop is taken by the next tick whatever else is asked for; /status says when, and when it is
  // confirmed
  const auto stop = [this](StopLevel level, const Done& done) {
    live_.stop(level);
    done({{"ok", true}, {"tick", live_.status().tick}});
  };
  add("stop", Right::kToken,
      guarded([stop](const json& request, const Done& done) { stop(level_of(request), done); }));
  add("hold", Right::kToken,
      [stop](const json&, const Done& done) { stop(StopLevel::kHoldNow, done); });
  add("release", Right::kToken,
      [stop](const json&, const Done& done) { stop(StopLevel::kRelease, done); });
  add("pause", Right::kWriter, [this](const json&, const Done& done) {
    answer_when_applied(live_.motion().pause(), done, json::object());
  });
  add("play", Right::kWriter, guarded([this](const json& request, const Done& done) {
        if (request.contains("loop")) (void)live_.motion().set_loop(request.at("loop").get<bool>());
        const std::string motion = text_or(request, "motion", "");
        answer_when_applied(motion.empty() ? live_.motion().play() : live_.motion().play(motion),
                            done, json::object());
      }));
  add("step", Right::kWriter, guarded([this](const json& request, const Done& done) {
        answer_when_applied(live_.motion().step(number_of(request, "ms")), done, json::object());
      }));
  add("speed", Right::kWriter, guarded([this](const json& request, const Done& done) {
        answer_when_applied(live_.motion().set_speed(number_of(request, "factor")), done,
                            json::object());
      }));
  add("reverse", Right::kWriter, guarded([this](const json& request, const Done& done) {
        const auto found = request.find("on");
        if (found == request.end() || !found->is_boolean()) {
          throw BadRequest("expected \"on\" as true or false");
        }
        answer_when_applied(live_.motion().set_reverse(found->get<bool>()), done, json::object());
      }));
  add("set_controller", Right::kWriter, guarded([this](const json& request, const Done& done) {
        answer_when_applied(live_.controllers().choose(text_or(request, "name", "")), done,
                            json::object());
      }));
  // the server itself answers these two
  const ServiceAction never = [](const json&, const Done& done) {
    done(refusal("only the server hands over"));
  };
  add("take_writer", Right::kToken, never);
  add("hand_over", Right::kToken, never);
}

// a write that says what it was based on; the answer says what the next one may be based on
void RunSide::add_set() {
  add("set", Right::kWriter, guarded([this](const json& request, const Done& done) {
        const std::string why = text_or(request, "why", "set");
        if (why.size() > 64) throw BadRequest("expected \"why\" of at most 64 bytes");
        const LiveAnswer asked = live_.gains().propose(changes_of(request), why, base_of(request));
        if (asked.ok()) return answer_when_applied(asked, done, {{"version", asked.ticket}});
        json answer = refusal(asked.sentence());
        answer["version"] = live_.status().written;
        done(std::move(answer));
      }));
}

void RunSide::add_gain_services() {
  add_set();
  add("undo", Right::kWriter, [this](const json&, const Done& done) {
    answer_when_applied(live_.gains().undo(), done, json::object());
  });
  add("redo", Right::kWriter, [this](const json&, const Done& done) {
    answer_when_applied(live_.gains().redo(), done, json::object());
  });
  add("select", Right::kWriter, guarded([this](const json& request, const Done& done) {
        answer_when_applied(live_.gains().select(set_of(request)), done, json::object());
      }));
  add("store", Right::kWriter, guarded([this](const json& request, const Done& done) {
        live_.gains().store(set_of(request));
        done({{"ok", true}, {"tick", live_.status().tick}});
      }));
  add("difference", Right::kAnyone, [this](const json&, const Done& done) {
    done({{"ok", true}, {"difference", difference_json(live_.gains().difference())}});
  });
  add("save", Right::kWriter, guarded([this](const json& request, const Done& done) {
        const std::string name = file_name_of(request, "name");
        const std::filesystem::path file = settings_.gains_folder / (name + ".json");
        std::error_code error;
        std::filesystem::create_directories(settings_.gains_folder, error);
        live_.gains().save(file, text_or(request, "note", ""), text_or(request, "controller", ""));
        done({{"ok", true}, {"path", file.string()}});
      }));
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

}  // namespace kagami::tools
