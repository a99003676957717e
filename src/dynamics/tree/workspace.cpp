#include "workspace.hpp"

#include <fmt/format.h>

namespace lw {

template <class T>
Workspace<T>::Workspace(const Model<T>& model)
    : X(model.bodies.size()),
      X_W(model.bodies.size()),
      velocity(model.bodies.size()),
      alpha(model.bodies.size()),
      acceleration(model.bodies.size()),
      force(model.bodies.size()),
      composite(model.bodies.size()),
      articulated(model.bodies.size()),
      bias(model.bodies.size()),
      column(model.bodies.size()),
      mass_matrix(model.nv <= kDense ? static_cast<std::size_t>(model.nv * model.nv) : 0),
      h(static_cast<std::size_t>(model.nv)),
      zero(static_cast<std::size_t>(model.nv), T(0.0)),
      scratch(static_cast<std::size_t>(model.nv)) {}
LW_TEMPLATE_COPIES(Workspace)

void refuse_workspace(const char* algorithm, const std::string& model) {
  throw Error(ErrorCode::usage,
              fmt::format("{}: the workspace was made for another model than `{}`", algorithm, model));
}

#define LW_INSTANTIATE(T) template struct Workspace<T>;
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
