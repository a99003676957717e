#include "strategies.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/formulations/lagrange.hpp"
#include "../../dynamics/formulations/twu.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/outline.hpp"
#include "../../model/require_tree.hpp"
#include "../c/c_text.hpp"
#include "../c/emit_c.hpp"
#include "../c/kernels.hpp"
#include "../contents.hpp"
#include "../scene/scenes.hpp"
#include "../text/banner.hpp"
#include "../text/statements.hpp"
#include "expansion.hpp"

namespace lw {
namespace {

// (m c)/m is c: a file gives the centre of mass c of a body, a model stores m c.
Expr divided_out(const Expr& e, const Expr& m) {
  if (e.is_constant() || m.is_constant()) return e;
  Graph* g = e.graph();
  const auto expression = [&](NodeId id) { return (*g)[id].op == Op::constant ? Expr((*g)[id].value) : Expr(g, id); };
  const Node n = (*g)[e.id()];
  if (n.op == Op::neg) return -divided_out(expression(n.a), m);
  if (n.op != Op::div || n.b != m.id()) return e;
  const Node product = (*g)[n.a];
  if (product.op == Op::neg) return -divided_out(expression(product.a) / m, m);
  if (product.op != Op::mul || (product.a != m.id() && product.b != m.id())) return e;
  return expression(product.a == m.id() ? product.b : product.a);
}

// `linkage` with centres of mass as in the file, without quotients by symbolic masses.
Linkage<Expr> linkage_in_symbols(const Model<Expr>& model) {
  Linkage<Expr> chain = linkage(model);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    auto& link = chain.links[i];
    for (int k = 0; k < 3; ++k) link.com[k] = divided_out(link.com[k], link.mass);
    const Mat3<Expr> turn = frame_with_z(model.bodies[i].axis);
    link.I = transpose(turn) * (model.bodies[i].inertia.I * turn) + outer(link.com, link.mass * link.com);
    const Expr square = link.mass * dot(link.com, link.com);
    for (int k = 0; k < 3; ++k) link.I(k, k) -= square;
  }
  return chain;
}

void require_plain_tree(const Model<double>& model, Strategy strategy) {
  const Formulation& formulation = *find_formulation(strategy == Strategy::loops ? "twu" : "lagrange");
  if (const std::string why = refusal(formulation, model); !why.empty()) throw Error(ErrorCode::usage, why);
  if (model.has_mimics) {
    throw Error(ErrorCode::usage, fmt::format("strategy `{}` does not support mimic joints, which this mechanism has",
                                              to_string(strategy)));
  }
  require_tree(model, ": --strategy requires a tree", ErrorCode::usage);
}

class StrategyMaker {
 public:
  StrategyMaker(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options)
      : strategy_(strategy),
        mechanism_(mechanism),
        options_(without_regrouping(strategy, options)),
        scenes_(mechanism, instantiate<double>(mechanism, options_.program.trace.values),
                {.torques_alone = true, .inertias = true}, options_.program.trace),
        model_(scenes_.values()) {
    if (options.program.trace.friction) throw Error(ErrorCode::usage, "strategies are for dynamics without friction");
    inputs_ = {{"q", at(model_.nq)}, {"qd", at(model_.nv)}, {"qdd", at(model_.nv)}};
    if (!options.program.trace.keep.empty()) inputs_.push_back({"p", options.program.trace.keep.size()});
    outputs_ = {{"tau", at(model_.nv)}};
  }

  StrategyCode run() {
    if (strategy_ == Strategy::recursive) return recursive();
    require_plain_tree(model_, strategy_);
    if (strategy_ == Strategy::loops) return loops();
    Function f = closed_form();
    made_.nodes = f.graph().size();
    if (strategy_ == Strategy::cse) {
      finish(f, "closed Lagrange equations; what occurs twice is computed once");
      made_.check = verify(made_.traced[0], kChecked);
      made_.files = emitted(made_.program);
      made_.operations = cost(f).operations;
      return std::move(made_);
    }
    return expand(f);
  }

