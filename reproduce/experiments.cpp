#include "experiments.hpp"

namespace lw::reproduce {

const std::vector<Thesis>& theses() {
  static const std::vector<Thesis> list{
      {"dhanaraj", "C. Dhanaraj", "Parallel processing of manipulator dynamics incorporating frictional effects",
       "Memorial University of Newfoundland", 1990, ""},
      {"binder", "E. E. Binder", "Distributed architecture and fast parallel algorithms in real-time robot control",
       "Oregon State University", 1985, ""},
      {"wong", "D. Wong", "Parallel implementation of multibody dynamics for real-time simulation",
       "University of British Columbia", 1991, ""},
      {"twu", "J.-T. Twu", "Automated generation of robotic dynamics simulators through symbolic computing",
       "Kansas State University", 1987, ""},
      {"helmy", "A. Helmy",
       "Parallel processing and the dynamics and kinematics of a three degree of freedom planar manipulator",
       "McGill University", 1994, ""},
      {"field", "The multibody field",
       "Benchmarks: IFToMM library A01 to A05, Test Set for IVP Solvers, heavy top, friction",
       "Multibody System Dynamics 16, 179-190, and others", 2006, ""}};
  return list;
}

const std::vector<Entry>& experiments() {
  static const std::vector<Entry> list{{"dhanaraj", dhanaraj_torques},
                                       {"dhanaraj", dhanaraj_closed_form},
                                       {"dhanaraj", dhanaraj_operations},
                                       {"dhanaraj", lagrange_operations},
                                       {"dhanaraj", dhanaraj_generated},
                                       {"dhanaraj", dhanaraj_swelling},
                                       {"dhanaraj", dhanaraj_kinematics},
                                       {"dhanaraj", dhanaraj_friction},
                                       {"dhanaraj", dhanaraj_schedule},
                                       {"dhanaraj", dhanaraj_motion},
                                       {"binder", binder_kinematics},
                                       {"binder", binder_lagrange},
                                       {"binder", binder_operations},
                                       {"wong", wong_puma},
                                       {"wong", wong_torso},
                                       {"wong", wong_excavator},
                                       {"wong", wong_operations},
                                       {"wong", wong_counts},
                                       {"wong", wong_formulation},
                                       {"wong", wong_integrators},
                                       {"wong", wong_motion},
                                       {"wong", wong_tracking},
                                       {"twu", twu_planar},
                                       {"twu", twu_spatial},
                                       {"twu", twu_motion},
                                       {"twu", twu_lag},
                                       {"twu", twu_sensitivity},
                                       {"twu", twu_formulation},
                                       {"twu", twu_generated},
                                       {"twu", twu_strategies},
                                       {"twu", twu_speed},
                                       {"twu", twu_layout},
                                       {"twu", twu_optimum},
                                       {"twu", twu_elements},
                                       {"helmy", helmy_positions},
                                       {"helmy", helmy_direct},
                                       {"helmy", helmy_modes},
                                       {"helmy", helmy_torques},
                                       {"helmy", helmy_complement},
                                       {"helmy", helmy_simulation},
                                       {"field", field_pendulum},
                                       {"field", field_four_bars},
                                       {"field", field_many_four_bars, true},
                                       {"field", field_andrews},
                                       {"field", field_bricard},
                                       {"field", field_governor},
                                       {"field", field_heavy_top},
                                       {"field", field_car_axis},
                                       {"field", field_slider_crank}};
  return list;
}

std::vector<Experiment> run_experiments(const std::string& thesis, bool with_long) {
  std::vector<Experiment> results;
  for (const Entry& entry : experiments()) {
    if (entry.is_long && !with_long) continue;
    if (thesis == "all" || entry.thesis == thesis) results.push_back(entry.run());
  }
  return results;
}

}  // namespace lw::reproduce
