// Numbers of the serial line and of the cycle, each with what to compare it with.
#include <fmt/format.h>

#include <cmath>

#include "tools/report/record_facts.hpp"
#include "tools/report/svg.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

std::string with_unit(double value, const char* unit) {
  return std::isfinite(value) ? short_number(value) + " " + unit : "-";
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "-";
}

std::string of_all(std::uint64_t count, std::uint64_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.2f} % of all commands",
                     100.0 * static_cast<double>(count) / static_cast<double>(all));
}

DurationHistogram recorded(const json& result, const char* key, const char* name,
                           const char* meaning) {
  DurationHistogram histogram{name, meaning, {}, 0.0, 0.0, 0.0};
  histogram.p50 = number_at(result, std::string(key) + "/p50");
  histogram.p99 = number_at(result, std::string(key) + "/p99");
  histogram.max = number_at(result, std::string(key) + "/max");
  if (!result.is_object() || !result.contains(key) || !result[key].is_object()) return histogram;
  const json bars = result[key].value("histogram", json::array());
  if (!bars.is_array()) return histogram;
  for (const json& bar : bars) {
    const bool is_bar =
        bar.is_array() && bar.size() == 2 && bar[0].is_number() && bar[1].is_number();
    if (!is_bar) return histogram;
    histogram.bars.push_back({bar[0].get<double>(), bar[1].get<double>()});
  }
  return histogram;
}

}  // namespace

std::string quantiles_text(const DurationHistogram& histogram) {
  return fmt::format("median {} us, 99 % below {} us, at most {} us", short_number(histogram.p50),
                     short_number(histogram.p99), short_number(histogram.max));
}

std::vector<Measure> line_measures(const RecordFacts& facts, const drivers::LineCounters& line) {
  const json& result = facts.result;
  std::vector<Measure> rows;
  const double rate = number_at(result, "line/cycle_hz");
  if (std::isfinite(rate)) {
    rows.push_back({"exchanges", with_unit(rate, "rounds/s"),
                    with_unit(number_at(result, "line/limit_hz"),
                              "rounds/s possible with the boards' latency"),
                    "Rounds over both boards in a second, while the line was in use."});
    rows.push_back({"utilisation", percent_text(number_at(result, "line/utilisation")),
                    "100 % = full", "Time of the bytes on the wire over the time of the run."});
    rows.push_back({"longest command gap",
                    with_unit(number_at(result, "line/longest_command_gap_ms"), "ms"),
                    rate > 0.0 ? fmt::format("{:.1f} ms between two rounds", 1e3 / rate) : "-",
                    "Longest time of a board without a command while its targets changed."});
  }
  const auto count = [&](const char* name, std::uint64_t value, const char* meaning) {
    rows.push_back({name, std::to_string(value), of_all(value, line.sent), meaning});
  };
  rows.push_back({"commands sent", std::to_string(line.sent),
                  std::to_string(line.rounds) + " rounds", "Commands written to the line."});
  count("answered", line.answered, "Commands with a valid answer before the deadline.");
  count("silent", line.silent, "Commands without any byte by the deadline.");
  count("short answers", line.short_reply, "Answers that ended early.");
  count("wrong check sums", line.bad_sum, "Answers whose check sum did not fit.");
  count("wrong answers", line.bad_reply,
        "Answers of another board, or with values that cannot be.");
  count("sent again", line.retried, "Commands that were repeated after a failure.");
  rows.push_back({"late bytes", std::to_string(line.late),
                  std::to_string(line.bytes_in) + " bytes in accepted answers",
                  "Bytes of answers that came after their deadline."});
  return rows;
}

std::vector<std::pair<std::string, double>> line_shares(const RecordFacts& facts) {
  std::vector<std::pair<std::string, double>> shares;
  for (const char* name : {"bytes", "boards", "library", "waking"}) {
    const double share = number_at(facts.result, std::string("line/shares/") + name);
    if (share >= 0.0 && share <= 1.0) shares.emplace_back(name, share);
  }
  return shares;
}

std::vector<DurationHistogram> run_durations(const RecordFacts& facts) {
  std::vector<DurationHistogram> all;
  for (const DurationHistogram& histogram :
       {recorded(facts.result, "cycle_us", "cycle",
                 "Time that one step of the control cycle took, by the machine's clock."),
        recorded(facts.result, "wake_us", "wake-up",
                 "How late a cycle began after its due time.")}) {
    if (std::isfinite(histogram.p50)) all.push_back(histogram);
  }
  return all;
}

std::vector<Measure> cycle_measures(const RecordFacts& facts) {
  std::vector<Measure> rows;
  const double rate = number_at(facts.config, "rate_hz");
  const std::string period = rate > 0.0 ? fmt::format("period {:.0f} us", 1e6 / rate) : "-";
  for (const DurationHistogram& d : run_durations(facts)) {
    rows.push_back({d.name, quantiles_text(d), period, d.meaning});
  }
  const double ticks = number_at(facts.result, "ticks");
  for (const auto& [key, name, meaning] :
       {std::tuple{"late_ticks", "late ticks", "Ticks that began more than half a period late."},
        {"skipped_ticks", "skipped ticks",
         "Ticks that were left out because the one before ran long."},
        {"lost_records", "lost samples", "Samples that the record lacks."}}) {
    const double count = number_at(facts.result, key);
    if (!std::isfinite(count)) continue;
    rows.push_back(
        {name, fmt::format("{:.0f}", count), fmt::format("of {:.0f} ticks", ticks), meaning});
  }
  return rows;
}

}  // namespace kagami::tools