 private:
  // Lagrange's equations use masses and centres of mass, which regrouped inertias may lack.
  static StrategyOptions without_regrouping(Strategy strategy, StrategyOptions options) {
    if (strategy != Strategy::recursive) options.program.trace.base_parameters = false;
    return options;
  }
  Model<Expr> model_in(const Arguments& in) const {
    return scenes_.scene(options_.program.trace.keep.empty() ? std::vector<Expr>{} : in[3], {}).model;
  }

  StrategyCode recursive() {
    made_.program = make_program(mechanism_, {"inverse"}, options_.program, &made_.traced);
    made_.check = verify(made_.traced[0], kChecked);
    made_.nodes = made_.traced[0].function.graph().size();
    made_.operations = cost(made_.traced[0].function).operations;
    made_.files = emitted(made_.program);
    return std::move(made_);
  }

  // Coordinates, velocities and accelerations of the joints, in the order of the bodies.
  static Arguments of_joints(const Model<Expr>& model, const Arguments& in) {
    Arguments x(3);
    for (const Body<Expr>& b : model.bodies) {
      x[0].push_back(in[0][at(b.q)]);
      x[1].push_back(in[1][at(b.v)]);
      x[2].push_back(in[2][at(b.v)]);
    }
    return x;
  }
  // From the torques of the linkage to those of the model: rotors, springs, force elements.
  static void complete(const Model<Expr>& model, const Arguments& in, const Arguments& x, const std::vector<Expr>& own,
                       std::vector<Expr>& tau) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Body<Expr>& b = model.bodies[i];
      tau[at(b.v)] = own[i] + b.armature * x[2][i] + b.stiffness * (x[0][i] - b.rest);
    }
    subtract_elements<Expr>(model, in[0], tau);
    add_rotor_ties<Expr>(model, in[2], tau);
  }

  Function closed_form() const {
    return trace("inverse", inputs_, outputs_, [&](const Arguments& in, Results& out) {
      const Model<Expr> model = model_in(in);
      const Linkage<Expr> chain = linkage_in_symbols(model);
      const Arguments x = of_joints(model, in);
      std::vector<Expr> own(model.bodies.size());
      lagrange<Expr>(chain, joint_poses<Expr>(chain, x[0]), x[1], x[2], own);
      complete(model, in, x, own, out[0]);
    });
  }

  // Makes a program and a traced function from a graph.
  void finish(const Function& f, const std::string& note) {
    Arithmetic arithmetic;
    arithmetic.trigonometry = options_.program.libm ? Arithmetic::Trigonometry::libm : Arithmetic::Trigonometry::own;
    made_.traced = {Traced{.row = &row_of(FunctionId::inverse),
                           .function = with_arithmetic(f, arithmetic),
                           .plan = std::make_shared<const LoopPlan>(plan_loops(model_)),
                           .parameters = scenes_.names({}),
                           .parameter_values = scenes_.parameter_values({}),
                           .methods = {{to_string(strategy_), cost(f), 0.0, false, false}},
                           .model = model_,
                           .snap = options_.program.trace.snap,
                           .others = scenes_.others()}};
    Program& p = made_.program;
    p.name = identifier(mechanism_.name);
    p.robot = mechanism_.summary.empty() ? mechanism_.name : mechanism_.name + ": " + mechanism_.summary;
    p.source = mechanism_.where.file;
    p.kept = scenes_.names({});
    p.kept_values = scenes_.parameter_values({});
    p.functions = {made_.traced[0].function};
    p.contents = contents(made_.traced[0]);
    p.notes = {fmt::format("strategy {}: {}", to_string(strategy_), note)};
  }

  std::vector<Artefact> emitted(const Program& p) const { return options_.cpp ? emit_cpp(p) : emit_c(p); }
  std::string source_name() const { return made_.program.name + (options_.cpp ? ".cpp" : ".c"); }

  Function signature() const {
    return trace("inverse", inputs_, outputs_, [](const Arguments&, Results& out) {
      for (Expr& e : out[0]) e = Expr(0.0);
    });
  }
  // The header is that of any function except for its cost; the source is given.
  void with_source(const std::string& text) {
    Program declared = made_.program;
    declared.functions = {signature()};
    made_.files = emitted(declared);
    const OperationCount& o = made_.operations;
    for (Artefact& file : made_.files) {
      replace_all(file.text, described(cost(declared.functions[0])),
                  fmt::format("{} multiplications, {} additions, {} trigonometric functions", o.multiplications,
                              o.additions, o.trigonometric));
      if (file.path == source_name()) file.text = text;
    }
  }
  CDialect dialect() const {
    CDialect d;
    d.cpp = options_.cpp;
    return d;
  }
  std::string opening() const {
    Program described = made_.program;
    described.functions.clear();  // because their costs are not those of this text
    return c_comment(banner(described, {options_.cpp ? "c++" : "c"})) +
           fmt::format("#include \"{}.{}\"\n", made_.program.name, options_.cpp ? "hpp" : "h");
  }
  std::string in_namespace(const std::string& text) const {
    return options_.cpp ? fmt::format("\nnamespace {0} {{\n{1}\n}}  // namespace {0}\n", made_.program.name, text)
                        : text;
  }
  std::string definition() const {
    return c_declaration(made_.program, made_.program.functions[0], dialect()) + " {\n";
  }

  // --- expand

  StrategyCode expand(const Function& closed) {
    const std::vector<Expansion> sums = expanded(closed, options_.most_terms);
    if (sums.empty()) {
      throw Error(ErrorCode::usage,
                  fmt::format("strategy `expand`: the equations of {} have more than {} terms when multiplied out, or "
                              "need {} intermediate products; use `cse`, which shares common subexpressions",
                              mechanism_.name, options_.most_terms, kProductsPerTerm * options_.most_terms));
    }
    // as a graph, for verification; it shares products, which the text does not
    const Function f = trace("inverse", inputs_, outputs_, [&](const Arguments& in, Results& out) {
      std::vector<Expr> all;
      for (const auto& group : in) all.insert(all.end(), group.begin(), group.end());
      for (std::size_t r = 0; r < sums.size(); ++r) {
        out[0][r] = Expr(0.0);
        for (const auto& [term, c] : sums[r]) {
          Expr product(c.value);
          for (const std::uint32_t id : term) product = product * literal_value(closed, id, all);
          out[0][r] += product;
        }
      }
    });
    finish(f, "Lagrange's equations multiplied out");
    made_.check = verify(made_.traced[0], kChecked);
    with_source(opening() + "#include <math.h>\n" + in_namespace(expanded_text(closed, sums)));
    return std::move(made_);
  }

  // Sines and cosines once; each sum in parts of some terms, because compile time grows faster than linearly.
  std::string expanded_text(const Function& closed, const std::vector<Expansion>& sums) {
    OperationCount& count = made_.operations;
    const std::vector<std::string> arguments = c_arguments(made_.program.functions[0], dialect());
    struct Written {
      std::string name;     // as written in a term
      std::string from;     // its array
      std::string defined;  // "s1 = w[0]", for sines and cosines
    };
    std::map<std::uint32_t, Written> literals;
    std::string sines;
    const auto input = [&](std::size_t k) {
      std::size_t g = 0;
      for (; k >= inputs_[g].size; ++g) k -= inputs_[g].size;
      return Written{fmt::format("{}[{}]", arguments[g], k), arguments[g], ""};
    };
    const auto written = [&](std::uint32_t id) -> const Written& {
      const auto found = literals.find(id);
      if (found != literals.end()) return found->second;
      const Node& n = closed.graph()[id];
      if (n.op == Op::input) return literals[id] = input(n.a);
      const std::size_t coordinate = closed.graph()[n.a].a;
      const std::string name = fmt::format("{}{}", n.op == Op::sin ? "s" : "c", coordinate + 1);
      sines += fmt::format("  w[{}] = {}({});\n", count.trigonometric, n.op == Op::sin ? "sin" : "cos",
                           input(coordinate).name);
      return literals[id] = {name, "w", fmt::format("{} = w[{}]", name, count.trigonometric++)};
    };
    std::string list, given;
    for (std::size_t g = 0; g < inputs_.size(); ++g) {
      list += fmt::format("const double *{}, ", arguments[g]);
      given += arguments[g] + ", ";
    }
    constexpr std::size_t kTermsInAPart = 200;
    std::string parts, calls;
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const std::string result = fmt::format("{}[{}]", arguments.back(), r);
      calls += fmt::format("  {} = 0.0;\n", result);
      std::size_t part = 0;
      for (auto term = sums[r].begin(); term != sums[r].end();) {
        std::set<std::string> used, defined;
        std::string sum;
        for (std::size_t k = 0; k < kTermsInAPart && term != sums[r].end(); ++k, ++term) {
          const double c = term->second.value;
          const bool unit = std::abs(c) == 1.0 && !term->first.empty();
          std::string factors = unit ? "" : shortest(std::abs(c));
          for (const std::uint32_t id : term->first) {
            const Written& w = written(id);
            factors += (factors.empty() ? "" : "*") + w.name;
            used.insert(w.from);
            if (!w.defined.empty()) defined.insert(w.defined);
          }
          sum += fmt::format(" {}\n      {}", c < 0.0 ? "-" : k == 0 ? "" : "+", factors);
          count.multiplications += static_cast<std::int64_t>(term->first.size()) + (unit ? 0 : 1) - 1;
          ++count.additions;
        }
        const std::string name = fmt::format("sum{}_{}", r + 1, ++part);
        parts += fmt::format("\nstatic double {}({}const double *w) {{\n", name, list);
        if (!defined.empty()) parts += fmt::format("  const double {};\n", fmt::join(defined, ", "));
        for (std::size_t g = 0; g < inputs_.size(); ++g) {
          if (!used.contains(arguments[g])) parts += fmt::format("  (void){};\n", arguments[g]);
        }
        if (!used.contains("w")) parts += "  (void)w;\n";
        parts += fmt::format("  return{};\n}}\n", sum);
        calls += fmt::format("  {} += {}({}w);\n", result, name, given);
      }
    }
    return fmt::format("{}\n{}  double w[{}];\n{}{}}}\n", parts, definition(),
                       std::max<std::int64_t>(count.trigonometric, 1), sines, calls);
  }

  // A literal of the closed form in a new trace.
  static Expr literal_value(const Function& f, NodeId id, const std::vector<Expr>& inputs) {
    const Node& n = f.graph()[id];
    if (n.op == Op::input) return inputs[n.a];
    const NodeId angle = n.a;
    if ((n.op != Op::sin && n.op != Op::cos) || f.graph()[angle].op != Op::input) {
      throw Error(
          ErrorCode::usage,
          "strategy `expand` supports sums and products of sines and cosines of coordinates; this mechanism has "
          "other functions");
    }
    return n.op == Op::sin ? sin(inputs[f.graph()[angle].a]) : cos(inputs[f.graph()[angle].a]);
  }

  // --- loops

  StrategyCode loops() {
    const std::size_t n = model_.bodies.size();
    std::vector<Group> matrices;
    for (const char* name : {"A", "rate", "rate_rate", "by_q", "rate_by_q"}) matrices.push_back({name, 12 * n});
    std::vector<Group> basic_outputs = matrices;
    basic_outputs.insert(basic_outputs.end(), {{"r", 3 * n}, {"mass", n}, {"gravity", 3}});
    const Function basic = trace("basic", inputs_, basic_outputs, [&](const Arguments& in, Results& out) {
      const Model<Expr> model = model_in(in);
      const Linkage<Expr> chain = linkage_in_symbols(model);
      const Arguments x = of_joints(model, in);
      const std::vector<Transform<Expr>> poses = joint_poses<Expr>(chain, x[0]);
      for (std::size_t i = 0; i < n; ++i) {
        const auto m = detail::twu_matrices<Expr>(chain.links[i], poses[i], x[1][i], x[2][i]);
        const Homogeneous<Expr>* all[] = {&m.A, &m.rate, &m.rate_rate, &m.by_q, &m.rate_by_q};
        for (std::size_t g = 0; g < 5; ++g) {
          for (int c = 0; c < 4; ++c) {
            for (int r = 0; r < 3; ++r) out[g][12 * i + at(3 * c + r)] = c < 3 ? all[g]->R(r, c) : all[g]->p[r];
          }
        }
        for (int r = 0; r < 3; ++r) out[5][3 * i + at(r)] = chain.links[i].com[r];
        out[6][i] = chain.links[i].mass;
      }
      for (int r = 0; r < 3; ++r) out[7][at(r)] = chain.gravity[r];
    });
    // rotation, rotors, springs
    const Function rest = trace("rest", inputs_, outputs_, [&](const Arguments& in, Results& out) {
      const Model<Expr> model = model_in(in);
      const Linkage<Expr> chain = linkage_in_symbols(model);
      const Arguments x = of_joints(model, in);
      std::vector<Expr> turning(n);
      detail::twu_turning<Expr>(chain, joint_poses<Expr>(chain, x[0]), x[1], x[2], turning);
      complete(model, in, x, turning, out[0]);
    });
    finish(signature(),
           "matrices of the joints as assignments, velocities by loops over groups of them (Twu 1987, chapter 4)");
    made_.nodes = basic.graph().size() + rest.graph().size();
    made_.operations = cost(basic).operations;
    add_to(made_.operations, cost(rest).operations);
    const auto ways = joints_to(linkage(model_));
    add_to(made_.operations, loop_operations(ways));

    Program parts = made_.program;
    parts.functions.clear();
    for (const Function& f : {basic, rest})
      parts.functions.push_back(with_arithmetic(f, made_.traced[0].function.arithmetic()));
    const LanesSource code = c_lanes_source(parts, dialect(), 1);
    std::string tables = fmt::format("\n#define LW_LINKS {}\nstatic const int lw_way_length[LW_LINKS] = {{", n), list,
                velocities;
    for (std::size_t i = 0; i < n; ++i) {
      tables += fmt::format("{}{}", i == 0 ? "" : ", ", ways[i].size());
      list += fmt::format("{}{{{}}}", i == 0 ? "" : ", ", fmt::join(ways[i], ", "));
      velocities += fmt::format("{}{}", i == 0 ? "" : ", ", model_.bodies[i].v);
    }
    tables += fmt::format(
        "}};\nstatic const int lw_way[LW_LINKS][LW_LINKS] = {{{}}};\nstatic const int lw_velocity[LW_LINKS] = "
        "{{{}}};\n\n",
        list, velocities);
    const std::vector<std::string> names = c_arguments(made_.program.functions[0], dialect());
    std::string inputs;
    for (std::size_t k = 0; k + 1 < names.size(); ++k) inputs += (k == 0 ? "" : ", ") + names[k];
    std::string call = definition(), arrays;
    for (const Group& g : basic_outputs) {
      call += fmt::format("  double {}_[{}];\n", g.name, g.size);
      arrays += ", " + g.name + "_";
    }
    const auto called = [&](const Function& f) { return c_function(parts, f, dialect()); };
    call += fmt::format("  {}({}{});\n  {}({}, {});\n  lw_add_loops({}, {});\n}}\n", called(basic), inputs, arrays,
                        called(rest), inputs, names.back(), arrays.substr(2), names.back());
    with_source(opening() + code.preamble + in_namespace(code.text + tables + loops_kernel_text() + "\n" + call));
    return std::move(made_);
  }

  // Counts the operations that loops_kernel.h executes.
  static OperationCount loop_operations(const std::vector<std::vector<std::size_t>>& ways) {
    OperationCount c;
    for (const auto& way : ways) {
      const auto size = static_cast<std::int64_t>(way.size());
      const auto group = [&](std::int64_t derivative) {
        c.multiplications += 9 * size;
        c.additions += 6 * size + 3 * (size - derivative) + 3;
      };
      for (std::int64_t l = 0; l < size; ++l) {
        group(l);
        for (std::int64_t m = 0; m < size; ++m) {
          for (int times = 0; times < 3; ++times) group(std::max(l, m));  // v̇, and both derivatives for j = m
        }
        group(l);  // ∂v/∂q̇
        c.multiplications += 7;
        c.additions += 13;
      }
    }
    return c;
  }

  static constexpr int kChecked = 100;
  const Strategy strategy_;
  const Mechanism& mechanism_;
  const StrategyOptions options_;
  const Scenes scenes_;
  const Model<double>& model_;
  std::vector<Group> inputs_, outputs_;
  StrategyCode made_;
};

}  // namespace

const char* to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::expand: return "expand";
    case Strategy::loops: return "loops";
    case Strategy::cse: return "cse";
    case Strategy::recursive: return "recursive";
  }
  return "";
}

StrategyCode make_by(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options) {
  return StrategyMaker(strategy, mechanism, options).run();
}

}  // namespace lw
