#include "read_twu.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "../formula.hpp"
#include "twu_statements.hpp"

namespace lw {
namespace {

constexpr int kMostLinks = 10'000;

struct Word {
  const char* name;
  std::size_t indices;
  int last;  // largest second index
  bool is_number;
};
constexpr Word kWords[] = {{"NUML", 0, 0, true},   {"L", 1, 0, true},    {"CM", 2, 4, true},
                           {"MAS", 1, 0, true},    {"MI", 2, 3, true},   {"DIRECT", 1, 0, false},
                           {"JOINT", 1, 0, false}, {"AXIS", 1, 0, false}};

std::string upper(std::string word) {
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return word;
}

const Word* find_word(const std::string& name) {
  const std::string wanted = upper(name);
  const auto* place =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return w.name == wanted; });
  return place == std::end(kWords) ? nullptr : place;
}

class TwuReader {
 public:
  TwuReader(Mechanism& mechanism, const std::map<std::string, double>& given, NamePlaces& places,
            Complaints& complaints)
      : m_(mechanism), given_(given), places_(places), complaints_(complaints) {}

  void run(std::vector<TwuStatement> statements) {
    statements_ = std::move(statements);
    sort_out();
    parameters();
    description();
    report_missing();
    report_unused();
    if (const int count = link_count(); count > 0) {
      report_left_out(count);
      for (int i = 1; i <= count; ++i) link(i);
    }
    m_.gravity = {0.0, Formula(-names_.at("g"), {}, {}), 0.0};
  }

 private:
  using Key = std::string;  // "CM(1,2)", with the vocabulary in capitals

  static Key key(const char* word, int i, int k = 0) {
    return k > 0 ? twu_written(word, {i, k}) : twu_written(word, {i});
  }

  // Separates statements that describe the mechanism from those that give values to symbols; duplicates are errors.
  void sort_out() {
    std::map<std::string, const TwuStatement*> first;
    for (const TwuStatement& s : statements_) {
      const Word* word = find_word(s.name);
      const bool describes = word != nullptr && (word->indices == s.indices.size() || !s.after_end);
      if (describes && !usable(s, *word)) continue;
      const std::string name = describes ? twu_written(word->name, s.indices) : twu_parameter(s.name, s.indices);
      const auto [place, fresh] = first.try_emplace(name, &s);
      if (!fresh) {
        complaints_.error(s.where, fmt::format("{} is assigned twice: first in line {}", in_quotes(written(s)),
                                               place->second->where.line));
      } else if (describes) {
        description_[name] = &s;
        ordered_.emplace_back(name, &s);
      } else {
        values_[name] = &s;
        data_.emplace_back(name, &s);
      }
    }
  }

  static std::string written(const TwuStatement& s) { return twu_written(s.name, s.indices); }

  bool usable(const TwuStatement& s, const Word& word) {
    const bool range = std::all_of(s.indices.begin(), s.indices.end(), [](int i) { return i >= 1; }) &&
                       (word.indices < 2 || s.indices.size() < 2 || s.indices[1] <= word.last);
    if (s.indices.size() != word.indices || !range) {
      static constexpr const char* kForms[] = {"", "(i)", "(i,k)"};
      complaints_.error(s.where, fmt::format("{} has invalid indices", in_quotes(written(s))),
                        fmt::format("{}{}{}", word.name, kForms[word.indices],
                                    word.last > 0 ? fmt::format(", k from 1 to {}", word.last) : ""));
      return false;
    }
    if (s.after_end) {
      complaints_.error(s.where, fmt::format("{} comes after END", in_quotes(written(s))),
                        "the description must precede `;END;`; values of symbols may follow it");
      return false;
    }
    return true;
  }

  Formula formula(const TwuStatement& s) {
    bool known = true;
    for (const TwuStatement::Symbol& symbol : s.symbols) {
      used_.insert(symbol.name);
      one_spelling(symbol.name, symbol.written, s.place(symbol.at));
      if (!names_.contains(symbol.name)) known = take_given(s, symbol) && known;
    }
    if (!known) return {Expr(kUnread), s.right_where, s.right};
    auto parsed = parse_formula(s.formula, names_);
    if (const Expr* value = std::get_if<Expr>(&parsed)) return {*value, s.right_where, s.right};
    const FormulaError& fault = std::get<FormulaError>(parsed);
    const std::size_t offset = fault.offset < s.offset.size() ? s.offset[fault.offset] : s.right.size();
    complaints_.error(s.place(offset), fmt::format("{}: {}", in_quotes(written(s)), fault.message), fault.hint);
    return {Expr(kUnread), s.right_where, s.right};
  }

  // RL1 and RL(1) would be the same parameter.
  void one_spelling(const std::string& name, const std::string& written, const Location& where) {
    const auto [place, fresh] = spelling_.try_emplace(name, written);
    if (fresh || place->second == written || name == "g") return;
    complaints_.error(where,
                      fmt::format("{} and {} would both be the parameter {}", in_quotes(place->second),
                                  in_quotes(written), in_quotes(name)),
                      "rename one of them");
  }

