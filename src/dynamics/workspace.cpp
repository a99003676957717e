#include "workspace.hpp"

#include <fmt/format.h>

namespace lw {

void refuse_size(const char* algorithm, const std::string& model, const Size& size) {
  throw Error(ErrorCode::usage, fmt::format("{}: {} has {} values, `{}` needs {}", algorithm, size.name, size.given, model,
                                            size.wanted));
}

void refuse_workspace(const char* algorithm, const std::string& model) {
  throw Error(ErrorCode::usage, fmt::format("{}: the workspace was made for another model than `{}`", algorithm, model));
}

}  // namespace lw
