#include "divided.hpp"

#include <algorithm>
#include <set>

#include "../base/error.hpp"
#include "divider.hpp"
#include "grain.hpp"
#include "share_times.hpp"

namespace lw {

DividedFunction divide_over(const Function& function, const Machine& machine, int processors, PredictedTimes* times) {
  require(processors >= 1, "a function is divided over one processor at least");
  OperationCount work, code;
  std::set<const Function*> called;
  for (const NodeId id : function.order()) {
    const OperationCount own = work_with_passing(function.graph(), id);
    add_to(work, own);
    if (function.graph()[id].op != Op::call ||
        called.insert(function.graph().calls()[function.graph()[id].a].function.get()).second)
      add_to(code, own);
  }
  for (OperationCount* w : {&work, &code})
    w->additions += static_cast<std::int64_t>(function.results().size());  // to write it
  const Machine share = machine.for_code_of(work, code, processors);
  const Divider divider(function, share, processors);
  DivisionPlan plan = divider.best();
  divider.repeat_cheap(plan);
  int messages = 0;
  DividedFunction divided = divider.realise(plan, &messages);
  if (times != nullptr) {
    const bool by_one = std::all_of(plan.chunks.begin(), plan.chunks.end(),
                                    [&](const auto& c) { return c.processor == plan.chunks.front().processor; });
    const double one = time_on_one(function, machine.for_code_of(work, code, 1));
    *times = {one, by_one ? one : time_of(divided, share), by_one ? "nothing: one does it all" : plan.way, messages};
  }
  return divided;
}

}  // namespace lw
