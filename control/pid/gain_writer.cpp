#include "control/pid/gain_writer.hpp"

#include <bit>
#include <nlohmann/json.hpp>

#include "control/pid/pid.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

using nlohmann::json;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_gain(const std::string& key) {
  return key == "kp" || key == "ki" || key == "kd";
}

// a key of the joint's own entry, or what all have
std::string word_of(const json& entry, const json& all, const char* key, const char* otherwise) {
  if (entry.contains(key)) return entry.at(key).get<std::string>();
  return all.value(key, otherwise);
}

// kp, ki, kd in the form that the file has for this joint, where it gives them to the last bit
void write_gains(const ParallelGains& gains, const json& all, json& entry) {
  const bool standard = word_of(entry, all, "form", "standard") == "standard";
  for (const char* key : {"form", "kp", "ki", "kd", "ti", "td"}) entry.erase(key);
  if (standard && gains.kp > 0.0) {
    const StandardGains s = standard_form(gains);
    const ParallelGains back = parallel_form(s);
    // the file's own range of ti
    const bool has_ti = gains.ki > 0.0;
    if (same_bits(back.kp, gains.kp) && same_bits(back.ki, gains.ki) &&
        same_bits(back.kd, gains.kd) && (!has_ti || (s.ti >= 1e-3 && s.ti <= 1e3)) &&
        s.td <= 100.0) {
      entry["form"] = "standard";
      entry["kp"] = s.kp;
      if (has_ti) entry["ti"] = s.ti;
      entry["td"] = s.td;
      return;
    }
  }
  entry["form"] = "parallel";
  entry["kp"] = gains.kp;
  entry["ki"] = gains.ki;
  entry["kd"] = gains.kd;
}

// "left_knee/kp": the joint's own entry holds what was changed, the rest stays with "all"
void write_joint(const std::string& joint, std::span<const Tunable> tunables,
                 std::span<const double> values, json& set) {
  json& entry = set["joints"][joint];
  if (entry.is_null()) entry = json::object();
  const json& all = set.at("all");
  ParallelGains gains;
  bool gains_turned = false;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    const Tunable& t = tunables[i];
    if (t.name.rfind(joint + "/", 0) != 0) continue;
    const std::string key = t.name.substr(joint.size() + 1);
    const bool turned = !same_bits(values[i], t.default_value);
    if (is_gain(key)) {
      gains_turned = gains_turned || turned;
      (key == "kp" ? gains.kp : key == "ki" ? gains.ki : gains.kd) = values[i];
    } else if (turned) {
      entry[key] = values[i];
    }
  }
  if (gains_turned) write_gains(gains, all, entry);
  if (entry.empty()) set["joints"].erase(joint);
}

}  // namespace

std::string gain_text(const std::string& text, std::span<const Tunable> tunables,
                      std::span<const double> values, const GainSetHeader& head) {
  if (tunables.size() != values.size()) {
    throw ConfigError("gains: " + std::to_string(values.size()) + " values, expected " +
                      std::to_string(tunables.size()));
  }
  json set = json::parse(text);
  set["name"] = head.name;
  set["note"] = head.note;
  set["date"] = head.date;
  std::string last;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    const Tunable& t = tunables[i];
    if (!t.path.empty()) {
      if (!same_bits(values[i], t.default_value)) set[json::json_pointer(t.path)] = values[i];
      continue;
    }
    const std::string joint = t.name.substr(0, t.name.find('/'));
    if (!set.contains("all") || joint.size() == t.name.size()) {
      throw ConfigError("gains: a file of the controller '" + set.value("controller", "") +
                        "' has no key for " + t.name);
    }
    if (joint == last) continue;
    write_joint(joint, tunables, values, set);
    last = joint;
  }
  if (set.contains("joints") && set.at("joints").empty()) set.erase("joints");
  return set.dump(1) + "\n";
}

}  // namespace kagami::control
