#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../graph/outline.hpp"
#include "../../graph/passes/contract.hpp"
#include "../../graph/schedule.hpp"
#include "../../model/complaints.hpp"
#include "../../model/evaluate.hpp"
#include "../../model/require_tree.hpp"
#include "traced.hpp"
#include "verification.hpp"

namespace lw {
namespace {

int frame_number(const Mechanism& mechanism, const std::string& name) {
  if (name.empty()) return static_cast<int>(mechanism.links.size());
  if (name == "base") return 0;
  std::vector<std::string> names{"base"};
  for (std::size_t k = 0; k < mechanism.links.size(); ++k) {
    if (mechanism.links[k].name == name) return static_cast<int>(k) + 1;
    names.push_back(mechanism.links[k].name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no link {}; {}", in_quotes(name), suggestion(name, names)));
}

// A candidate after the passes.
struct Chosen {
  std::size_t candidate;
  Function function;
  std::vector<PassReport> passes;
  double price;
  bool optimized;
};

class Tracer {
 public:
  Tracer(const Mechanism& mechanism, const FunctionRow& row, const TraceOptions& options)
      : row_(row),
        options_(options),
        lossy_(includes_losses(row, options)),
        scenes_(mechanism, instantiate<double>(mechanism, options.values),
                {row.torques_alone, row.inertias, lossy_, row.derivative_of.has_value()}, options),
        plan_(std::make_shared<const LoopPlan>(plan_loops(with_drivers(scenes_.values())))),
        candidates_(row, scenes_, *plan_, options, frame_number(mechanism, options.frame), lossy_) {
    if (scenes_.dense()) require_tree(scenes_.values(), ": --dense requires a tree", ErrorCode::usage);
  }

  Traced run() {
    row_.methods_for(kind_of(*plan_)).add(candidates_);
    const std::vector<Candidate>& list = candidates_.list();
    for (const Candidate& c : list) {
      taken_.push_back({c.method.name, cost(c.function), price(c.function, options_.objective),
                        row_.torques_alone && c.method.frames == Frames::chosen, !described(c.variant).empty()});
    }
    Chosen best = cheapest();
    if (options_.optimize && options_.search.trials > 0 && !candidates_.is_huge()) search(best);
    if (candidates_.is_huge() || options_.limbs) call_repeats(best);
    // last, so that the choice of method does not depend on it
    if (options_.optimize && options_.fused) {
      const auto fused = [](const Function& f) {
        return schedule(contract(f.with({f.arithmetic().trigonometry, true})));
      };
      best.function = fused(has_nested(best.function) ? with_calls(best.function, fused) : best.function);
    }
    Traced result = made(std::move(best.function), list[best.candidate].variant);
    result.passes = std::move(best.passes);
    sort_by_price();
    for (const std::size_t k : order_) result.methods.push_back(taken_[k]);
    return result;
  }

 private:
  void sort_by_price() {
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::size_t a, std::size_t b) { return taken_[a].price < taken_[b].price; });
  }

  Chosen cheapest() {
    const std::vector<Candidate>& list = candidates_.list();
    order_.resize(list.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    sort_by_price();
    const bool shortens = options_.optimize && !candidates_.is_huge();
    // the cheapest as traced; the savings of passes differ by less than among these
    const std::size_t tried = !shortens ? 1 : candidates_.is_large() || row_.derivative_of ? 2 : 6;
    std::optional<Chosen> best;
    std::vector<std::size_t> right, wrong;
    for (std::size_t k = 0; k < order_.size() && right.size() < tried; ++k) {
      const std::size_t index = order_[k];
      std::vector<PassReport> explained;
      Function f = list[index].function;
      bool agreed = agrees(f, list[index].variant);
      if (agreed && shortens) {
        f = optimize(f, options_.objective, &explained, SearchEffort{});
        agreed = agrees(f, list[index].variant);
      }
      (agreed ? right : wrong).push_back(index);
      if (!agreed) continue;
      taken_[index].price = price(f, options_.objective);
      if (best && taken_[index].price >= best->price) continue;
      best = Chosen{index, std::move(f), std::move(explained), taken_[index].price, true};
    }
    if (!best) {  // verification by the caller will fail
      const std::size_t first = order_.front();
      return {first, list[first].function, {}, taken_[first].price, false};
    }
    std::erase_if(order_, [&](std::size_t k) { return std::find(wrong.begin(), wrong.end(), k) != wrong.end(); });
    return std::move(*best);
  }

  void search(Chosen& best) {
    std::vector<PassReport> explained = best.passes;
    Function f = best.optimized ? searched(best.function, options_.objective, &explained, options_.search)
                                : optimize(best.function, options_.objective, &explained, options_.search);
    const double reached = price(f, options_.objective);
    if (reached >= best.price || !agrees(f, candidates_.list()[best.candidate].variant)) return;
    taken_[best.candidate].price = best.price = reached;
    best.function = std::move(f);
    best.passes = std::move(explained);
  }

  void call_repeats(Chosen& best) {
    const Candidate& candidate = candidates_.list()[best.candidate];
    std::optional<Function> called = candidates_.with_calls_for_repeats(candidate);
    if (!called || !agrees(*called, candidate.variant)) return;
    best.function = std::move(*called);
    MethodTaken& method = taken_[best.candidate];
    method.name += candidates_.is_huge() ? "; equal steps by one function" : "; equal limbs by one function";
    method.elaborate = true;
  }

  Traced made(Function f, const Variant& v) const {
    Traced result{.row = &row_,
                  .function = std::move(f),
                  .plan = plan_,
                  .parameters = scenes_.names(v),
                  .parameter_values = scenes_.parameter_values(v),
                  .methods = {},
                  .model = scenes_.values(),
                  .snap = options_.snap,
                  .frame = options_.frame,
                  .others = scenes_.others(),
                  .friction = lossy_};
    if (row_.derivative_of) result.moving = scenes_.moving();
    return result;
  }

  // A method can lose digits that another keeps if axes are nearly parallel or lengths very different.
  bool agrees(const Function& f, const Variant& v) const {
    constexpr int kStates = 20;
    return candidates_.is_huge() || verify(made(f, v), kStates).passed();
  }

  const FunctionRow& row_;
  const TraceOptions& options_;
  const bool lossy_;
  const Scenes scenes_;
  const std::shared_ptr<const LoopPlan> plan_;
  MethodList candidates_;
  std::vector<MethodTaken> taken_;
  std::vector<std::size_t> order_;
};

}  // namespace

bool includes_losses(const FunctionRow& row, const TraceOptions& options) {
  using Losses = FunctionRow::Losses;
  if (row.losses == Losses::always) return true;
  if (!options.friction || row.losses == Losses::on_request) return options.friction;
  const auto forces = [](const GroupRow& g) { return g.holds == Holds::forces; };
  if (row.derivative_of || std::any_of(row.outputs.begin(), row.outputs.end(), forces)) {
    throw Error(ErrorCode::usage,
                fmt::format("friction is included in `inverse`, `forward` and `friction` only; `{}` is made without it",
                            row.name));
  }
  return false;
}

Traced trace_function(const Mechanism& mechanism, const FunctionName& function, const TraceOptions& options) {
  return Tracer(mechanism, function.row, options).run();
}

}  // namespace lw
