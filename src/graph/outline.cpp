#include "outline.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "../base/error.hpp"
#include "interpreter.hpp"
#include "rewrite.hpp"

namespace lw {
namespace {

bool may_be_inside(Op op) {
  return op != Op::constant && op != Op::input && op != Op::call && op != Op::solve && op != Op::output;
}

std::vector<NodeId> operands(const Graph& graph, NodeId id) {
  std::vector<NodeId> list;
  for_each_operand(graph, id, [&](NodeId operand) { list.push_back(operand); });
  return list;
}

bool commutes(Op op) { return op == Op::add || op == Op::mul || op == Op::fma; }

constexpr std::size_t kOutside = static_cast<std::size_t>(-1);

struct Region {
  std::vector<NodeId> members;
  std::vector<NodeId> taken;  // from outside, in the order of the pattern's operands
};

// The common structure of equal regions: operations on earlier ones or on values from outside.
struct Pattern {
  struct Step {
    Op op;
    std::vector<std::size_t> from;  // index of a member, or kOutside
  };
  std::vector<Step> steps;
  std::vector<std::size_t> regions;
};

class Outliner {
 public:
  Outliner(const Function& f, const Regions& regions, const std::string& name, std::size_t smallest,
           const std::vector<bool>& numbers)
      : f_(f), graph_(f.graph()), region_of_(regions), name_(name), numbers_(numbers), place_(graph_.size(), kOutside) {
    require(regions.size() == graph_.size(), "every node must have a region");
    int count = 0;
    for (const NodeId id : f.order()) {
      if (!may_be_inside(graph_[id].op)) region_of_[id] = -1;
      count = std::max(count, region_of_[id] + 1);
    }
    regions_.resize(static_cast<std::size_t>(count));
    for (const NodeId id : f.order()) {
      if (region_of_[id] >= 0) regions_[static_cast<std::size_t>(region_of_[id])].members.push_back(id);
    }
    put_in_order();
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (regions_[r].members.size() >= smallest) sort_in(r);
    }
    // single regions stay in place
    std::vector<bool> called(regions_.size(), false);
    for (const Pattern& p : patterns_) {
      if (p.regions.size() < 2) continue;
      for (const std::size_t r : p.regions) called[r] = true;
    }
    for (int& r : region_of_) {
      if (r >= 0 && !called[static_cast<std::size_t>(r)]) r = -1;
    }
  }

  Function run() {
    std::size_t number = 0;
    std::size_t several = 0;
    for (const Pattern& p : patterns_) several += p.regions.size() > 1 ? 1 : 0;
    for (const Pattern& p : patterns_) {
      if (p.regions.size() > 1) make_function(p, several > 1 ? name_ + std::to_string(++number) : name_);
    }
    return assemble();
  }

 private:
  struct Called {
    std::shared_ptr<const Function> function;
    std::vector<NodeId> arguments;
  };

  // Members in an order that depends on their operations, and only among equals on their age.
  void put_in_order() {
    struct Shape {
      std::size_t level = 0, hash = 0;
    };
    std::vector<Shape> shapes(graph_.size());
    for (const NodeId id : f_.order()) {
      if (region_of_[id] < 0) continue;
      Shape& s = shapes[id];
      std::vector<std::size_t> from;
      for (const NodeId operand : operands(graph_, id)) {
        const Op op = graph_[operand].op;
        if (region_of_[operand] == region_of_[id]) {
          s.level = std::max(s.level, shapes[operand].level + 1);
          from.push_back(shapes[operand].hash);
        } else {
          from.push_back(op == Op::constant ? 1 : op == Op::input ? 2 : 3);
        }
      }
      if (commutes(graph_[id].op) && from[1] < from[0]) std::swap(from[0], from[1]);
      s.hash = static_cast<std::size_t>(graph_[id].op) + 17;
      for (const std::size_t h : from) s.hash = (s.hash ^ h) * 0x9e3779b97f4a7c15ULL + (s.hash >> 29);
    }
    for (Region& r : regions_) {
      std::stable_sort(r.members.begin(), r.members.end(), [&](NodeId a, NodeId b) {
        return std::pair(shapes[a].level, shapes[a].hash) < std::pair(shapes[b].level, shapes[b].hash);
      });
      for (std::size_t k = 0; k < r.members.size(); ++k) place_[r.members[k]] = k;
    }
  }

  // Whether the region's operations match the pattern; then its values from outside are known.
  bool matches(const Pattern& p, Region& r, std::size_t region) const {
    r.taken.clear();
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
      const Pattern::Step& step = p.steps[k];
      const NodeId id = r.members[k];
      if (graph_[id].op != step.op) return false;
      std::vector<NodeId> from = operands(graph_, id);
      const auto fits = [&] {
        for (std::size_t j = 0; j < from.size(); ++j) {
          if (inside(from[j], region) != step.from[j]) return false;
        }
        return true;
      };
      if (!fits()) {
        if (!commutes(step.op)) return false;
        std::swap(from[0], from[1]);
        if (!fits()) return false;
      }
      for (std::size_t j = 0; j < from.size(); ++j) {
        if (step.from[j] == kOutside) r.taken.push_back(from[j]);
      }
    }
    return true;
  }

