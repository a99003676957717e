#include "model.hpp"

#include <fmt/format.h>

#include "../base/error.hpp"

namespace lw {

template <class T>
Model<T>::Model() = default;
LW_TEMPLATE_COPIES(Model)

template <class T>
void Body<T>::set_motion() {
  const Mat3<T> projector = outer(axis, axis);
  R0 = X_PJ.R * projector;
  Rc = X_PJ.R * (Mat3<T>::identity() - projector);
  Rs = X_PJ.R * skew(axis);
  slide = X_PJ.R * axis;
}

template <class T>
int Model<T>::frame_index(const std::string& wanted) const {
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (frames[k].name == wanted) return static_cast<int>(k);
  }
  return -1;
}

void refuse_size(const char* algorithm, const std::string& model, const Size& size) {
  throw Error(ErrorCode::usage,
              fmt::format("{}: {} has {} values, `{}` needs {}", algorithm, size.name, size.given, model, size.wanted));
}

#define LW_INSTANTIATE(T)  \
  template struct Body<T>; \
  template struct Model<T>;
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
