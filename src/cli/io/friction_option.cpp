#include "friction_option.hpp"

#include <sstream>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../model/complaints.hpp"

namespace lw::cli {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) out.push_back(word);
  return out;
}

}  // namespace

std::vector<Option> friction_options() {
  return {text_option("--friction", "TERMS",
                      "friction terms to identify: viscous, coulomb, offset, separated by commas, or none; default: "
                      "viscous,coulomb"),
          text_option("--friction-joints", "J1,J2,...", "the joints whose friction is identified; default: all")};
}

IdentifyOptions read_friction(const Arguments& arguments) {
  IdentifyOptions options;
  if (arguments.has("--friction")) {
    options.viscous = options.coulomb = options.offset = false;
    const std::vector<std::string> given = words(arguments.text("--friction"));
    for (const std::string& word : given) {
      if (word == "viscous")
        options.viscous = true;
      else if (word == "coulomb")
        options.coulomb = true;
      else if (word == "offset")
        options.offset = true;
      else if (word != "none" || given.size() > 1) {
        throw Error(ErrorCode::usage, fmt::format("--friction: unknown term `{}`; {}", word,
                                                  suggestion(word, {"viscous", "coulomb", "offset", "none"})));
      }
    }
  }
  if (arguments.has("--friction-joints")) options.friction_joints = words(arguments.text("--friction-joints"));
  return options;
}

}  // namespace lw::cli
