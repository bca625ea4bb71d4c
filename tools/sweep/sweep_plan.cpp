#include "tools/sweep/sweep_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"
#include "models/base/trig.hpp"
#include "tools/scenario/scenario_changes.hpp"
#include "tools/sweep/draw.hpp"

namespace kagami::tools {
namespace {

constexpr Range kAnyNumber{-1e300, 1e300, ""};
constexpr double kMaxValues = 1e6;  // of one parameter of the grid
constexpr int kMaxDraws = 1000000;  // until a normal draw is inside its limits
constexpr std::array<const char*, 3> kOwnColumns = {"run", "outcome", "message"};

std::string column_name(const ConfigNode& node, std::set<std::string>& taken) {
  const std::string name = node.text("name");
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != ',' && c != 0x7f;
  });
  if (name.empty() || name.size() > 100 || !is_plain)
    node.fail("name", "expected 1 to 100 characters without quotation marks and commas");
  if (!taken.insert(name).second)
    node.fail("name", "'" + name + "' is a column already, expected another name");
  return name;
}

std::string checked_pointer(const ConfigNode& node, const std::string& pointer) {
  if (const std::string error = pointer_error(pointer); !error.empty())
    node.fail("at", "'" + pointer.substr(0, 80) + "': " + error);
  return pointer;
}

std::vector<std::string> places_of(const ConfigNode& node) {
  if (!node.has("at") || !node.raw().at("at").is_array())
    return {checked_pointer(node, node.text("at"))};
  static_cast<void>(node.has("at"));
  std::vector<std::string> places;
  for (const nlohmann::json& place : node.raw().at("at")) {
    if (!place.is_string()) node.fail("at", "expected places in the scenario, a list of texts");
    places.push_back(checked_pointer(node, place.get<std::string>()));
  }
  if (places.empty()) node.fail("at", "is empty, expected at least one place in the scenario");
  return places;
}

