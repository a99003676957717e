// `sensitivity --check`: gradients of one run by all methods.
//
//   complex step   through the same steps                                          shares the seeds of the initial
//                  state
//   adjoint        against direct                                                  the same
//   CVODES         the continuous adjoint equations, by steps of their own         the same
//   differences    (F(b + h d) − F(b − h d)) / 2h of whole runs, d all parameters  shares nothing but the equations'
//                  values
#pragma once

#include <string>
#include <vector>

#include "../../simulate/design/design_run.hpp"

namespace lw::cli {

using GradientRows = std::vector<std::vector<double>>;

struct DesignCheck {
  struct Method {
    const char* key;
    const char* name;
    double difference, allowed;
  };
  std::vector<Method> methods;

  bool passed() const;
};

// Without functionals, of q, qd and qdd at the instants of the options, or at the end.
DesignCheck check_design(const Mechanism& mechanism, const std::vector<std::string>& parameters,
                         std::vector<DesignFunctional> functionals, ForwardDesignOptions options);

}  // namespace lw::cli
