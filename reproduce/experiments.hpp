// The theses and their experiments, one file each, and the benchmarks of the field; to add one, write its file and name
// it here and in the list.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace lw::reproduce {

Experiment dhanaraj_torques();
Experiment dhanaraj_closed_form();
Experiment dhanaraj_operations();
Experiment lagrange_operations();
Experiment dhanaraj_generated();
Experiment dhanaraj_swelling();
Experiment dhanaraj_kinematics();
Experiment dhanaraj_friction();
Experiment dhanaraj_schedule();
Experiment dhanaraj_motion();
Experiment binder_kinematics();
Experiment binder_lagrange();
Experiment binder_operations();
Experiment wong_puma();
Experiment wong_torso();
Experiment wong_excavator();
Experiment wong_operations();
Experiment wong_counts();
Experiment wong_formulation();
Experiment wong_integrators();
Experiment wong_motion();
Experiment wong_tracking();
Experiment twu_planar();
Experiment twu_spatial();
Experiment twu_motion();
Experiment twu_lag();
Experiment twu_sensitivity();
Experiment twu_formulation();
Experiment twu_generated();
Experiment twu_strategies();
Experiment twu_speed();
Experiment twu_layout();
Experiment twu_optimum();
Experiment twu_elements();
Experiment helmy_positions();
Experiment helmy_direct();
Experiment helmy_modes();
Experiment helmy_torques();
Experiment helmy_complement();
Experiment helmy_simulation();
Experiment field_pendulum();
Experiment field_four_bars();
Experiment field_many_four_bars();
Experiment field_andrews();
Experiment field_bricard();
Experiment field_governor();
Experiment field_heavy_top();
Experiment field_car_axis();
Experiment field_slider_crank();

struct Entry {
  std::string thesis;
  std::function<Experiment()> run;
  bool is_long = false;  // takes more than a few seconds
};

const std::vector<Thesis>& theses();
const std::vector<Entry>& experiments();
// Those of one thesis, or of "all", in order; the long ones only where they are asked for.
std::vector<Experiment> run_experiments(const std::string& thesis, bool with_long);

}  // namespace lw::reproduce