  std::size_t inside(NodeId id, std::size_t region) const {
    return region_of_[id] == static_cast<int>(region) ? place_[id] : kOutside;
  }

  void sort_in(std::size_t region) {
    Region& r = regions_[region];
    std::string ops;
    for (const NodeId id : r.members) ops += static_cast<char>(graph_[id].op);
    for (const std::size_t p : by_operations_[ops]) {
      if (!matches(patterns_[p], r, region)) continue;
      patterns_[p].regions.push_back(region);
      return;
    }
    Pattern fresh;
    for (const NodeId id : r.members) {
      Pattern::Step step{graph_[id].op, {}};
      for (const NodeId operand : operands(graph_, id)) step.from.push_back(inside(operand, region));
      fresh.steps.push_back(std::move(step));
    }
    matches(fresh, r, region);
    fresh.regions = {region};
    by_operations_[ops].push_back(patterns_.size());
    patterns_.push_back(std::move(fresh));
  }

  void make_function(const Pattern& p, const std::string& name) {
    // one argument for each combination of values that the regions take at one position; equal constants stay inside
    const std::size_t slots = regions_[p.regions[0]].taken.size();
    std::map<std::vector<NodeId>, std::size_t> known;
    std::vector<std::vector<NodeId>> arguments;
    std::vector<std::size_t> argument_of(slots, kOutside);
    for (std::size_t s = 0; s < slots; ++s) {
      std::vector<NodeId> combination;
      bool same = true;
      for (const std::size_t r : p.regions) {
        combination.push_back(regions_[r].taken[s]);
        same = same && combination.back() == combination.front();
      }
      if (same && graph_[combination[0]].op == Op::constant) continue;
      const auto [found, is_new] = known.try_emplace(combination, arguments.size());
      if (is_new) arguments.push_back(combination);
      argument_of[s] = found->second;
    }
    // constants come last, as a separate group
    const auto are_numbers = [&](const std::vector<NodeId>& combination) {
      return std::all_of(combination.begin(), combination.end(), [&](NodeId id) {
        return graph_[id].op == Op::constant || (!numbers_.empty() && numbers_[id]);
      });
    };
    std::vector<std::size_t> order(arguments.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto numbers =
        std::stable_partition(order.begin(), order.end(), [&](std::size_t k) { return !are_numbers(arguments[k]); });
    const auto variables = static_cast<std::size_t>(numbers - order.begin());
    // values used outside
    std::vector<bool> needed(p.steps.size(), false);
    for (const std::size_t r : p.regions) {
      for (std::size_t k = 0; k < p.steps.size(); ++k) {
        if (is_needed_elsewhere(regions_[r].members[k])) needed[k] = true;
      }
    }
    std::vector<std::size_t> given;
    for (std::size_t k = 0; k < needed.size(); ++k) {
      if (needed[k]) given.push_back(k);
    }
    const Region& first = regions_[p.regions[0]];
    std::vector<Group> inputs{{"in", variables}};
    if (variables < arguments.size()) inputs.push_back({"k", arguments.size() - variables});
    Function made = trace(name, inputs, {{"out", given.size()}}, [&](const Arguments& in, Results& out) {
      std::vector<Expr> argument(arguments.size());
      for (std::size_t k = 0; k < order.size(); ++k)
        argument[order[k]] = k < variables ? in[0][k] : in[1][k - variables];
      std::vector<Expr> values;
      std::size_t slot = 0;
      for (std::size_t k = 0; k < p.steps.size(); ++k) {
        Expr x[3];
        for (std::size_t j = 0; j < p.steps[k].from.size(); ++j) {
          const std::size_t from = p.steps[k].from[j];
          if (from != kOutside) {
            x[j] = values[from];
          } else {
            x[j] = argument_of[slot] == kOutside ? Expr(graph_[first.taken[slot]].value) : argument[argument_of[slot]];
            ++slot;
          }
        }
        values.push_back(apply(p.steps[k].op, x[0], x[1], x[2]));
        if (const std::string* called = graph_.name_of(first.members[k])) name_value(values.back(), *called);
      }
      for (std::size_t k = 0; k < given.size(); ++k) out[0][k] = values[given[k]];
    });
    const auto shared = std::make_shared<const Function>(made.with(f_.arithmetic()));
    for (std::size_t r = 0; r < p.regions.size(); ++r) {
      Called& call = called_[p.regions[r]];
      call.function = shared;
      for (const std::size_t k : order) call.arguments.push_back(arguments[k][r]);
      for (std::size_t k = 0; k < given.size(); ++k) output_of_[regions_[p.regions[r]].members[given[k]]] = k;
    }
  }

  bool is_needed_elsewhere(NodeId id) {
    if (needed_.empty()) {
      needed_.resize(graph_.size(), false);
      for (const NodeId user : f_.order()) {
        for_each_operand(graph_, user, [&](NodeId operand) {
          if (region_of_[operand] != region_of_[user]) needed_[operand] = true;
        });
      }
      for (const NodeId r : f_.results()) needed_[r] = true;
    }
    return needed_[id];
  }

  // The rest of the function around the calls, each created when all its arguments exist.
  Function assemble() {
    Rewrite to(f_);
    std::vector<char> state(graph_.size(), 0);         // 1: waiting for operands, 2: done
    std::map<std::size_t, std::vector<Expr>> results;  // of the calls created
    std::vector<NodeId> open;
    const auto needs = [&](NodeId id, const auto& visit) {
      if (region_of_[id] < 0) return for_each_operand(graph_, id, visit);
      for (const NodeId a : called_.at(static_cast<std::size_t>(region_of_[id])).arguments) visit(a);
    };
    std::map<int, NodeId> waiting;  // regions in progress, by the requesting member
    for (const NodeId result : f_.results()) {
      open.push_back(result);
      while (!open.empty()) {
        const NodeId id = open.back();
        if (state[id] == 2) {
          open.pop_back();
          continue;
        }
        const int region = region_of_[id];
        const bool called = region >= 0 && results.contains(static_cast<std::size_t>(region));
        if (!called && state[id] == 0) {
          state[id] = 1;
          if (region >= 0)
            require(waiting.emplace(region, id).second, "a region must be convex: no path may leave it and return");
          needs(id, [&](NodeId operand) {
            if (state[operand] != 2) open.push_back(operand);
          });
          continue;
        }
        if (region >= 0) {
          auto& values = results[static_cast<std::size_t>(region)];
          if (!called) {
            const Called& call = called_.at(static_cast<std::size_t>(region));
            std::vector<Expr> arguments;
            for (const NodeId a : call.arguments) arguments.push_back(to[a]);
            values = to.graph().call(call.function, arguments);
          }
          to.put(id, values[output_of_.at(id)], false);
        } else {
          to.put(id, to.copy(id));
        }
        state[id] = 2;
        open.pop_back();
      }
    }
    return to.finish();
  }

  const Function& f_;
  const Graph& graph_;
  Regions region_of_;
  std::string name_;
  const std::vector<bool>& numbers_;
  std::vector<std::size_t> place_;
  std::vector<Region> regions_;
  std::vector<Pattern> patterns_;
  std::map<std::string, std::vector<std::size_t>> by_operations_;
  std::map<std::size_t, Called> called_;  // by region
  std::map<NodeId, std::size_t> output_of_;
  std::vector<bool> needed_;
};

}  // namespace

