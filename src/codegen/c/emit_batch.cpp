#include "emit_batch.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../text/banner.hpp"
#include "kernels.hpp"

namespace lw {
namespace {

// The beginning of the file: headers, and macros that distinguish names by instruction set.
constexpr const char* kBatchHead = R"(#include "HEADER"

MATH
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__GNUC__) && !defined(__clang__) /* gcc 12 takes operands of its own intrinsics for uninitialised */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define LW_PART __attribute__((noinline)) /* not inlined: one large function would take long to compile */
#define LW_JOIN_(name, set) name##set
#define LW_JOIN(name, set) LW_JOIN_(name, set)
#define LW_OWN(name) LW_JOIN(name, LW_SET)
)";

// The file includes itself once per instruction set.
constexpr const char* kSets = R"(
/* Instruction sets: those that the compiler's flags permit, and further ones if the processor supports them. This is checked
   in each call, which reads memory and takes no lock. -DLW_ONLY=512, 256 or 128 selects one. */
#if defined(__x86_64__) || defined(__i386__)
#ifdef LW_ONLY
#define LW_ALWAYS LW_ONLY
#define LW_LONGEST LW_ONLY
#else
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define LW_ALWAYS 512
#elif defined(__AVX2__) && defined(__FMA__)
#define LW_ALWAYS 256
#else
#define LW_ALWAYS 128
#endif
#define LW_LONGEST 512
#endif
#define LW_HAS_512 \
  (LW_ALWAYS == 512 || \
   (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")))
#define LW_HAS_256 (LW_ALWAYS == 256 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
#else
#define LW_ALWAYS 128
#define LW_LONGEST 128
#endif
OPEN
#if LW_LONGEST >= 512
#define LW_SET _avx512
#define LW_VECTOR 64
#define LW_LANES LANES_512
#define LW_HAS_FMA 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#include "SOURCE"
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef LW_SET
#undef LW_VECTOR
#undef LW_LANES
#undef LW_HAS_FMA
#endif

#if LW_LONGEST >= 256 && LW_ALWAYS <= 256
#define LW_SET _avx2
#define LW_VECTOR 32
#define LW_LANES LANES_256
#define LW_HAS_FMA 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "SOURCE"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef LW_SET
#undef LW_VECTOR
#undef LW_LANES
#undef LW_HAS_FMA
#endif

#if LW_ALWAYS <= 128
#define LW_SET _plain
#define LW_VECTOR 16
#define LW_LANES LANES_128
#if defined(__FMA__) || defined(__aarch64__)
#define LW_HAS_FMA 1
#else
#define LW_HAS_FMA 0 /* a b + c is rounded twice: the last bits differ from those of the other sets */
#endif
#include "SOURCE"
#undef LW_SET
#undef LW_VECTOR
#undef LW_LANES
#undef LW_HAS_FMA
#endif
)";

constexpr const char* kScalarFma = R"(
#undef LW_FMAX
#if LW_HAS_FMA
#define LW_FMAX(a, b, c) __builtin_fmax(a, b, c)
#else
#define LW_FMAX(a, b, c) ((a) * (b) + (c))
#endif
)";

constexpr const char* kFill = R"(
/* `count` rows, then copies of the last one for the remaining lanes */
LW_INLINE void lw_v_fill(size_t size, size_t count, const REAL *rows, REAL *to) {
  for (size_t k = 0; k < LW_LANES; ++k) {
    const REAL *const row = rows + size * (k < count ? k : count - 1);
    for (size_t i = 0; i < size; ++i) to[size * k + i] = row[i];
  }
}
)";

// One function of the program over a batch.
class Batch {
 public:
  Batch(const Program& program, const Function& f, const CDialect& dialect)
      : function_(f),
        names_(c_arguments(f, dialect)),
        name_(c_batch_function(program, f, dialect)),
        lanes_(c_over_lanes(c_function(program, f, dialect), 0)),
        real_(dialect.real()),
        star_(dialect.cpp ? " *__restrict " : " *restrict "),
        size_type_(dialect.cpp ? "std::size_t" : "size_t") {
    count_ = fresh("n");
  }

  std::string declaration() const { return fmt::format("void {}({})", name_, parameters(" *", true)); }
  std::string definition() const;
  std::string choice() const;

 private:
  bool is_input(std::size_t g) const { return g < function_.inputs().size(); }
  const Group& group(std::size_t g) const {
    return is_input(g) ? function_.inputs()[g] : function_.outputs()[g - function_.inputs().size()];
  }
  bool is_shared(std::size_t g) const { return is_input(g) && group(g).name == "p"; }
  // An unused name for an argument.
  std::string fresh(std::string wish) const {
    while (std::find(names_.begin(), names_.end(), wish) != names_.end()) wish += "_";
    return wish;
  }
  std::string parameters(const std::string& star, bool with_count) const {
    std::vector<std::string> list;
    if (with_count) list.push_back(size_type_ + " " + count_);
    for (std::size_t g = 0; g < names_.size(); ++g) {
      list.push_back((is_input(g) ? "const " : "") + real_ + star + names_[g]);
    }
    return fmt::format("{}", fmt::join(list, ", "));
  }
  const Function& function_;
  std::vector<std::string> names_;
  std::string name_, lanes_, real_, star_, size_type_, count_;
};

