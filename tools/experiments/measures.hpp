/// What experiments have in common: the columns of a state, drifts, claims and panels made of them.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

inline constexpr double kDegPerRad = 57.295779513082323;

/// Columns t, q:..., v:..., vdot:... of a model.
std::vector<std::string> state_columns(const models::Model& model);
/// Starts a row with them.
std::vector<double> state_row(double t, const models::State& state, const JointVector& vdot);
/// Adds column "dE": energy since the first row, J. The trace must have "E".
void add_energy_error(Trace& trace);

/// Largest distance of a column from its first row; from 0 with `from_zero`.
Drift drift_of(const Trace& trace, const std::string& name, const std::string& unit,
               const std::vector<std::string>& columns, bool from_zero = false);
/// Energy, then what of the momentum can be required: kept when nothing acts from outside (`free`);
/// always its rate against the forces.
std::vector<Drift> mechanics_drifts(const Trace& trace, bool free);

/// "total energy stays constant".
Claim energy_claim(const Trace& trace, double tolerance);
/// No joint force is needed for what happened, by inverse dynamics.
Claim no_torque_claim(const Trace& trace, double tolerance);
/// Largest difference between columns and the expected at time t.
Claim values_claim(const Trace& trace, const std::string& text, const std::string& unit,
                   const std::vector<std::string>& columns, double t,
                   const std::vector<double>& expected, double tolerance);

/// One curve per name: column `prefix` + name, labelled by the name.
std::vector<Curve> curves_of(const std::vector<std::string>& names, const std::string& prefix,
                             double scale = 1.0);
/// `prefix` before each name.
std::vector<std::string> prefixed(const std::string& prefix, std::vector<std::string> names);
/// Potential, kinetic and total energy.
Panel energy_panel(const std::string& letter);
/// Total energy since the start.
Panel energy_error_panel(const std::string& letter);

}  // namespace kagami::tools
