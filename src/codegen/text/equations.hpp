// A function for people to read: its equations in mathematical notation, grouped by quantity and link.
//
// Names are parsed: omega2_x is component x of the quantity omega of body 2, and minus_omega2_x is its negative, for
// which ω is written with the opposite sign. Sections follow the sweeps over the links and the dependences, so that
// every quantity is defined before it is used. Products are written with numbers first and with powers; the value is
// that of the code, the order of rounding is not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program.hpp"
#include "statements.hpp"

namespace lw {

struct Symbol {
  std::string quantity, body, component;  // "omega", "2", "x"; sin_q2_q3 is the sine, "23"
  bool negative = false;                  // the variable is the negative of what the symbol means
  bool is_users = false;                  // a name from the file, printed unchanged: `quantity` is the whole name
};
Symbol parsed(const std::string& name);

// The sweep over the links in which a quantity is computed: from the base to the tips, or back.
enum class Sweep { none, outward, inward };

// The meaning of a quantity, for those that the algorithms name and common ones of textbooks.
struct Meaning {
  const char* quantity;
  const char* latex;
  const char* unicode;
  const char* words;
  const char* unit;
  Sweep sweep = Sweep::none;
};
const Meaning* meaning(const std::string& quantity);  // nullptr: unknown
bool is_auxiliary(const Symbol& symbol);              // t17, which has no meaning of its own
// Remarks for readers of these quantities; `mark` is the notation for quantities in the axes of a carrier.
std::vector<std::string> remarks(const std::vector<const Meaning*>& quantities, const std::string& mark);
// Which functions use link axes other than the file's, and how these are chosen; empty if none does.
std::string chosen_frames(const Program& program);
// All quantities in the names of the program's values, in the order of the table of meanings.
std::vector<const Meaning*> named_quantities(const Program& program);

// How a back end writes mathematics.
class Notation {
 public:
  virtual ~Notation() = default;
  virtual std::string number(double value) const = 0;
  virtual std::string symbol(const Symbol& symbol) const = 0;
  virtual std::string function(Op op, const std::vector<std::string>& arguments) const = 0;
  virtual std::string product(const std::vector<std::string>& factors) const = 0;
  virtual std::string fraction(const std::string& above, const std::string& below) const = 0;
  virtual std::string power(const std::string& base, int exponent) const = 0;
  virtual std::string brackets(const std::string& inside) const = 0;
  virtual const char* minus() const = 0;
};

// left = Σ ± terms; a long equation is broken between terms.
struct Equation {
  Symbol left;
  struct Term {
    bool negative = false;
    std::string text;
  };
  std::vector<Term> right;
  std::string step;  // instead of terms: a call or a solve, in words
  NodeId node = 0;
  bool defines = false;               // other equations use `left` for the node
  std::optional<std::size_t> result;  // its index in Function::results()
  std::vector<NodeId> reads;          // nodes with symbols: variables and inputs
};

struct Section {
  std::string quantity, body;  // empty: the sines and cosines, or results without names
  std::vector<Equation> equations;
};

class Equations {
 public:
  // `kept`: names of the elements of the input `p`.
  Equations(const Function& function, const Notation& notation, std::vector<std::string> kept = {});

  const std::vector<Section>& sections() const { return sections_; }
  // The symbol of a node in equations.
  Symbol symbol_of(NodeId id) const;
  // All quantities with a known meaning that occur, in the order of the table of meanings.
  std::vector<const Meaning*> quantities() const;
  // Whether sines or cosines of sums of joint angles occur.
  bool has_angle_sums() const;

 private:
  using Terms = std::vector<Equation::Term>;

  Symbol symbol_of_result(std::size_t index) const;
  class Arrangement;
  void arrange();  // arrangement.cpp
  void add(const Statement& s, Section& section);
  Terms sum(NodeId id, bool definition, bool negative = false) const;
  bool is_negative(NodeId id) const;
  std::string symbol_or(NodeId id) const;
  void collect(NodeId id, bool definition, bool negative, Terms& terms) const;
  void collect_factors(NodeId id, bool definition, bool below, bool& negative, std::vector<NodeId>& above,
                       std::vector<NodeId>& under) const;
  Equation::Term product(NodeId id, bool definition) const;
  std::string written(NodeId id, bool definition) const;  // a sum as one text
  std::string factor(NodeId id) const;
  std::string factors(const std::vector<NodeId>& ids) const;
  std::string step(NodeId id) const;

  const Function& function_;
  const Graph& graph_;
  const Notation& notation_;
  std::vector<std::string> kept_;
  Statements statements_;
  std::vector<Section> sections_;
};

// "Inverse dynamics" for inverse; the name itself if it is not in the table of functions.
std::string title(const Function& function);
// Called functions come before their callers; each once.
std::vector<const Function*> with_called(const Program& program);

// Terms joined by their signs.
std::string joined(const std::vector<Equation::Term>& terms, const Notation& notation);

}  // namespace lw
