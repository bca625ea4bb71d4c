#include "tools/commands/dynamics_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/errors.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/joint_limits.hpp"
#include "tools/commands/dynamics_columns.hpp"
#include "tools/commands/dynamics_loops.hpp"

namespace kagami::tools {

using models::Model;

namespace {

constexpr double kMaxRows = 1e6;

void check_times(const DynamicsOptions& opt) {
  const double duration = *opt.duration;
  // written so that NaN fails
  if (!(duration >= 0.0 && opt.dt > 0.0 && duration / opt.dt <= kMaxRows))
    throw ConfigError("--simulate " + full_digits(duration) + " --dt " + full_digits(opt.dt) +
                      ": expected seconds not below 0, steps above 0, at most a million steps");
}

// the loops at a row of a trajectory, which need accelerations; false where there are none
bool append_loops_at(double t, const models::State& state, EntrySource& source,
                     std::vector<double>& row) {
  JointVector vdot;
  if (!source.acceleration(t, state.q, state.v, vdot)) return false;
  const models::ClosedChainDynamics& loops = *source.loops();
  std::vector<Vec6> wrenches;
  for (int l = 0; l < loops.num_loops(); ++l) wrenches.push_back(loops.wrench(l).c);
  append_loops(row, loops.dynamics().gap(), loops.rank(),
               loops.dynamics().smallest_singular_value(), wrenches);
  return true;
}

std::string stopped_at(double t, const std::string& why) {
  return "the simulation stopped at t = " + full_digits(t) + " s: " + why;
}

}  // namespace

Trace trajectory(const DynamicsOptions& opt, const DynamicsInput& input, Chosen& chosen,
                 SimulationEnd& end) {
  check_times(opt);
  const Model& model = input.model;
  const StateEntry& entry = input.states.front();
  Trace table;
  table.columns.push_back("t");
  append_names(table.columns, "q", coordinate_names(model));
  append_names(table.columns, "v", velocity_names(model));
  table.columns.insert(table.columns.end(), balance_names().begin(), balance_names().end());
  append_loop_names(table.columns, model);

  EntrySource source(chosen, entry);
  if (source.loops() != nullptr)
    static_cast<void>(source.loops()->dynamics().look_around(entry.state.q));
  models::Integrator integrator(
      model, models::scheme(opt.integrator),
      {.tolerance = opt.tolerance, .min_step = 1e-9, .max_step = std::max(1e-9, opt.dt)});
  models::Kinematics kinematics(model);
  models::State state = entry.state;
  const auto steps = static_cast<long>(std::ceil(*opt.duration / opt.dt - 1e-9));
  double t = 0.0;
  for (long i = 0;; ++i) {
    std::vector<double> row{t};
    append(row, state.q);
    append(row, state.v);
    append(row, balance_of(model, state, kinematics));
    if (source.loops() != nullptr && !append_loops_at(t, state, source, row)) {
      end.problem = stopped_at(t, source.problem());
      break;
    }
    table.rows.push_back(std::move(row));
    if (!opt.ignore_limits) {
      const int passed = models::limit_passed(model, state.q);
      if (passed >= 0) {
        end.problem = stopped_at(t, models::limit_text(model, passed, state.q) +
                                        ", whose stop is not modelled (--ignore-limits goes on)");
        break;
      }
    }
    if (i == steps) break;
    const double next = i + 1 == steps ? *opt.duration : static_cast<double>(i + 1) * opt.dt;
    const models::StepStatus status = integrator.advance(source, next - t, t, state);
    end.ran.add(source.ran());
    if (status != models::StepStatus::kOk) {
      end.problem =
          stopped_at(t, models::name(status) +
                            (source.loops() != nullptr ? ": " + source.problem() : std::string()));
      break;
    }
    t = next;
  }
  end.steps = integrator.steps();
  end.rejected = integrator.rejected();
  return table;
}

}  // namespace kagami::tools