Function outlined(const Function& function, const Regions& regions, const std::string& name, std::size_t smallest,
                  const std::vector<bool>& numbers) {
  return Outliner(function, regions, name, smallest, numbers).run();
}

bool has_calls(const Function& function) {
  for (const NodeId id : function.order()) {
    if (function.graph()[id].op == Op::call) return true;
  }
  return false;
}

Function with_arithmetic(const Function& function, const Arithmetic& arithmetic) {
  if (!has_calls(function)) return function.with(arithmetic);
  return with_calls(function, [&](const Function& called) { return called.with(arithmetic); }).with(arithmetic);
}

bool has_nested(const Function& function) {
  return has_calls(function) || std::any_of(function.order().begin(), function.order().end(), [&](NodeId id) {
           const Node& n = function.graph()[id];
           return n.op == Op::solve && function.graph().solves()[n.a].step != nullptr;
         });
}

Function with_calls(const Function& function, const std::function<Function(const Function&)>& change) {
  std::map<const Function*, std::shared_ptr<const Function>> changed;
  std::map<NodeId, Graph::Solution> solutions;
  return rewritten(function, [&](Rewrite& to, NodeId id) {
    const Graph& from = function.graph();
    if (from[id].op != Op::output) return to.copy(id);
    const Node& owner = from[from[id].a];
    const auto now = [&](const std::shared_ptr<const Function>& old) {
      auto& known = changed[old.get()];
      if (known == nullptr) known = std::make_shared<const Function>(change(with_calls(*old, change)));
      return known;
    };
    const auto all = [&](const std::vector<NodeId>& ids) {
      std::vector<Expr> list;
      for (const NodeId a : ids) list.push_back(to[a]);
      return list;
    };
    if (owner.op == Op::call) {
      const Call& call = from.calls()[owner.a];
      return to.graph().call(now(call.function), all(call.arguments))[from[id].b];
    }
    const Solve& solve = from.solves()[owner.a];
    if (solve.step == nullptr) return to.copy(id);
    if (!solutions.contains(from[id].a)) {
      solutions[from[id].a] =
          to.graph().solve(now(solve.residual), all(solve.guess), all(solve.arguments), solve.steps, now(solve.step));
    }
    return solutions.at(from[id].a)[from[id].b];
  });
}

}  // namespace lw