std::string value_of(const SweepParameter& p, double value) {
  if (p.integer) value = std::round(value);
  // an integer as such, not as 1e+06
  if (value == std::trunc(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  return number_text(with_12_digits(value));
}

// from, to and step or count
std::vector<std::string> range_values(const ConfigNode& node, const SweepParameter& p) {
  const double from = node.number("from", kAnyNumber);
  const double to = node.number("to", kAnyNumber);
  const bool is_log = node.boolean_or("log", false);
  if (node.has("step") == node.has("count"))
    node.fail("step", "expected either step or count beside from and to");
  std::vector<std::string> values;
  if (node.has("step")) {
    const double step = node.number("step", kAnyNumber);
    const double count = std::floor((to - from) / step + 1e-9) + 1.0;
    if (is_log) node.fail("log", "needs count, expected no step");
    if (!(count >= 1.0) || !std::isfinite(count) || step == 0.0)
      node.fail("step", number_text(step) + " does not lead from " + number_text(from) + " to " +
                            number_text(to));
    if (count > kMaxValues)
      node.fail("step", number_text(step) + " gives " + number_text(count) +
                            " values, expected at most " + number_text(kMaxValues));
    for (double i = 0.0; i < count; ++i) values.push_back(value_of(p, from + i * step));
    return values;
  }
  const std::int64_t count = node.integer("count", {1.0, kMaxValues, "values"});
  if (is_log && !(from > 0.0 && to > 0.0)) node.fail("log", "needs from and to above 0");
  if (count == 1 && from != to)
    node.fail("count", "1 value does not lead from " + number_text(from) + " to " +
                           number_text(to) + ", expected at least 2");
  const double whole = is_log ? natural_log(to / from) : to - from;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
    const double between = is_log ? from * trig::exp(share * whole) : from + share * whole;
    values.push_back(value_of(p, i == 0 ? from : i == count - 1 ? to : between));
  }
  return values;
}

std::vector<std::string> listed_values(const ConfigNode& node) {
  const nlohmann::json& list = node.raw().at("values");
  if (!list.is_array() || list.empty())
    node.fail("values", "expected a list of at least one value");
  std::vector<std::string> values;
  for (const nlohmann::json& value : list) values.push_back(value.dump());
  return values;
}

void read_distribution(const ConfigNode& node, const std::string& kind, SweepParameter& p) {
  const std::vector<double> ends = node.numbers(kind, 2, kAnyNumber);
  p.a = ends[0];
  p.b = ends[1];
  if (kind == "normal") {
    p.distribution = Distribution::kNormal;
    if (!(p.b >= 0.0)) node.fail(kind, "deviation " + number_text(p.b) + ", expected at least 0");
    if (!node.has("within")) return;
    const std::vector<double> within = node.numbers("within", 2, kAnyNumber);
    p.lowest = within[0];
    p.highest = within[1];
    // a draw in some ten thousand, at least, is inside
    if (!(p.highest - p.lowest >= 0.01 * p.b) || p.lowest > p.a + 3.0 * p.b ||
        p.highest < p.a - 3.0 * p.b)
      node.fail("within",
                "expected a lower and a higher end, a hundredth of the deviation apart at least "
                "and no more than 3 deviations from the mean");
    return;
  }
  p.distribution = kind == "uniform" ? Distribution::kUniform : Distribution::kLogUniform;
  if (!(p.a < p.b)) node.fail(kind, "expected a lower and a higher end");
  if (p.integer && (p.a != std::trunc(p.a) || p.b != std::trunc(p.b)))
    node.fail(kind, "expected integers as ends");
  if (kind == "log_uniform" && !(p.a > 0.0)) node.fail(kind, "expected ends above 0");
}

SweepParameter read_parameter(const ConfigNode& node, std::set<std::string>& columns) {
  SweepParameter p;
  p.name = column_name(node, columns);
  p.at = places_of(node);
  p.integer = node.boolean_or("integer", false);
  std::vector<std::string> kinds;
  for (const char* kind : {"values", "from", "uniform", "log_uniform", "normal"})
    if (node.has(kind)) kinds.emplace_back(kind);
  if (kinds.size() != 1)
    node.fail(kinds.empty() ? "values" : kinds[1],
              "expected one of values, from and to, uniform, log_uniform, normal");
  if (kinds[0] == "values") {
    p.values = listed_values(node);
  } else if (kinds[0] == "from") {
    p.values = range_values(node, p);
  } else {
    read_distribution(node, kinds[0], p);
  }
  for (const std::string& key : node.keys()) {
    static const std::set<std::string> kKnown = {
        "name",  "at",  "integer", "values",      "from",   "to",    "step",
        "count", "log", "uniform", "log_uniform", "normal", "within"};
    if (kKnown.count(key) == 0) node.fail(key, "is unknown");
    const bool is_range = key == "to" || key == "step" || key == "count" || key == "log";
    if ((is_range && kinds[0] != "from") || (key == "within" && kinds[0] != "normal") ||
        (key == "integer" && kinds[0] == "values"))
      node.fail(key, "does not belong to " + kinds[0]);
  }
  return p;
}

std::string drawn_value(const SweepParameter& p, std::uint64_t seed, std::uint64_t draw) {
  DrawStream stream(seed, p.name, draw);
  double value = p.a;
  switch (p.distribution) {
    case Distribution::kUniform:
      // an integer draw has both ends with the share of the others
      value = p.integer ? std::floor(p.a + stream.uniform() * (p.b - p.a + 1.0))
                        : p.a + stream.uniform() * (p.b - p.a);
      break;
    case Distribution::kLogUniform:
      value = p.a * trig::exp(stream.uniform() * natural_log(p.b / p.a));
      break;
    case Distribution::kNormal:
      for (int i = 0; i < kMaxDraws; ++i) {
        value = p.a + p.b * stream.normal();
        if (value >= p.lowest && value <= p.highest) break;
        value = std::clamp(p.a, p.lowest, p.highest);
      }
      break;
    case Distribution::kNone:
      break;
  }
  const bool is_normal = p.distribution == Distribution::kNormal;
  return value_of(p, std::clamp(value, is_normal ? p.lowest : p.a, is_normal ? p.highest : p.b));
}

// a place that two parameters set would have the value of the second alone
void check_places(const SweepPlan& plan, const ConfigNode& root) {
  std::vector<std::pair<std::string, const SweepParameter*>> places;
  for (const SweepParameter& p : plan.parameters)
    for (const std::string& at : p.at) places.emplace_back(at + "/", &p);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].first.rfind(places[i - 1].first, 0) == 0)
      root.fail("parameters", "'" + places[i - 1].second->name + "' and '" +
                                  places[i].second->name + "' both set " + places[i].first +
                                  ", expected one of them");
}

