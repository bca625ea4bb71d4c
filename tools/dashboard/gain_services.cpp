#include "tools/dashboard/gain_services.hpp"

#include <nlohmann/json.hpp>

#include "tools/dashboard/request_fields.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using runtime::GainSet;
using runtime::LiveAnswer;

GainSet set_of(const json& request) {
  const std::string set = text_of(request, "set");
  if (set == "A") return GainSet::kA;
  if (set == "B") return GainSet::kB;
  throw BadRequest("expected \"set\" as \"A\" or \"B\"");
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

// a write names the version it is based on; the answer names the version for the next one
void add_set(RunSide& side, runtime::LiveControl& live) {
  side.add("set", Right::kWriter, guarded([&side, &live](const json& request, const Done& done) {
             const std::string why = text_or(request, "why", "set");
             if (why.size() > 64) throw BadRequest("expected \"why\" of at most 64 bytes");
             const LiveAnswer answered =
                 live.gains().propose(changes_of(request), why, base_of(request));
             if (answered.ok())
               return side.answer_when_applied(answered, done, {{"version", answered.ticket}});
             json answer = refusal(answered.sentence());
             answer["version"] = live.status().written;
             done(std::move(answer));
           }));
}

}  // namespace

void add_gain_services(RunSide& side, runtime::LiveControl& live,
                       const std::filesystem::path& folder) {
  add_set(side, live);
  side.add("undo", Right::kWriter, [&side, &live](const json&, const Done& done) {
    side.answer_when_applied(live.gains().undo(), done, json::object());
  });
  side.add("redo", Right::kWriter, [&side, &live](const json&, const Done& done) {
    side.answer_when_applied(live.gains().redo(), done, json::object());
  });
  side.add("select", Right::kWriter, guarded([&side, &live](const json& request, const Done& done) {
             side.answer_when_applied(live.gains().select(set_of(request)), done, json::object());
           }));
  side.add("store", Right::kWriter, guarded([&live](const json& request, const Done& done) {
             live.gains().store(set_of(request));
             done({{"ok", true}, {"tick", live.status().tick}});
           }));
  side.add("difference", Right::kAnyone, [&live](const json&, const Done& done) {
    done({{"ok", true}, {"difference", difference_json(live.gains().difference())}});
  });
  side.add("save", Right::kWriter, guarded([&live, folder](const json& request, const Done& done) {
             const std::string name = file_name_of(request, "name");
             const std::filesystem::path file = folder / (name + ".json");
             std::error_code error;
             std::filesystem::create_directories(folder, error);
             live.gains().save(file, text_or(request, "note", ""),
                               text_or(request, "controller", ""));
             done({{"ok", true}, {"path", file.string()}});
           }));
}

}  // namespace kagami::tools
