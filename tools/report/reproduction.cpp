// Command lines that repeat a recorded run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "runtime/app/record_header.hpp"
#include "runtime/app/run_config.hpp"
#include "tools/report/record_facts.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

/// As one word of a shell.
std::string quoted(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string word_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Keys of kagami.config/1 that are options of `kagami replay`.
constexpr std::array<std::pair<const char*, const char*>, 17> kOptions = {
    {{"robot_folder", "--model"},
     {"robot", "--robot"},
     {"port_library", "--port-library"},
     {"clock", "--clock"},
     {"on", "--on"},
     {"friction", "--friction"},
     {"contact", "--contact"},
     {"dynamics", "--dynamics"},
     {"speed", "--speed"},
     {"mode", "--mode"},
     {"on_stop", "--on-stop"},
     {"realtime", "--realtime"},
     {"rate_hz", "--rate"},
     {"twin_file", "--twin"},
     {"plant", "--plant"},
     {"board", "--board"},
     {"gains_file", "--gains"}}};

std::string lists(const json& config) {
  std::string text;
  const auto each = [&](const char* list, const char* key, const auto& add) {
    if (!config.contains(list) || !config[list].is_array()) return;
    for (const json& entry : config[list]) {
      if (entry.is_object() && entry.contains(key)) add(entry, word_of(entry[key]));
    }
  };
  each("more_gains", "file",
       [&](const json&, const std::string& value) { text += " --more-gains " + quoted(value); });
  each("more_motions", "file",
       [&](const json&, const std::string& value) { text += " --more-motion " + quoted(value); });
  each("faults", "fault",
       [&](const json&, const std::string& value) { text += " --fault " + quoted(value); });
  each("timeline", "do", [&](const json& entry, const std::string& value) {
    const double at = number_at(entry, "at_s");
    const bool is_switch = value.rfind("controller=", 0) == 0;
    text += (is_switch ? " --switch " : " --at ") +
            quoted(fmt::format("{}:{}", at, is_switch ? value.substr(11) : value));
  });
  return text;
}

std::string replay_command(const json& config) {
  std::string command = "kagami replay " + quoted(text_at(config, "motion_file"));
  runtime::RunConfig defaults;
  defaults.on = runtime::Scene::kFloor;  // of the command
  const json standard = runtime::run_config_json(defaults);
  for (const auto& [key, option] : kOptions) {
    if (!config.contains(key) || config[key] == standard.value(key, json())) continue;
    const std::string value = word_of(config[key]);
    if (!value.empty() && value != "auto")
      command += std::string(" ") + option + " " + quoted(value);
  }
  if (config.contains("loop") && config["loop"] == true) command += " --loop";
  const double every = number_at(config, "read_every");
  if (every == 0.0) command += " --read off";
  if (every > 1.0) command += fmt::format(" --read every:{:.0f}", every);
  const double latency = number_at(config, "answer_latency_s");
  if (latency >= 0.0) command += fmt::format(" --latency {:g}", 1e3 * latency);
  if (config.contains("unproven") && config["unproven"] == true) command += " --unproven";
  return command + lists(config);
}

}  // namespace

std::vector<std::string> reproduction_commands(const RecordFacts& facts) {
  std::vector<std::string> commands;
  if (facts.config.is_object()) {
    std::string command = replay_command(facts.config);
    // their file is not in the record, but what it said is
    if (facts.config.contains("disturbances")) command += " --disturbances FILE";
    const std::string accepted = metadata_entry(facts.run, runtime::kCheckAccepted);
    if (!accepted.empty())
      command += " --accept " + metadata_entry(facts.run, runtime::kCheckVerdict);
    commands.push_back(std::move(command));
  }
  const std::string record = quoted(facts.file);
  commands.push_back("kagami verify " + record);
  commands.push_back("kagami compare " + record + " --explain");
  return commands;
}

}  // namespace kagami::tools
