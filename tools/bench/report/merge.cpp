#include "tools/bench/report/merge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kagami::tools {
namespace {

const RowSamples* find(const ProgramResult& program, const std::string& row) {
  const auto found = program.rows.find(row);
  return found == program.rows.end() ? nullptr : &found->second;
}

bool measured(const RowSamples* samples) {
  return samples && !samples->ns.empty();
}

std::string text(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

/// The candidate with the smallest median, or "" when none was measured.
std::string fastest(const ProgramResult& program, const std::vector<std::string>& candidates) {
  std::string best;
  double best_ns = 0.0;
  for (const std::string& candidate : candidates) {
    const RowSamples* samples = find(program, candidate);
    if (!measured(samples)) continue;
    const double ns = quantile(samples->ns, 0.5);
    if (best.empty() || ns < best_ns) {
      best = candidate;
      best_ns = ns;
    }
  }
  return best;
}

/// Why none of the candidates has a result.
std::string why_not(const ProgramResult& program, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    const RowSamples* samples = find(program, candidate);
    if (samples && !samples->error.empty()) return candidate + ": " + samples->error;
  }
  return program.error.empty() ? "not in this build" : program.error;
}

/// All programs that computed this row must have the same check sum.
void check_sums(const RowSpec& spec, const ProgramResult& ours, const ProgramResult* native,
                const std::vector<ProgramResult>& peers, BenchRow& row) {
  std::vector<std::pair<std::string, double>> sums;
  const auto collect = [&](const std::string& who, const RowSamples* samples) {
    if (!measured(samples)) return;
    const auto found = samples->counters.find("checksum");
    if (found != samples->counters.end()) sums.emplace_back(who, found->second);
  };
  for (const std::string& name : spec.ours) collect(name, find(ours, name));
  if (sums.empty()) return;  // a row that no peer computes
  if (native)
    for (const std::string& name : spec.ours) collect("native " + name, find(*native, name));
  if (spec.same_work)
    for (const ProgramResult& peer : peers) collect(peer.engine, find(peer, spec.peers));
  const double first = sums.front().second;
  std::string all;
  bool agree = true;
  for (const auto& [who, sum] : sums) {
    agree = agree && std::fabs(sum - first) <= kChecksumTolerance * std::fabs(first);
    all += (all.empty() ? "" : ", ") + who + " " + text("%.12g", sum);
  }
  if (!agree) row.error = "checksums differ: " + all;
}

/// Ours / peer of every round that has both.
std::vector<double> round_ratios(const RowSamples& ours, const RowSamples& peer) {
  std::vector<double> ratios;
  for (const auto& [round, ns] : ours.round_ns)
    if (const auto at = peer.round_ns.find(round); at != peer.round_ns.end())
      ratios.push_back(ns / at->second);
  return ratios;
}

/// A column for a peer's samples, which may be null: it should have been there.
void add_peer(BenchRow& row, const std::string& column, const RowSamples* ours,
              const RowSamples* peer) {
  row.peers[column] = measured(peer) ? std::optional(quantile(peer->ns, 0.5)) : std::nullopt;
  row.ratio[column] = std::nullopt;
  if (!measured(peer) || !measured(ours)) return;
  const std::vector<double> ratios = round_ratios(*ours, *peer);
  if (ratios.empty()) return;
  row.ratio[column] = quantile(ratios, 0.5);
  row.ratio_quartiles[column] = {{quantile(ratios, 0.25), quantile(ratios, 0.75)}};
  const auto our_least = ours->counters.find("min_ns");
  const auto peer_least = peer->counters.find("min_ns");
  if (our_least != ours->counters.end() && peer_least != peer->counters.end())
    row.ratio_of_minima[column] = our_least->second / peer_least->second;
}

void add_note(BenchRow& row, const std::string& note) {
  row.note += (row.note.empty() ? "" : "; ") + note;
}

/// What a speed is worth: "mujoco 2.2.2: pen_um 0.55, slip_um 1.6".
void note_quality(const RowSpec& spec, BenchRow& row, const std::string& engine,
                  const std::map<std::string, double>& counters) {
  std::string all;
  for (const std::string& name : spec.quality)
    if (const auto at = counters.find(name); at != counters.end())
      all += (all.empty() ? " " : ", ") + name + text(" %.2g", at->second);
  if (!all.empty()) add_note(row, engine + ":" + all);
}

/// Of a program's row; sums and minima are no news.
std::map<std::string, double> news_of(const RowSamples& samples) {
  std::map<std::string, double> news = samples.counters;
  news.erase("checksum");
  return news;
}

void add_peers(const RowSpec& spec, const ProgramResult& ours,
               const std::vector<ProgramResult>& peers, BenchRow& row) {
  const RowSamples* best = row.by.empty() ? nullptr : find(ours, row.by);
  if (best) note_quality(spec, row, "kagami", best->counters);
  for (const ProgramResult& peer : peers) {
    if (spec.peers.empty()) break;
    const RowSamples* samples = find(peer, spec.peers);
    if (samples || !peer.error.empty()) add_peer(row, peer.engine, best, samples);
    if (samples && !samples->error.empty()) add_note(row, peer.engine + ": " + samples->error);
    if (!measured(samples)) continue;
    row.peers_also[peer.engine] = news_of(*samples);
    note_quality(spec, row, peer.engine, samples->counters);
  }
  if (spec.own_peers.empty()) return;
  const std::string own = fastest(ours, spec.own_peers);
  add_peer(row, spec.own_column, best, own.empty() ? nullptr : find(ours, own));
}

/// Least squares of log time over log size.
std::optional<double> slope(const RowSpec& spec, const ProgramResult& program) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < spec.ours.size(); ++i) {
    const RowSamples* samples = find(program, spec.ours[i]);
    if (!measured(samples)) return std::nullopt;
    const double log_size = std::log(spec.sizes[i]);
    const double log_time = std::log(quantile(samples->ns, 0.5));
    x += log_size;
    y += log_time;
    xx += log_size * log_size;
    xy += log_size * log_time;
  }
  const auto n = static_cast<double>(spec.ours.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

void fill_slope(const RowSpec& spec, const ProgramResult& ours, const ProgramResult* native,
                BenchRow& row) {
  row.unit = "1";
  row.ours = slope(spec, ours);
  if (native) row.native = slope(spec, *native);
  if (row.ours) {
    row.also["slope"] = *row.ours;
  } else {
    add_note(row, why_not(ours, spec.ours));
  }
}

void fill_times(const RowSpec& spec, const ProgramResult& ours, const ProgramResult* native,
                BenchRow& row) {
  row.by = fastest(ours, spec.ours);
  if (row.by.empty()) {
    add_note(row, why_not(ours, spec.ours));
    return;
  }
  const RowSamples& samples = *find(ours, row.by);
  row.ours = quantile(samples.ns, 0.5);
  row.quartiles = {{quantile(samples.ns, 0.25), quantile(samples.ns, 0.75)}};
  row.also = news_of(samples);
  if (!native) return;
  const std::string native_best = fastest(*native, spec.ours);
  if (!native_best.empty()) row.native = quantile(find(*native, native_best)->ns, 0.5);
}

/// Absent as soon as one bound has nothing to be compared with; false wins over absent.
std::optional<bool> holds(const BenchRow& row) {
  if ((row.bound.empty() && row.not_below.empty()) || !row.ours) return std::nullopt;
  bool all = row.error.empty();
  bool whole = true;
  for (const auto& [key, greatest] : row.bound) {
    const std::optional<double> value = value_of(row, key);
    whole = whole && value;
    all = all && (!value || *value <= greatest);
  }
  for (const auto& [name, peer] : row.not_below) {
    const std::optional<double> value = value_of(row, name);
    const std::optional<double> least = value_of_peer(row, peer, name);
    whole = whole && value && least;
    all = all && (!value || !least || *value >= *least);
  }
  if (!all) return false;
  return whole ? std::optional(true) : std::nullopt;
}

/// Peers in the order in which they ran, then columns of our own; those that any row has.
std::vector<std::string> columns_of(const std::vector<RowSpec>& specs,
                                    const std::vector<ProgramResult>& peers,
                                    const std::vector<BenchRow>& rows) {
  std::vector<std::string> candidates;
  for (const ProgramResult& peer : peers) candidates.push_back(peer.engine);
  for (const RowSpec& spec : specs) candidates.push_back(spec.own_column);
  std::vector<std::string> columns;
  for (const std::string& name : candidates) {
    const bool known = std::find(columns.begin(), columns.end(), name) != columns.end();
    const bool used = std::any_of(rows.begin(), rows.end(),
                                  [&](const BenchRow& row) { return row.peers.count(name) > 0; });
    if (used && !known) columns.push_back(name);
  }
  return columns;
}

}  // namespace

