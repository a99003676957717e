// A mechanism on the command line, ready to be computed with. Vectors list its independent joints: --q, --qd and --qdd
// those of a tree, or with loops the actuated joints (of more than there are freedoms, the first that are independent;
// of fewer, others with them). Torques list the actuated joints. --mode says in which of the ways that `assemble` lists
// the loops are closed.
#pragma once

#include <memory>

#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/loops/dynamics.hpp"
#include "model_input.hpp"
#include "results.hpp"
#include "vectors.hpp"

namespace lw::cli {

struct LoadedPlant {
  // Throws Error if it cannot be assembled.
  explicit LoadedPlant(LoadedModel read);

  std::vector<double> independent(const std::vector<double>& q) const { return dynamics->plant().independent(q); }

  LoadedModel loaded;  // its model: the spanning tree, with drivers if the file names none
  std::unique_ptr<Dynamics> dynamics;
  const LoopPlan& plan;
  const Model<double>&joints, &motors;  // the independent joints alone, and the actuated ones
};

// Reads MODEL, and judges its loops.
LoadedPlant load_plant(const Arguments& arguments);
// Throws Error if they conflict or lock the mechanism, warns of loops that say nothing.
void require_sound_loops(const Arguments& arguments, const Model<double>& model);

// --mode K
Option mode_option();

// What --q gives for the joints that are called actuated in `led`, or those of the home pose; and if --q lists all that
// the file calls actuated, these as well.
struct GivenJoints {
  std::vector<double> led, all;
};
GivenJoints read_given(const Arguments& arguments, const Model<double>& model, const Model<double>& led);
// If the others among these are not where the closed configuration q has them: what is, in words; else "".
std::string disagreement(const Model<double>& model, const Model<double>& led, const GivenJoints& given,
                         const std::vector<double>& q);
std::vector<Entry> actuated_entries(const Model<double>& model);

// The pose of --q and --mode, of all joints: the K-th of the ways to assemble the mechanism there, or the mode of home,
// continued along the straight line. Throws Error if it cannot be assembled; warns of a pose next to a singular one,
// and notes what passes its limits. The plant's dynamics stands there.
Assembled read_pose(const Arguments& arguments, const LoadedPlant& plant);
// The same of a model and the joints that lead it.
Assembled read_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led);

// What every answer says about joints that follow others: in JSON which joints are actuated, where the others are and
// how well the loops close; in tables "at q = ..." and "loops closed to 1.2e-16 m; coupler = ..., rocker = ...".
void add_pose(Json& json, const LoadedPlant& plant, const Assembled& pose);
std::string pose_lines(const LoadedPlant& plant, const Assembled& pose);
// One table of all, or two if the independent joints are not the actuated ones.
std::string state_tables(const LoadedPlant& plant, const std::vector<Column>& columns);

}  // namespace lw::cli
