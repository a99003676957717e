// Operation counts published by others or measured from their generators, for comparison with ours.
#pragma once

#include <string>
#include <vector>

#include "../../codegen/functions/function_row.hpp"

namespace lw::cli {

struct PublishedCount {
  std::string who;
  int multiplications = 0, additions = 0, trigonometric = 0;
  std::string note;
};

// Of a function of an embedded model. Dense: every inertial parameter a symbol; else with the numbers of the model.
std::vector<PublishedCount> published_counts(FunctionId function, const std::string& model, bool dense,
                                             bool base_parameters);

}  // namespace lw::cli
