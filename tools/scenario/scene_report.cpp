#include "tools/scenario/scene_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/hash.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

std::optional<double> real_time_factor(const SceneSummary& s) {
  if (!s.cpu_seconds || *s.cpu_seconds <= 0.0) return std::nullopt;
  return s.duration / *s.cpu_seconds;
}

std::optional<double> step_microseconds(const SceneSummary& s) {
  if (!s.cpu_seconds || s.counters.steps == 0) return std::nullopt;
  return 1e6 * *s.cpu_seconds / static_cast<double>(s.counters.steps);
}

std::string general(double value) {
  return fmt::format("{:.4g}", value);
}

std::string general(const std::optional<double>& value) {
  return value ? general(*value) : "-";
}

json systems_json(const SceneSummary& s) {
  json list = json::array();
  for (const SystemEnd& e : s.systems)
    list.push_back(
        {{"name", e.name},
         {"status", models::name(e.status)},
         {"place_m",
          {number_or_null(e.place[0]), number_or_null(e.place[1]), number_or_null(e.place[2])}},
         {"speed", number_or_null(e.speed)},
         {"asleep", e.asleep}});
  return list;
}

json stops_json(const SceneSummary& s) {
  json list = json::array();
  for (const StopReport& r : s.stops)
    list.push_back({{"system", r.system}, {"joint", r.joint}, {"steps", r.steps}});
  return list;
}

std::string stops_text(const SceneSummary& s) {
  std::string text;
  for (const StopReport& r : s.stops)
    text += fmt::format("{}{} {} ({} steps)", text.empty() ? "" : ", ", r.system, r.joint, r.steps);
  return text;
}

std::string status_text(const SceneSummary& s) {
  std::string text;
  const auto add = [&](long count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(s.counters.not_converged, "not converged");
  add(s.counters.overflowed, "over capacity");
  add(s.counters.failed, "failed");
  return text.empty() ? "ok" : std::string(models::name(s.worst)) + ": " + text;
}

}  // namespace

json scene_json(const SceneSummary& s) {
  return {{"schema", "kagami.scene_run/1"},
          {"scenario", s.name},
          {"method", s.method},
          {"dynamics", s.dynamics},
          {"duration_s", s.duration},
          {"step_s", s.step},
          {"steps", s.counters.steps},
          {"status", models::name(s.worst)},
          {"state_hash", hex_text(s.state_hash)},
          {"energy",
           {{"start_J", number_or_null(s.energy.start)},
            {"end_J", number_or_null(s.energy.end)},
            {"drive_J", number_or_null(s.energy.drive)},
            {"integrator_J", number_or_null(s.energy.integrator)},
            {"contact_J", number_or_null(s.energy.contact)},
            {"largest_rise_J", number_or_null(s.energy.largest_rise)},
            {"unsupplied_J", number_or_null(s.energy.unsupplied)},
            {"contact_gain_J", number_or_null(s.energy.contact_gain)}}},
          {"contacts",
           {{"most", s.contacts.most},
            {"penetration_m", s.contacts.penetration},
            {"penetration_end_m", s.contacts.penetration_end},
            {"slip_m", s.contacts.slip},
            {"residual_m_s", s.contacts.residual}}},
          {"rest",
           {{"from_s", s.rest.from},
            {"load", number_or_null(s.rest.load)},
            {"chatter", number_or_null(s.rest.chatter)},
            {"pressed", {s.rest.fewest, s.rest.most}}}},
          {"iterations",
           {{"total", s.counters.iterations},
            {"mean", s.mean_iterations()},
            {"most", s.most_iterations}}},
          {"counters",
           {{"not_converged", s.counters.not_converged},
            {"overflowed", s.counters.overflowed},
            {"failed", s.counters.failed},
            {"asleep", s.counters.asleep}}},
          {"cpu",
           {{"step_us", number_or_null(step_microseconds(s))},
            {"real_time_factor", number_or_null(real_time_factor(s))}}},
          {"stops", stops_json(s)},
          {"disturbances", disturbances_json(s.disturbances)},
          {"systems", systems_json(s)}};
}

std::string scene_text(const SceneSummary& s, int width) {
  std::string text = fmt::format("{}: {}, {} s in steps of {} ms\n", s.name, s.method,
                                 general(s.duration), general(1e3 * s.step));
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("{:<12} {}\n", what, value);
  };
  for (const Disturbance& d : s.disturbances) line("disturbance", disturbance_text(d));
  line("energy",
       fmt::format("{} J, then {} J; drives {} J, contact {} J, the integrator's error {} J",
                   general(s.energy.start), general(s.energy.end), general(s.energy.drive),
                   general(s.energy.contact), general(s.energy.integrator)));
  line("unsupplied",
       general(s.energy.unsupplied) + " J, largest rise beyond drives and integrator");
  line("penetration",
       fmt::format("{} mm at most, {} mm at the end", general(1e3 * s.contacts.penetration),
                   general(1e3 * s.contacts.penetration_end)));
  line("slip", general(1e3 * s.contacts.slip) + " mm, the vertex that slid farthest");
  line("rest",
       fmt::format("from {} s: load {} of the weight, chatter {}, {} to {} contacts pressed",
                   general(s.rest.from), general(s.rest.load), general(s.rest.chatter),
                   s.rest.fewest, s.rest.most));
  line("iterations",
       fmt::format("{} a step, {} at most", general(s.mean_iterations()), s.most_iterations));
  if (s.sleeps)
    line("asleep", fmt::format("{} of {} at the end; {} steps of one spared",
                               std::count_if(s.systems.begin(), s.systems.end(),
                                             [](const SystemEnd& e) { return e.asleep; }),
                               s.systems.size(), s.counters.asleep));
  if (!s.stops.empty()) line("at a limit", stops_text(s));
  line("status", status_text(s));
  line("CPU time", fmt::format("{} us a step, {} x real time", general(step_microseconds(s)),
                               general(real_time_factor(s))));
  line("state hash", hex_text(s.state_hash));
  if (s.systems.size() > 20) return text;
  Table ends(
      {{"system", Align::kLeft}, {"x m"}, {"y m"}, {"z m"}, {"speed"}, {"status", Align::kLeft}});
  for (const SystemEnd& e : s.systems)
    ends.add_row({e.name, fixed(e.place[0], 4), fixed(e.place[1], 4), fixed(e.place[2], 4),
                  general(e.speed), models::name(e.status)});
  return text + "\n" + ends.text(width);
}

}  // namespace kagami::tools
