/// An experiment: a simulation from a paper with its figures and the expected results.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/data_folders.hpp"
#include "tools/trace/algorithms_ran.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {

/// How an experiment is run.
struct ExperimentSettings {
  double dt = 1e-3;        ///< s, from row to row: the integrator's step
  double duration = 0.0;   ///< s
  std::string integrator;  ///< a name of models/dynamics/integrator.hpp
  std::string algorithm;   ///< a name of models/forward/forward_dynamics.hpp
  int links = 0;           ///< of a chain; 0 where the experiment has none to choose
  std::string contact =
      {};  ///< a name of models/contact/method/contact_method.hpp, empty without choice
};

struct ExperimentInfo {
  std::string name;                 ///< what `kagami experiment run` takes
  std::string title;                ///< short
  std::string paper;                ///< "Takahashi 2012"
  std::string figures;              ///< "Fig. 3.3"
  std::string shows;                ///< one sentence
  std::vector<std::string> robots;  ///< folders of models/data that it reads
  ExperimentSettings defaults;
  std::vector<std::string> integrators;  ///< those it can be run with
  std::vector<std::string> algorithms;
  int most_links = 0;                      ///< from those of the defaults; 0: not to be chosen
  std::vector<std::string> contacts = {};  ///< empty: the contact method is not to be chosen
};

/// A quantity that mechanics keeps, and how far the simulation let it go.
struct Drift {
  std::string name;
  std::string unit;
  double start = 0.0;    ///< at the first row
  double largest = 0.0;  ///< largest distance from `start` over all rows
};

/// A claim of the paper, corrected where the paper errs, and the computed result.
struct Claim {
  std::string text;
  std::string unit;
  double measured = 0.0;  ///< NaN when this run was too short to tell
  double expected = 0.0;
  double tolerance = 0.0;  ///< in `unit`

  [[nodiscard]] bool was_measured() const;
  /// Measured and within the tolerance; NaN never is.
  [[nodiscard]] bool holds() const;
};

/// One line of a panel: a column of the trace over t, times `scale`.
struct Curve {
  std::string column;
  std::string label;
  double scale = 1.0;
  bool dashed = false;  ///< where it would hide another
};

struct Panel {
  std::string title;  ///< "(a) joint angle"
  std::string axis;   ///< quantity and unit: "angle (deg)"; "J" alone with si_prefix
  std::vector<Curve> curves;
  bool si_prefix = false;  ///< ticks as "20 nJ": for what is nearly zero
  double bottom = 0.0;     ///< above 0: a logarithmic axis from here, what is less lies on it
  double top = 0.0;        ///< where the axis ends, for what has spikes; 0: where the numbers do
};

struct Figure {
  std::string file;   ///< without folder and ending
  std::string title;  ///< with the figure's number in the paper
  std::vector<Panel> panels;
  std::string across = "time (s)";  ///< the trace's first column
  bool points = false;              ///< few rows: each is marked
  double from = 0.0, to = 0.0;      ///< of `across` shown; the same twice: all
};

/// A table of the paper, or of what it shows side by side.
struct ResultTable {
  struct Row {
    std::string name;
    std::vector<double> values;  ///< one per column; NaN: not measured
  };
  std::string title;
  std::vector<std::string> columns;  ///< with units
  std::vector<Row> rows;
};

struct ExperimentResult {
  Trace trace;
  std::vector<Drift> drifts;
  std::vector<Claim> claims;
  std::vector<ResultTable> tables;
  std::vector<Figure> figures;
  std::vector<std::string> notices;  ///< what the user should know, one sentence each
  AlgorithmsRan ran;                 ///< empty: the one of the settings alone
  std::string problem;  ///< why and when the simulation stopped; empty where it reached its end
};

/// Immutable; one thread at a time may run it.
class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual const ExperimentInfo& info() const = 0;
  /// Simulates. `settings` have passed check_settings. Throws ConfigError or ModelError for a robot
  /// that is missing or is not the one expected, Error when the simulation stops before its first
  /// row; where it stops later `problem` gives the reason.
  [[nodiscard]] virtual ExperimentResult run(const ExperimentSettings& settings,
                                             const DataFolders& data) const = 0;
};

/// Throws ConfigError that names the option and what was expected: dt above 0, duration not below
/// 0, at most a million steps, a known integrator, algorithm and contact method that the experiment
/// takes, links from its own to most_links.
void check_settings(const ExperimentInfo& info, const ExperimentSettings& settings);

/// Rows of an experiment: 0, dt, 2 dt, ..., duration; the last step shorter where dt does not
/// divide.
std::vector<double> times_of(const ExperimentSettings& settings);

/// Whether every claim that was measured holds.
bool all_hold(const ExperimentResult& result);

}  // namespace kagami::tools
