// Of a mechanism with loops: --q runs over the joints that lead it, the actuated ones (of more than there are freedoms
// the first independent ones, or all of them where they agree with the closures to 1e-6), and --mode says which of the
// ways to assemble it is meant.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/assembly/assembly.hpp"
#include "model_input.hpp"
#include "vectors.hpp"

namespace lw::cli {

// --mode K
Option mode_option();

// What stands at the places of vectors over the actuated joints.
std::vector<Entry> actuated_entries(const Model<double>& model);
std::vector<Entry> actuated_velocity_entries(const Model<double>& model);

// `led` is the model as led_model has it. What --q gives for its actuated joints, those of the home pose where it is
// absent; and where it gives all that the file calls actuated, these as well.
struct GivenJoints {
  std::vector<double> led, all;
};
GivenJoints read_given(const Arguments& arguments, const Model<double>& model, const Model<double>& led);
// Where the followers among these are not where the closed configuration q has them: what is, in words; else "".
std::string disagreement(const Model<double>& model, const Model<double>& led, const GivenJoints& given,
                         const std::vector<double>& q);

// The whole configuration: with --mode K the K-th of what `assemble` lists, of the last frame; else the mode of home,
// continued along the straight line. Throws Error where it cannot be assembled.
Assembled read_assembled(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led);

// Refuses --mode for a mechanism without loops.
void refuse_mode(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
