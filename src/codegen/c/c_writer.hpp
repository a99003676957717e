// Writes C: functions in an order in which each follows those that it calls. c_body.cpp writes the statements of a
// function, c_loops.cpp a function that is mostly calls, c_helpers.cpp what precedes all functions. Used by the files
// c_*.cpp only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "../text/statements.hpp"
#include "c_text.hpp"
#include "calls_together.hpp"

namespace lw {

// Needed by functions over so many lanes: library functions lane by lane, and kernels for sines and for angles of
// points.
struct LanesNeeds {
  std::set<Op> library;
  bool sincos[2] = {false, false}, arcs[2] = {false, false};
};

// The helpers and headers that a text needs.
struct Needs {
  bool math = false, fma = false, linear = false;
  std::set<std::size_t> sincos[2];  // numbers of angles per kernel call, without and with fused multiply-adds
  std::set<std::size_t> arcs[2];    // the same for points
  std::set<Op> helpers;             // min, max, less, select
  std::set<std::string> masks;      // variables of the current function that are comparisons, not numbers
  std::map<int, LanesNeeds> lanes;
};

struct Share;

class CWriter {
 public:
  CWriter(const Program& program, const CDialect& dialect) : dialect_(dialect), prefix_(c_name(program, dialect)) {
    for (const Function& f : program.functions) symbols_.insert(c_function(program, f, dialect));
  }

  // Definitions of the functions that it calls, then its own; over numbers or over lanes.
  void define(const Function& function, const std::string& name, bool is_static, int lanes = 1);
  // The share of a processor (emit_divided.hpp): static int NAME(SHARED *shared, …, unsigned long long base), where
  // base is the number of segments before this evaluation, and NAME_segmentK(shared, …). Returns how many numbers
  // segments pass to each other.
  std::size_t define(const Share& share, int processor, const std::string& name, const std::string& shared);

  std::string text;
  Needs needs;

 private:
  struct Body;
  class Loops;
  const std::string& nested(const Function& function, int lanes = 1);
  void newton(const Function& residual);
  void own_steps(const Solve& solve, bool with_residual, int lanes);
  std::string body(const Function& function, const std::string& name, bool is_static, int lanes,
                   const std::vector<CallsTogether>& groups);
  std::size_t write_share(const Share& share, int processor, const std::string& name, const std::string& shared,
                          const std::vector<CallsTogether>& groups);
  void define_called(const Function& function, int lanes, const std::vector<CallsTogether>& groups);
  std::string loops(const Function& function, const std::string& name);

  const CDialect& dialect_;
  std::string prefix_;
  std::map<std::pair<const Function*, int>, std::string> nested_;  // by lanes
  std::map<const Function*, Function> tangents_;                   // of residuals
  // functions for solves with steps of their own; by lanes, with or without the final residual
  std::map<std::tuple<const Function*, int, bool>, std::string> own_steps_;
  std::set<std::string> symbols_;
};

// A comparison as a number and as a mask.
inline const std::string kLess = "lw_less(", kBelow = "lw_below(";
inline bool is_sine(const Node& n) { return n.op == Op::sin || n.op == Op::cos; }
// The angle of a point; its kernel exists for double only.
inline bool is_arc(const Node& n, const CDialect& dialect) {
  return (n.op == Op::atan || n.op == Op::atan2) && !dialect.single_precision;
}
// How C writes numbers and operations. Adds what they need to `needs`; this and the dialect must outlive it.
Language c_language(const CDialect& dialect, bool kernel, Needs& needs, std::set<std::string> taken, int lanes);
// void NAME(const double *restrict q, double *restrict tau)
std::string c_signature(const Statements& names, const std::string& name, const CDialect& dialect, bool restricted,
                        int lanes = 1);
// sin, std::sin, sinf.
std::string library_name(Op op, const CDialect& dialect);
// Replaces REAL, ONE and similar words in a text that is common to double and float.
void choose_precision(std::string& text, const CDialect& dialect);
// Adds a line of code; a long one is broken after commas, or else at blanks.
void add_line(std::string& text, const std::string& line, std::size_t indent);
inline constexpr const char* kAligned = "__attribute__((aligned(64)))";  // for vectors of any length

// What must precede a text: macros and headers; then helpers and kernels, in a namespace or not. `code`: the text.
std::string c_preamble(const Needs& needs, bool has_parts, const CDialect& dialect);
std::string c_helpers(const Needs& needs, const CDialect& dialect, const std::string& code);

}  // namespace lw
