#include "frame_option.hpp"

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../model/complaints.hpp"

namespace lw::cli {

Option frame_option(const std::string& meaning) {
  return text_option("--frame", "NAME", meaning + "; default: the last");
}

int chosen_frame(const Arguments& arguments, const Model<double>& model) {
  if (!arguments.has("--frame")) return static_cast<int>(model.frames.size()) - 1;
  const int frame = model.frame_index(arguments.text("--frame"));
  if (frame >= 0) return frame;
  std::vector<std::string> names;
  for (const Frame<double>& f : model.frames) names.push_back(f.name);
  const std::string wanted = arguments.text("--frame");
  throw Error(ErrorCode::usage,
              fmt::format("`{}` has no frame `{}`; {}", model.name, wanted, suggestion(wanted, names)));
}

}  // namespace lw::cli