void check_size(const SweepPlan& plan, const ConfigNode& root) {
  double runs = static_cast<double>(plan.draws);
  for (const SweepParameter& p : plan.parameters)
    if (!p.is_drawn()) runs *= static_cast<double>(p.values.size());
  if (runs > static_cast<double>(kMaxSweepRuns))
    root.fail("parameters", "give " + number_text(runs) + " runs, expected at most " +
                                std::to_string(kMaxSweepRuns));
}

}  // namespace

std::uint64_t SweepPlan::runs() const {
  std::uint64_t runs = draws;
  for (const SweepParameter& p : parameters)
    if (!p.is_drawn()) runs *= p.values.size();
  return runs;
}

std::vector<std::string> SweepPlan::values_of(std::uint64_t run) const {
  const std::uint64_t draw = run % draws;
  std::uint64_t point = run / draws;
  std::vector<std::string> values(parameters.size());
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const SweepParameter& p = parameters[i];
    if (p.is_drawn()) {
      values[i] = drawn_value(p, seed, draw);
    } else {
      values[i] = p.values[point % p.values.size()];
      point /= p.values.size();
    }
  }
  return values;
}

std::vector<std::string> SweepPlan::samples_of(const SweepParameter& p) const {
  std::vector<std::string> samples;
  if (!p.is_drawn()) {
    // a range is an interval, of numbers or of integers: its ends and a fraction stand for all
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    std::optional<std::string> smallest;
    std::optional<std::string> largest;
    std::optional<std::string> fraction;
    for (const std::string& value_text : p.values) {
      const nlohmann::json value = nlohmann::json::parse(value_text);
      if (!value.is_number()) {
        samples.push_back(value_text);
        continue;
      }
      const double number = value.get<double>();
      if (number < least) smallest = value_text;
      if (number > most) largest = value_text;
      if (!fraction && number != std::trunc(number)) fraction = value_text;
      least = std::min(least, number);
      most = std::max(most, number);
    }
    for (const auto& found : {smallest, largest, fraction})
      if (found && std::find(samples.begin(), samples.end(), *found) == samples.end())
        samples.push_back(*found);
    return samples;
  }
  if (p.distribution != Distribution::kNormal) {
    samples = {value_of(p, p.a), value_of(p, p.b)};
  } else {
    samples = {value_of(p, std::clamp(p.a, p.lowest, p.highest))};
    if (p.lowest > -1e300) samples.push_back(value_of(p, p.lowest));
    if (p.highest < 1e300) samples.push_back(value_of(p, p.highest));
  }
  return samples;
}

SweepPlan read_sweep(const std::filesystem::path& file) {
  SweepPlan plan;
  plan.file = file;
  plan.name = file.stem().string();
  plan.text = read_text_file(file);
  const ConfigDocument document = ConfigDocument::parse(plan.text, file.string());
  const ConfigNode root = document.root();
  constexpr std::array<std::string_view, 1> kSchemas = {"kagami.sweep/1"};
  static_cast<void>(root.one_of("schema", kSchemas));
  plan.note = root.text_or("note", "");
  plan.scenario = root.text("scenario");
  std::set<std::string> columns(kOwnColumns.begin(), kOwnColumns.end());
  bool is_random = false;
  for (const ConfigNode& node : root.list("parameters")) {
    plan.parameters.push_back(read_parameter(node, columns));
    is_random = is_random || plan.parameters.back().is_drawn();
  }
  if (plan.parameters.empty()) root.fail("parameters", "is empty, expected at least one");
  if (is_random) {
    plan.draws = static_cast<std::uint64_t>(
        root.integer("draws", {1.0, static_cast<double>(kMaxSweepRuns), "draws"}));
    plan.seed = static_cast<std::uint64_t>(root.integer("seed", {0.0, 9e15, ""}));
  }
  for (const ConfigNode& node :
       root.has("results") ? root.list("results") : std::vector<ConfigNode>()) {
    plan.results.push_back({column_name(node, columns), checked_pointer(node, node.text("at")),
                            node.boolean_or("optional", false)});
    node.reject_unknown_keys();
  }
  root.reject_unknown_keys();
  check_places(plan, root);
  check_size(plan, root);
  return plan;
}

}  // namespace kagami::tools
