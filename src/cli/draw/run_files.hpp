// Output files of a run: a table (CSV), messages for Foxglove (MCAP), a picture of time series (SVG).
#pragma once

#include <memory>

#include "../../simulate/run/run.hpp"
#include "../io/model_input.hpp"

namespace lw::cli {

// A file that receives a run row by row. `finish` puts it in place with its current contents; it returns false if the
// disk was full before the end, which was reported by an exception.
class RunFile : public RunListener {
 public:
  virtual bool finish() = 0;
};

// t,q1..,qd1..,qdd1..,tau1..,energy, as selected by the scenario, then its formulas as out.NAME.
std::unique_ptr<RunFile> csv_file(const std::string& path, const Model<double>& model, const Scenario& scenario);
// Topics: /tf (foxglove.FrameTransforms), /scene (foxglove.SceneUpdate: the shapes, once), /state, /events
// (foxglove.Log).
std::unique_ptr<RunFile> mcap_file(const std::string& path, const Mechanism& mechanism, const Model<double>& model,
                                   const Scenario& scenario);
// Coordinates, velocities, torques and energy over time, events marked.
std::unique_ptr<RunFile> plot_file(const std::string& path, const Model<double>& model, const Scenario& scenario);

}  // namespace lw::cli