std::optional<double> value_of(const BenchRow& row, const std::string& key) {
  if (const auto at = row.also.find(key); at != row.also.end()) return at->second;
  const auto at = row.ratio.find(key);
  return at == row.ratio.end() ? std::nullopt : at->second;
}

std::optional<double> value_of_peer(const BenchRow& row, const std::string& peer,
                                    const std::string& name) {
  const auto also = row.peers_also.find(peer);
  if (also == row.peers_also.end()) return std::nullopt;
  const auto at = also->second.find(name);
  return at == also->second.end() ? std::nullopt : std::optional(at->second);
}

BenchReport merge(const std::vector<RowSpec>& specs, const ProgramResult& ours,
                  const std::vector<ProgramResult>& peers, const ProgramResult* native) {
  BenchReport report;
  report.compiler = ours.compiler;
  if (!ours.error.empty()) report.notes.push_back("kagami: " + ours.error);
  for (const ProgramResult& peer : peers)
    if (!peer.error.empty()) report.notes.push_back(peer.engine + ": " + peer.error);
  for (const RowSpec& spec : specs) {
    BenchRow row;
    row.name = spec.name;
    row.bound = spec.bound;
    row.not_below = spec.not_below;
    if (spec.sizes.empty()) {
      fill_times(spec, ours, native, row);
      check_sums(spec, ours, native, peers, row);
    } else {
      fill_slope(spec, ours, native, row);
    }
    add_peers(spec, ours, peers, row);
    row.holds = holds(row);
    report.rows.push_back(row);
  }
  report.columns = columns_of(specs, peers, report.rows);
  return report;
}

}  // namespace kagami::tools
