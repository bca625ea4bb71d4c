#include "tools/dashboard/motion_services.hpp"

#include <nlohmann/json.hpp>

#include "tools/dashboard/request_fields.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using runtime::StopLevel;

StopLevel level_of(const json& request) {
  const std::string level = text_or(request, "level", "slow");
  if (level == "slow") return StopLevel::kSlowDown;
  if (level == "hold") return StopLevel::kHoldNow;
  if (level == "release") return StopLevel::kRelease;
  throw BadRequest("expected \"level\" as \"slow\", \"hold\" or \"release\"");
}

}  // namespace

void add_motion_services(RunSide& side, runtime::LiveControl& live) {
  // a stop is taken by the next tick whatever else is requested; /status reports when, and when it
  // is confirmed
  const auto stop = [&live](StopLevel level, const Done& done) {
    live.stop(level);
    done({{"ok", true}, {"tick", live.status().tick}});
  };
  side.add("stop", Right::kToken, guarded([stop](const json& request, const Done& done) {
             stop(level_of(request), done);
           }));
  side.add("hold", Right::kToken,
           [stop](const json&, const Done& done) { stop(StopLevel::kHoldNow, done); });
  side.add("release", Right::kToken,
           [stop](const json&, const Done& done) { stop(StopLevel::kRelease, done); });
  side.add("pause", Right::kWriter, [&side, &live](const json&, const Done& done) {
    side.answer_when_applied(live.motion().pause(), done, json::object());
  });
  side.add("play", Right::kWriter, guarded([&side, &live](const json& request, const Done& done) {
             if (request.contains("loop"))
               (void)live.motion().set_loop(request.at("loop").get<bool>());
             const std::string motion = text_or(request, "motion", "");
             side.answer_when_applied(
                 motion.empty() ? live.motion().play() : live.motion().play(motion), done,
                 json::object());
           }));
  side.add("step", Right::kWriter, guarded([&side, &live](const json& request, const Done& done) {
             side.answer_when_applied(live.motion().step(number_of(request, "ms")), done,
                                      json::object());
           }));
  side.add("speed", Right::kWriter, guarded([&side, &live](const json& request, const Done& done) {
             side.answer_when_applied(live.motion().set_speed(number_of(request, "factor")), done,
                                      json::object());
           }));
  side.add("reverse", Right::kWriter,
           guarded([&side, &live](const json& request, const Done& done) {
             const auto found = request.find("on");
             if (found == request.end() || !found->is_boolean()) {
               throw BadRequest("expected \"on\" as true or false");
             }
             side.answer_when_applied(live.motion().set_reverse(found->get<bool>()), done,
                                      json::object());
           }));
  side.add("set_controller", Right::kWriter,
           guarded([&side, &live](const json& request, const Done& done) {
             side.answer_when_applied(live.controllers().choose(text_or(request, "name", "")), done,
                                      json::object());
           }));
  // the server itself answers these two
  const ServiceAction never = [](const json&, const Done& done) {
    done(refusal("only the server handles this service"));
  };
  side.add("take_writer", Right::kToken, never);
  side.add("hand_over", Right::kToken, never);
}

}  // namespace kagami::tools