// Each iteration: rows to lanes, the function, lanes to rows. If the last states are fewer than the lanes, they go
// through separate arrays.
std::string Batch::definition() const {
  const std::string at = fresh("at"), left = fresh("left");
  std::string rest, from, fill, read, write, back;
  std::vector<std::string> lanes;
  for (std::size_t g = 0; g < names_.size(); ++g) {
    lanes.push_back(fresh(names_[g] + "_lanes"));
    const auto add = [&](std::string& text, std::string line) {
      const std::pair<const char*, std::string> meanings[] = {{"@lanes", lanes[g]},
                                                              {"@rows", fresh(names_[g] + "_rows")},
                                                              {"@rest", fresh(names_[g] + "_rest")},
                                                              {"@name", names_[g]},
                                                              {"@at", at},
                                                              {"@left", left},
                                                              {"@real", real_},
                                                              {"@size_t", size_type_},
                                                              {"@size", std::to_string(group(g).size)}};
      for (const auto& [word, meaning] : meanings) replace_all(line, word, meaning);
      text += line;
    };
    if (group(g).size == 0) {
      add(read, "    lw_v @lanes[1];\n");
      add(rest, "  (void)@name;\n");
      continue;
    }
    add(read, "    lw_v @lanes[@size];\n");
    if (is_shared(g)) {
      add(read, "    for (int k = 0; k < @size; ++k) @lanes[k] = lw_v_all(@name[k]);\n");
      continue;
    }
    add(rest, "  @real @rest[@size * LW_LANES];\n");
    if (is_input(g)) {
      add(from, "    const @real *@rows = @name + @size * @at;\n");
      add(fill, "      lw_v_fill(@size, @left, @rows, @rest);\n      @rows = @rest;\n");
      add(read, "    lw_v_read(@size, @rows, @lanes);\n");
    } else {
      add(write, "    lw_v_write(@size, @lanes, @left < LW_LANES ? @rest : @name + @size * @at);\n");
      add(back, "      for (@size_t k = 0; k < @size * @left; ++k) @name[@size * @at + k] = @rest[k];\n");
    }
  }
  return fmt::format(
      "\nstatic void {name}_own({parameters}) {{\n{rest}  for ({size} {at} = 0; {at} < {n}; {at} += LW_LANES) {{\n"
      "    const {size} {left} = {n} - {at};\n{from}    if ({left} < LW_LANES) {{\n{fill}    }}\n{read}    "
      "{function}({lanes});\n"
      "{write}    if ({left} < LW_LANES) {{\n{back}    }}\n  }}\n}}\n",
      fmt::arg("name", name_), fmt::arg("parameters", parameters(star_, true)), fmt::arg("rest", rest),
      fmt::arg("size", size_type_), fmt::arg("at", at), fmt::arg("n", count_), fmt::arg("left", left),
      fmt::arg("from", from), fmt::arg("fill", fill), fmt::arg("read", read), fmt::arg("function", lanes_),
      fmt::arg("lanes", fmt::format("{}", fmt::join(lanes, ", "))), fmt::arg("write", write), fmt::arg("back", back));
}

std::string Batch::choice() const {
  const auto run = [&](const char* set) {
    return fmt::format("{}_own{}({}, {});\n", name_, set, count_, fmt::join(names_, ", "));
  };
  return fmt::format(
      "\nvoid {}({}) {{\n#if LW_LONGEST >= 512\n  if (LW_HAS_512) {{\n    {}    return;\n  }}\n#endif\n"
      "#if LW_LONGEST >= 256 && LW_ALWAYS <= 256\n  if (LW_HAS_256) {{\n    {}    return;\n  }}\n#endif\n"
      "#if LW_ALWAYS <= 128\n  {}#endif\n}}\n",
      name_, parameters(star_, true), run("_avx512"), run("_avx2"), run("_plain"));
}

// Every name that the text defines at file scope, to be distinguished by instruction set.
std::vector<std::string> defined_names(const std::string& text) {
  std::vector<std::string> names = {"lw_v", "lw_v_bits", "lw_v_piece", "lw_v_cut"};
  if (text.find("union lw_punned") != std::string::npos) names.emplace_back("lw_punned");
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::string_view all(text.data() + line, end - line);
    line = end + 1;
    if (!all.starts_with("static ") && !all.starts_with("LW_INLINE ") && !all.starts_with("LW_PART ")) continue;
    const std::size_t close = all.find('(');
    std::size_t open = close;
    while (open > 0 && (std::isalnum(static_cast<unsigned char>(all[open - 1])) != 0 || all[open - 1] == '_')) --open;
    const std::string name(all.substr(open, close - open));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> words(const Program& program, const CDialect& dialect, bool with_names) {
  const Form form{dialect.cpp ? "c++" : "c", dialect.single_precision};
  std::vector<std::string> lines = with_names ? banner_with_names(program, form) : banner(program, form);
  lines.insert(
      lines.end(),
      {"", "Arrays have one row per state: q[6 * k] is the first coordinate of state k. All states share p.",
       "Each state has the same bits as in the function of one state, with AVX-512, with AVX2 and on ARM;",
       "without these, x86 has no fused multiply-adds, and the last bits differ if the code uses them.",
       fmt::format("Compile with gcc or clang, -O2 {} {}.", dialect.cpp ? "-std=c++20" : "-std=c11",
                   fmt::join(kCFlags, " ")),
       "-march is not needed: the processor is asked. -DLW_ONLY=512, 256 or 128 fixes the length of vectors in bits."});
  return lines;
}

}  // namespace

