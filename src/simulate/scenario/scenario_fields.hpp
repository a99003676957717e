// Common readers for all parts of a scenario file: formulas of time and state, numbers, joints by name, columns of CSV
// files. Each item is checked here and errors are reported with their location, so that the other readers only see
// valid items.
#pragma once

#include <map>
#include <optional>

#include "../../base/csv.hpp"
#include "../../model/read/read_fields.hpp"
#include "scenario.hpp"

namespace lw {

class ScenarioFields {
 public:
  // Formulas become nodes of the scenario's graph.
  ScenarioFields(const Model<double>& model, const Scenario& scenario, std::string file, Complaints& complaints);

  // A name of the scenario for an entry of q or qd: `q.elbow` or `q2`.
  struct Place {
    bool velocity = false;
    int index = 0;
  };
  const std::map<std::string, Place>& places() const { return places_; }
  const Model<double>& model() const { return model_; }
  Complaints& complaints() { return complaints_; }
  FieldReader& reader() { return reader_; }

  static std::string shown(const YamlNode& node);

  Expr formula(const YamlNode& node, const std::string& what);
  // NaN with an error.
  double number(const YamlNode& node, const std::string& what);
  double at_least(const YamlNode& node, const std::string& what, double least, bool itself);
  double positive(const YamlNode& node, const std::string& what) { return at_least(node, what, 0.0, false); }
  bool is_map(const YamlNode& node, const std::string& what, const std::string& hint);

  // `q: {elbow: …}` with a joint of this model.
  std::string example(const std::string& what) const;
  void unknown_joint(const Location& where, const std::string& name, const std::vector<std::string>& known);
  // Index of the velocity to be driven, or -1.
  int velocity(const Location& where, const std::string& name);
  // Reports an error for a dependent velocity.
  void require_motor(const Location& where, int v);

  // A CSV file named in the scenario, next to it.
  std::optional<Csv> csv(const YamlNode& node, const std::string& header);
  // Column by name, finite, with increasing `t`; empty with an error.
  std::vector<double> numbers(const YamlNode& node, const Csv& from, const std::string& name);

 private:
  const Model<double>& model_;
  const std::string file_;
  Complaints& complaints_;
  FieldReader reader_;
  std::map<std::string, Place> places_;
};

// A controller of the scenario; without a trajectory if there is an error.
ScenarioController read_controller(ScenarioFields& fields, const YamlNode& node);

}  // namespace lw
