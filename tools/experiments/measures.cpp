#include "tools/experiments/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kagami::tools {

std::vector<std::string> prefixed(const std::string& prefix, std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, prefix);
  return names;
}

std::vector<std::string> state_columns(const models::Model& model) {
  std::vector<std::string> columns = {"t"};
  for (const std::vector<std::string>& names :
       {prefixed("q:", coordinate_names(model)), prefixed("v:", velocity_names(model)),
        prefixed("vdot:", velocity_names(model))})
    columns.insert(columns.end(), names.begin(), names.end());
  return columns;
}

std::vector<double> state_row(double t, const models::State& state, const JointVector& vdot) {
  std::vector<double> row = {t};
  for (const JointVector* v : {&state.q, &state.v, &vdot})
    row.insert(row.end(), v->data(), v->data() + v->size());
  return row;
}

void add_energy_error(Trace& trace) {
  const std::size_t E = trace.index("E");
  trace.columns.emplace_back("dE");
  for (std::vector<double>& row : trace.rows) row.push_back(row[E] - trace.rows.front()[E]);
}

Drift drift_of(const Trace& trace, const std::string& name, const std::string& unit,
               const std::vector<std::string>& columns, bool from_zero) {
  Drift drift{name, unit, 0.0, 0.0};
  double squares = 0.0;
  for (const std::string& column : columns) {
    const std::size_t at = trace.index(column);
    const double start = trace.rows.front()[at];
    squares += start * start;
    for (const std::vector<double>& row : trace.rows)
      drift.largest = std::max(drift.largest, std::abs(row[at] - (from_zero ? 0.0 : start)));
    // with a sign where it is one number, the length of a vector
    drift.start = columns.size() == 1 ? start : std::sqrt(squares);
  }
  return drift;
}

std::vector<Drift> mechanics_drifts(const Trace& trace, bool free) {
  std::vector<Drift> drifts = {drift_of(trace, "energy", "J", {"E"})};
  if (free) {
    drifts.push_back(drift_of(trace, "linear momentum", "kg m/s", {"Px", "Py", "Pz"}));
    drifts.push_back(
        drift_of(trace, "angular momentum about the mass centre", "kg m^2/s", {"Lx", "Ly", "Lz"}));
  }
  drifts.push_back(
      drift_of(trace, "rate of linear momentum minus forces", "N", {"force_gap"}, true));
  drifts.push_back(
      drift_of(trace, "rate of angular momentum minus moments", "N m", {"moment_gap"}, true));
  return drifts;
}

Claim energy_claim(const Trace& trace, double tolerance) {
  return {"total energy stays constant", "J", drift_of(trace, "", "", {"E"}).largest, 0.0,
          tolerance};
}

Claim no_torque_claim(const Trace& trace, double tolerance) {
  return {"no joint force acts (inverse dynamics of the computed motion)", "N m",
          drift_of(trace, "", "", {"tau"}, true).largest, 0.0, tolerance};
}

Claim values_claim(const Trace& trace, const std::string& text, const std::string& unit,
                   const std::vector<std::string>& columns, double t,
                   const std::vector<double>& expected, double tolerance) {
  Claim claim{text, unit, std::numeric_limits<double>::quiet_NaN(), 0.0, tolerance};
  const std::vector<double>* row = trace.row_at(t);
  if (row == nullptr) return claim;
  claim.measured = 0.0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    claim.measured =
        std::max(claim.measured, std::abs((*row)[trace.index(columns[i])] - expected[i]));
  return claim;
}

std::vector<Curve> curves_of(const std::vector<std::string>& names, const std::string& prefix,
                             double scale) {
  std::vector<Curve> curves;
  for (const std::string& name : names) curves.push_back({prefix + name, name, scale});
  return curves;
}

Panel energy_panel(const std::string& letter) {
  return {"(" + letter + ") mechanical energy",
          "energy (J)",
          {{"PE", "potential"}, {"KE", "kinetic"}, {"E", "total", 1.0, true}}};
}

Panel energy_error_panel(const std::string& letter) {
  return {"(" + letter + ") energy since the start", "J", {{"dE", "total"}}, true};
}

}  // namespace kagami::tools