  // A symbol without a value in the file: given from outside, or missing.
  bool take_given(const TwuStatement& s, const TwuStatement::Symbol& symbol) {
    if (const auto place = given_.find(symbol.name); place != given_.end()) {
      define(symbol.name, place->second);
      return true;
    }
    if (!values_.contains(symbol.name)) {
      if (missing_.empty()) first_missing_ = s.place(symbol.at);
      if (missing_names_.insert(symbol.name).second) missing_.push_back(symbol);
    } else if (processing_data_) {
      complaints_.error(s.place(symbol.at),
                        fmt::format("{} is not defined before line {}", in_quotes(symbol.written),
                                    values_.at(symbol.name)->where.line),
                        "a value may only use those before it");
    }
    return false;
  }

  // The formula's nodes first, then the input, because evaluation follows the order of the nodes.
  void define(const std::string& name, Formula value) {
    m_.parameters.push_back({name, std::move(value)});
    names_.insert_or_assign(name, m_.formulas->input(name));
  }

  void parameters() {
    processing_data_ = true;
    if (!values_.contains("g")) define("g", given_.contains("g") ? given_.at("g") : 9.81);
    for (const auto& [name, s] : data_) {
      if (const std::string fault = parameter_name_fault(name); !fault.empty()) {
        complaints_.error(s->where, fmt::format("invalid name of a symbol: {}", in_quotes(written(*s))), fault);
      }
      one_spelling(name, written(*s), s->where);
      define(name, formula(*s));
    }
    processing_data_ = false;
  }

  // Numbers of the description may use those before them: CM(1,1):=L(1)/2.
  void description() {
    for (const auto& [name, s] : ordered_) {
      const Word& word = *find_word(s->name);
      if (!word.is_number) continue;
      const Formula value = formula(*s);
      numbers_[name] = value;
      const std::string short_name = twu_parameter(word.name, s->indices);
      if (names_.emplace(short_name, value.value).second) spelling_.try_emplace(short_name, name);
    }
  }

  void report_missing() {
    if (missing_.empty()) return;
    constexpr std::size_t kMostListed = 30;
    std::string list;
    for (std::size_t k = 0; k < missing_.size() && k < kMostListed; ++k)
      list += (k > 0 ? ", " : "") + missing_[k].written;
    if (missing_.size() > kMostListed) list += ", …";
    complaints_.error(first_missing_,
                      fmt::format("{} without a value: {}", missing_.size() == 1 ? "a symbol" : "symbols", list),
                      fmt::format("give values in the file (`{} := 1.5;`) or on the command line (`--set {}=1.5`)",
                                  missing_[0].written, missing_[0].name));
  }

  void report_unused() {
    std::vector<std::string> known;
    for (const Word& w : kWords) known.emplace_back(w.name);
    for (const TwuStatement::Symbol& symbol : missing_)
      known.push_back(symbol.written.substr(0, symbol.written.find('(')));
    for (const auto& [name, s] : data_) {
      if (name == "g" || used_.contains(name) || complaints_.full()) continue;
      const std::string near = s->name.size() < 100 ? nearest_word(upper(s->name), known) : std::string();
      complaints_.warning(s->where, fmt::format("{} is assigned but never used", in_quotes(written(*s))),
                          near.empty() ? "" : fmt::format("did you mean {}?", in_quotes(near)));
    }
  }

  // NUML, or 0 with an error.
  int link_count() {
    const auto place = numbers_.find("NUML");
    if (place == numbers_.end()) {
      if (!description_.contains("NUML"))
        complaints_.error(m_.where, "NUML is missing", "give the number of links: NUML := 3;");
      return 0;
    }
    const Formula& f = place->second;
    const double count = f.value.is_constant() ? f.value.constant() : kUnread;
    if (count >= 1.0 && count <= kMostLinks && count == std::round(count)) return static_cast<int>(count);
    if (!f.value.is_constant() || !std::isnan(count)) {
      complaints_.error(
          f.where, fmt::format("NUML should be a whole number from 1 to {}, not {}", kMostLinks, in_quotes(f.text)));
    }
    return 0;
  }

  void report_left_out(int count) {
    for (const auto& [name, s] : ordered_) {
      if (!s->indices.empty() && s->indices[0] > count) {
        complaints_.error(s->where, fmt::format("{} belongs to link {}, but NUML is {}", in_quotes(written(*s)),
                                                s->indices[0], count));
      }
    }
    for (int i = 1; i <= count && !complaints_.full(); ++i) {
      std::string list;
      const auto need = [&](const Key& k) {
        if (!description_.contains(k)) list += (list.empty() ? "" : ", ") + k;
      };
      if (i < count) need(key("L", i));
      for (int k = 1; k <= 3; ++k) need(key("CM", i, k));
      need(key("MAS", i));
      for (int k = 1; k <= 3; ++k) need(key("MI", i, k));
      if (i < count || slides(i)) need(key("DIRECT", i));
      if (!slides(i)) need(key("AXIS", i));
      if (!list.empty()) complaints_.error(m_.where, fmt::format("link {} has no {}", i, list));
    }
  }

