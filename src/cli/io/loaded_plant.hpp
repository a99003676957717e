// A mechanism on the command line, with loops or without. Vectors run over the
// independent joints: with loops the actuated ones (of more than there are
// freedoms, the first that are independent; of fewer, others with them).
// Torques run over the actuated joints. Of a tree both are all joints.
#pragma once

#include <memory>

#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/loops/dynamics.hpp"
#include "model_input.hpp"
#include "results.hpp"

namespace lw::cli {

struct LoadedPlant {
  // Throws Error where it cannot be assembled.
  explicit LoadedPlant(LoadedModel read);

  std::vector<double> independent(const std::vector<double>& q) const { return dynamics->plant().independent(q); }

  LoadedModel loaded;  // its model: the spanning tree, with drivers where the
                       // file names none
  std::unique_ptr<Dynamics> dynamics;
  LoopPlan plan;
  LoadedModel joints;    // the independent joints alone; of a tree the model
  Model<double> motors;  // the actuated joints alone; of a tree the model
};

// Reads MODEL, and judges its loops: throws Error where they conflict or lock
// it, warns of loops that say nothing.
LoadedPlant load_plant(const Arguments& arguments);
void judge_closed(const Arguments& arguments, const Model<double>& model);

// The pose of --q: of all joints, loops closed. With loops the mode of home is
// continued to it, or --mode taken, with a warning where that is next to a
// singular pose, noting what passes its limits. The plant's dynamics stands
// there.
Assembled read_pose(const Arguments& arguments, const LoadedPlant& plant);
// The same with loops, of a model and its independent joints alone actuated.
Assembled read_closed_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led);

// Throws Error(data) where torques do not determine the accelerations at this
// pose.
void require_inertia(const Arguments& arguments, const LoadedPlant& plant, const Assembled& pose);

// What every answer says about the pose: in JSON which joints are actuated,
// where the others are and how well the loops close; in tables "at q = ..." and
// "loops closed to 1.2e-16 m; coupler = ..., rocker = ...". Of a tree q alone.
void add_pose(Json& json, const LoadedPlant& plant, const Assembled& pose);
std::string pose_lines(const LoadedPlant& plant, const Assembled& pose);
std::string dependent_line(const LoadedPlant& plant, const Assembled& pose);
// For headings: ", loops closed", or nothing.
std::string closed_words(const LoadedPlant& plant);
// One table of all, or where not the same joints are independent and actuated
// two.
std::string state_tables(const LoadedPlant& plant, const std::vector<Column>& columns);

}  // namespace lw::cli