std::string c_batch_function(const Program& program, const Function& function, const CDialect& dialect) {
  return c_function(program, function, dialect) + "_batch";
}

std::string c_batch_name(const Program& program, const CDialect& dialect) {
  return c_name(program, dialect) + "_batch";
}

std::vector<Artefact> emit_batch(const Program& program, const CDialect& dialect, int lanes) {
  require(lanes == 4 || lanes == 8 || lanes == 16, "a batch has 4, 8 or 16 lanes");
  const std::string name = c_batch_name(program, dialect), space = c_name(program, dialect);
  const std::string vectors = (dialect.cpp ? "" : space + "_") + std::string("batch_vectors");
  std::string declarations, definitions, choices;
  for (const Function& f : program.functions) {
    const Batch batch(program, f, dialect);
    declarations += "\n" + batch.declaration() + ";\n";
    definitions += batch.definition();
    choices += batch.choice();
  }
  const std::string about =
      fmt::format("\n/* The instruction set in use: AVX-512, AVX2, NEON or none. */\nconst char *{}({})", vectors,
                  dialect.cpp ? "" : "void");
  declarations += about + ";\n";
  choices += about +
             " {\n#if LW_LONGEST >= 512\n  if (LW_HAS_512) return \"AVX-512\";\n#endif\n"
             "#if LW_LONGEST >= 256 && LW_ALWAYS <= 256\n  if (LW_HAS_256) return \"AVX2\";\n#endif\n"
             "#if defined(__aarch64__)\n  return \"NEON\";\n#else\n  return \"none\";\n#endif\n}\n";

  const std::string ending = dialect.cpp ? "pp" : "";
  std::string header = c_comment(words(program, dialect, false));
  if (dialect.cpp) {
    header += fmt::format("#pragma once\n\n#include <cstddef>\n\nnamespace {} {{\n{}\n}}  // namespace {}\n", space,
                          declarations, space);
  } else {
    std::string guard = name + "_H";
    for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    header += fmt::format(
        "#ifndef {0}\n#define {0}\n\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n{1}\n#ifdef "
        "__cplusplus\n}}\n#endif\n\n#endif\n",
        guard, declarations);
  }

  const auto fitted = [&](int bytes) {
    return std::to_string(std::min(lanes, bytes / (dialect.single_precision ? 4 : 8)));
  };
  std::string head = kBatchHead, sets = kSets, scalar_fma = kScalarFma, fill = kFill;
  replace_all(head, "HEADER", name + ".h" + ending);
  replace_all(head, "MATH", dialect.cpp ? "#include <cmath>" : "#include <math.h>");
  replace_all(sets, "LANES_512", fitted(64));
  replace_all(sets, "LANES_256", fitted(32));
  replace_all(sets, "LANES_128", fitted(16));
  replace_all(sets, "SOURCE", name + ".c" + ending);
  replace_all(sets, "OPEN\n", dialect.cpp ? fmt::format("\nnamespace {} {{\n", space) : "");
  replace_all(scalar_fma, "LW_FMAX", dialect.single_precision ? "LW_FMAF" : "LW_FMA");
  replace_all(scalar_fma, "__builtin_fmax", dialect.single_precision ? "__builtin_fmaf" : "__builtin_fma");
  replace_all(fill, "REAL", dialect.real());
  if (dialect.cpp) replace_all(fill, "size_t", "std::size_t");
  const std::string inner =
      c_lanes_source(program, dialect, 0).text + "\n" + rows_kernel_text(dialect.single_precision) + fill + definitions;
  std::string renamed = "\n/* names with one version per instruction set */\n";
  for (const std::string& own : defined_names(inner)) renamed += fmt::format("#define {0} LW_OWN({0})\n", own);
  const std::string source = c_comment(words(program, dialect, true)) + "#ifndef LW_SET\n\n" + head + renamed + sets +
                             choices + (dialect.cpp ? fmt::format("\n}}  // namespace {}\n", space) : "") +
                             "\n#else /* LW_SET: once per instruction set */\n" + scalar_fma + inner + "\n#endif\n";
  return {{name + ".h" + ending, header}, {name + ".c" + ending, source}};
}

}  // namespace lw
