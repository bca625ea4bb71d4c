/// All experiments by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

using Experiments = std::vector<std::unique_ptr<Experiment>>;

/// What an experiment does that is one function; see Experiment::run.
using Simulation = ExperimentResult (*)(const ExperimentInfo& info,
                                        const ExperimentSettings& settings,
                                        const DataFolders& data);
void add_experiment(Experiments& experiments, ExperimentInfo info, Simulation simulation);

/// Every experiment of this build, in the order of the papers.
Experiments all_experiments();

/// The one of that name. Throws ConfigError with the nearest and the list for anything else.
const Experiment& find_experiment(const Experiments& experiments, const std::string& name);

/// Open chains under gravity from rest: Takahashi 2012, Figs. 3.3, 3.7, 4.7, 5.5.
void add_free_fall(Experiments& experiments);
/// The four-bar: Takahashi 2012, Figs. 3.11, 3.17.
void add_four_bar(Experiments& experiments);
/// The free rod on a unit quaternion: Takahashi 2012, Figs. 3.21, 3.22.
void add_free_body(Experiments& experiments);
/// The free-floating arm: Takahashi 2012, Figs. 4.10, 4.11.
void add_floating_arm(Experiments& experiments);
/// Motions without reaction: Takahashi 2012, Eqs. (6.3) to (6.9).
void add_null_space(Experiments& experiments);
/// The HOAP-2 pushed: Takahashi 2012, Figs. 6.6, 6.8.
void add_balance(Experiments& experiments);
/// Pushes that HOAP-2 and KHR-1 survive on a floor, held or by a strategy; ours.
void add_push_survival(Experiments& experiments);
/// What strategies lose by on free feet, one factor at a time; ours.
void add_push_factors(Experiments& experiments);
/// The open arm as a closed mechanism: Takahashi 2012, Figs. 7.4 to 7.22, and stopping at singular
/// poses.
void add_virtual_loops(Experiments& experiments);
/// Both hands of the KHR-1 hold one rod: the virtual loop in three dimensions; ours.
void add_virtual_hands(Experiments& experiments);
/// Both hands of the KHR-1 carry a box: an object with mass in a virtual loop; ours.
void add_virtual_object(Experiments& experiments);
/// The KHR-1 walks by PID: Awa 2009, Fig. 9.
void add_awa_walk(Experiments& experiments);
/// The end of its right leg in that walk: Awa 2009, Figs. 12, 13.
void add_awa_leg(Experiments& experiments);
/// The HOAP-1 walks, falls, jumps: Sugihara & Nakamura 2002, Figs. 4-6.
void add_hoap_walk(Experiments& experiments);
void add_hoap_fall(Experiments& experiments);
void add_hoap_jump(Experiments& experiments);
/// The chain on the ground: Wakisaka & Sugihara 2013, Table 1, Figs. 5-7.
void add_pendulum_on_ground(Experiments& experiments);
/// One box: Zhang et al. 2018, Fig. 6.
void add_falling_box(Experiments& experiments);
/// Heaps of boxes: Zhang et al. 2018, Figs. 3-5, 7, 8.
void add_falling_boxes(Experiments& experiments);

}  // namespace kagami::tools
