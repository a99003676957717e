// `bench --cores`: the automatic choice of the number of cores for every function.
#pragma once

#include "../frame/command.hpp"

namespace lw::cli {

int bench_cores(const Arguments& arguments);

}  // namespace lw::cli
