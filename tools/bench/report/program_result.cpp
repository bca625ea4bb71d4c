#include "tools/bench/report/program_result.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace kagami::tools {
namespace {

/// Google Benchmark appends how it ran to the name: "/iterations:9/manual_time".
std::string row_name(const std::string& name) {
  return name.substr(0, name.find("/iterations:"));
}

/// Numbers of an entry that are none of our counters.
bool is_benchmarks_own(const std::string& key) {
  static const std::set<std::string> kOwn = {"ns",
                                             "iterations",
                                             "real_time",
                                             "cpu_time",
                                             "family_index",
                                             "repetitions",
                                             "repetition_index",
                                             "threads",
                                             "bytes_per_second",
                                             "items_per_second",
                                             "per_family_instance_index"};
  return kOwn.count(key) > 0;
}

/// Keeps the smallest of minima and the last of everything else.
void set_counter(RowSamples& row, const std::string& name, double value) {
  const auto [at, is_new] = row.counters.emplace(name, value);
  at->second = name == "min_ns" && !is_new ? std::min(at->second, value) : value;
}

void read_entry(const nlohmann::json& entry, ProgramResult& result) {
  if (entry.value("run_type", "iteration") != "iteration") return;  // its own aggregates
  RowSamples& row = result.rows[row_name(entry.at("name").get<std::string>())];
  if (entry.value("error_occurred", false)) {
    row.error = entry.value("error_message", "no reason given");
    return;
  }
  const auto ns = entry.find("ns");
  if (ns == entry.end() || !ns->is_number()) return;
  row.ns.push_back(ns->get<double>());
  for (const auto& [key, value] : entry.items())
    if (value.is_number() && !is_benchmarks_own(key)) set_counter(row, key, value.get<double>());
}

}  // namespace

ProgramResult read_program_output(const std::string& text) {
  ProgramResult result;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  try {
    if (json.is_discarded()) throw std::invalid_argument("not JSON");
    result.engine = json.at("context").value("engine", "");
    result.compiler = json.at("context").value("compiler", "");
    for (const nlohmann::json& entry : json.at("benchmarks")) read_entry(entry, result);
  } catch (const std::exception& error) {
    result.error = std::string("its answer cannot be read: ") + error.what();
  }
  return result;
}

void add_round(ProgramResult& all, const ProgramResult& round, int index) {
  if (!round.engine.empty()) all.engine = round.engine;
  if (!round.compiler.empty()) all.compiler = round.compiler;
  if (!round.error.empty()) all.error = round.error;
  for (const auto& [name, samples] : round.rows) {
    RowSamples& row = all.rows[name];
    row.ns.insert(row.ns.end(), samples.ns.begin(), samples.ns.end());
    if (!samples.ns.empty()) row.round_ns.emplace(index, quantile(samples.ns, 0.5));
    for (const auto& [counter, value] : samples.counters) set_counter(row, counter, value);
    if (!samples.error.empty()) row.error = samples.error;
  }
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  const double weight = at - static_cast<double>(low);
  return values[low] + weight * (values[high] - values[low]);
}

}  // namespace kagami::tools
