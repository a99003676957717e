#include "segment_tasks.hpp"

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../codegen/c/c_text.hpp"

namespace lw {
namespace {

std::string table_name(const Program& program, const DividedFunction& d) {
  return c_on(program, d.whole) + "_segments";
}

}  // namespace

std::string emit_segment_table(const Program& program, const DividedFunction& d) {
  const Function& f = d.whole;
  const std::string arguments = pieces(f.inputs(), "in") + ", " + pieces(f.outputs(), "out");
  std::string text = "\n", list;
  for (std::size_t p = 0; p < d.shares.size(); ++p) {
    for (std::size_t s = 0; s < d.shares[p].segments.size(); ++s) {
      const std::string segment = fmt::format("{}{}_segment{}", c_on(program, f), p, s + 1);
      text += fmt::format(
          "static void {0}_flat(void *shared, const double *in, double *out) {{\n  {0}(({1} *)shared, {2});\n}}\n",
          segment, c_shared(program, f), arguments);
      list += fmt::format("  {}_flat,\n", segment);
    }
  }
  const std::string declared =
      fmt::format("void (*const {}[])(void *, const double *, double *)", table_name(program, d));
  return text + fmt::format("extern {0};\n{0} = {{\n{1}}};\n", declared, list);
}

std::vector<SegmentTask> segment_tasks(const Program& program, const DividedFunction& d, const Library& library) {
  auto* const* run = static_cast<SegmentTask::Run* const*>(library.symbol(table_name(program, d)));
  if (run == nullptr)
    throw Error(ErrorCode::toolchain, fmt::format("compiled code has no table {}", table_name(program, d)));
  std::vector<int> first{0};  // task of each processor
  for (const Share& s : d.shares) first.push_back(first.back() + static_cast<int>(s.segments.size()));
  std::vector<SegmentTask> tasks;
  for (std::size_t p = 0; p < d.shares.size(); ++p) {
    for (std::size_t s = 0; s < d.shares[p].segments.size(); ++s) {
      const auto own = static_cast<int>(tasks.size());
      SegmentTask& task = tasks.emplace_back(SegmentTask{run[own], {}});
      if (s > 0) task.before.push_back(own - 1);
      for (const Segment::Wait& w : d.shares[p].segments[s].waits)
        task.before.push_back(first[static_cast<std::size_t>(w.processor)] + w.segment);
    }
  }
  return tasks;
}

}  // namespace lw