  // The right side as one of some words: its index, or -1 if the statement is missing or invalid.
  int choice(const Key& k, const std::vector<std::string>& words) {
    const auto place = description_.find(k);
    if (place == description_.end()) return -1;
    const auto word = std::find(words.begin(), words.end(), upper(place->second->right));
    if (word != words.end()) return static_cast<int>(word - words.begin());
    complaints_.error(place->second->right_where, fmt::format("{} should be {}, not {}", in_quotes(k),
                                                              alternatives(words), in_quotes(place->second->right)));
    return -1;
  }
  static const std::vector<std::string>& axes() {
    static const std::vector<std::string> kAxes{"X", "Y", "Z"};
    return kAxes;
  }
  bool slides(int i) const {
    const auto place = description_.find(key("JOINT", i));
    return place != description_.end() && upper(place->second->right) == "TRAN";
  }

  Formula number(const Key& k) const {
    const auto place = numbers_.find(k);
    return place != numbers_.end() ? place->second : Formula(kUnread);
  }

  void link(int i) {
    Link link;
    const auto mass = description_.find(key("MAS", i));
    link.where = mass != description_.end() ? mass->second->where : m_.where;
    link.name = link.joint.name = fmt::format("link{}", i);
    link.parent = i == 1 ? m_.base : fmt::format("link{}", i - 1);
    link.joint.where = link.joint.origin.where = link.where;
    link.joint.type = choice(key("JOINT", i), {"REV", "TRAN"}) == 1 ? JointType::prismatic : JointType::revolute;
    if (i > 1 && direction_ >= 0) link.joint.origin.xyz[static_cast<std::size_t>(direction_)] = number(key("L", i - 1));
    direction_ = choice(key("DIRECT", i), axes());
    const int about = choice(key("AXIS", i), axes());
    const bool slide = link.joint.type == JointType::prismatic;
    if (slide && about >= 0 && about != direction_) {
      complaints_.error(description_.at(key("AXIS", i))->where,
                        fmt::format("AXIS({}) contradicts DIRECT({}), the direction of this prismatic joint", i, i),
                        "remove it, or make both agree");
    }
    const int axis = slide ? direction_ : about;
    link.joint.axis = {0.0, 0.0, 0.0};
    link.joint.axis[axis >= 0 ? static_cast<std::size_t>(axis) : 2] = 1.0;
    Inertia inertia;
    inertia.where = link.where;
    inertia.mass = number(key("MAS", i));
    for (int k = 1; k <= 3; ++k) {
      inertia.com[static_cast<std::size_t>(k - 1)] = number(key("CM", i, k));
      inertia.tensor[static_cast<std::size_t>(k - 1)] = number(key("MI", i, k));
    }
    if (const auto fourth = numbers_.find(key("CM", i, 4)); fourth != numbers_.end()) {
      const Formula& f = fourth->second;
      const bool unread = f.value.is_constant() && std::isnan(f.value.constant());
      if (!unread && !f.value.is_constant(1.0)) {
        complaints_.error(f.where, fmt::format("CM({},4) should be 1, not {}", i, in_quotes(f.text)),
                          "it is the fourth homogeneous coordinate of a point");
      }
    }
    link.inertia = std::move(inertia);
    places_.links.push_back({link.where, link.where, link.where});
    m_.links.push_back(std::move(link));
  }

  Mechanism& m_;
  const std::map<std::string, double>& given_;
  NamePlaces& places_;
  Complaints& complaints_;
  std::vector<TwuStatement> statements_;
  std::map<Key, const TwuStatement*> description_;
  std::map<std::string, const TwuStatement*> values_;  // by the names of the parameters
  std::vector<std::pair<std::string, const TwuStatement*>> ordered_, data_;
  std::map<Key, Formula> numbers_;
  FormulaNames names_;
  std::set<std::string> used_;
  std::map<std::string, std::string> spelling_;  // of the symbols, by the names of the parameters
  std::vector<TwuStatement::Symbol> missing_;
  std::set<std::string> missing_names_;
  Location first_missing_;
  bool processing_data_ = false;
  int direction_ = -1;  // of the link before
};

}  // namespace

Mechanism read_twu(const std::string& text, const std::string& file, const std::map<std::string, double>& given,
                   NamePlaces& places, Complaints& complaints) {
  Mechanism mechanism;
  mechanism.name = std::filesystem::path(file).stem().string();
  mechanism.where = {file, 1, 0};
  std::vector<TwuStatement> statements = twu_statements(text, file, mechanism.summary, complaints);
  TwuReader(mechanism, given, places, complaints).run(std::move(statements));
  return mechanism;
}

}  // namespace lw
