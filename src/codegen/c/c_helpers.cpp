#include <span>

#include <fmt/format.h>

#include "c_writer.hpp"
#include "kernels.hpp"

namespace lw {
namespace {

// Left out if nothing calls it.
struct Helper {
  const char *call, *text;
};
constexpr Helper kExtremes[] = {{"lw_min(", "static inline REAL lw_min(REAL a, REAL b) { return b < a ? b : a; }\n"},
                                {"lw_max(", "static inline REAL lw_max(REAL a, REAL b) { return a < b ? b : a; }\n"}};

// Signs of velocities and torques are unpredictable: values that depend on them are selected without branches. x86
// compilers need intrinsics for this; with general vector types some would go through mask registers.
constexpr Helper kChoices[] = {
    {"lw_below(",
     "static inline lw_mask lw_below(REAL a, REAL b) { return _mm_cmplt_sS(_mm_set_sS(a), _mm_set_sS(b)); }\n"},
    {"lw_nonzero(",
     "static inline lw_mask lw_nonzero(REAL a) { return _mm_cmpneq_sS(_mm_set_sS(a), _mm_setzero_pS()); }\n"},
    {"lw_chosen(", R"(static inline REAL lw_chosen(lw_mask where, REAL a, REAL b) {
  const lw_mask x = _mm_and_pS(where, _mm_set_sS(a)), y = _mm_andnot_pS(where, _mm_set_sS(b));
  return _mm_cvtsS_fBITS(_mm_or_pS(x, y));
}
)"}};
constexpr Helper kPlainChoices[] = {
    {"lw_below(", "static inline lw_mask lw_below(REAL a, REAL b) { return a < b; }\n"},
    {"lw_nonzero(", "static inline lw_mask lw_nonzero(REAL a) { return a != ZERO; }\n"},
    {"lw_chosen(", "static inline REAL lw_chosen(lw_mask where, REAL a, REAL b) { return where ? a : b; }\n"}};
constexpr const char* kLessByChoice =
    "static inline REAL lw_less(REAL a, REAL b) { return lw_chosen(lw_below(a, b), ONE, ZERO); }\n";
constexpr const char* kChoicesHeader = R"(
#ifdef __SSE2__
#include <emmintrin.h>
#endif
)";

bool makes_choices(const std::set<Op>& ops) { return ops.contains(Op::less) || ops.contains(Op::select); }

std::string helpers(const std::set<Op>& ops, const CDialect& dialect, std::string code) {
  std::string text;
  const auto add = [&](std::span<const Helper> list) {
    for (const Helper& h : list) text += code.find(h.call) == std::string::npos ? "" : h.text;
  };
  add(kExtremes);
  if (makes_choices(ops)) {
    const bool as_number = code.find(kLess) != std::string::npos;
    if (as_number) code += kLessByChoice;
    text += "#ifdef __SSE2__\ntypedef __m128D lw_mask;\n";
    add(kChoices);
    text += "#else\ntypedef int lw_mask;\n";
    add(kPlainChoices);
    text += "#endif\n";
    if (as_number) text += kLessByChoice;
    const bool single = dialect.single_precision;
    for (const auto& [from, to] : {std::pair("__m128D", single ? "__m128" : "__m128d"),
                                   {"BITS", single ? "32" : "64"},
                                   {"_sS(", single ? "_ss(" : "_sd("},
                                   {"_pS(", single ? "_ps(" : "_pd("},
                                   {"cvtsS", single ? "cvtss" : "cvtsd"}}) {
      replace_all(text, from, to);
    }
  }
  choose_precision(text, dialect);
  return text;
}

// lw_sincos4(s, a, b, c, d): four sines, then four cosines. The angles become a vector in registers; through memory,
// loading the vector would wait for the stores of its elements.
std::string sincos_of(std::size_t width, const CDialect& dialect) {
  const char* letters = "abcdefgh";
  std::vector<std::string> names, arguments;
  for (std::size_t k = 0; k < width; ++k) {
    names.emplace_back(1, letters[k]);
    arguments.push_back(fmt::format("{} {}", dialect.real(), letters[k]));
  }
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ", "));
  std::string text = fmt::format("\nstatic inline void lw_sincos{}({} *sine, {}) {{\n", width, dialect.real(),
                                 fmt::join(arguments, ", "));
  if (width == 1) {
    text += fmt::format("  const {} x[1] = {};\n", dialect.real(), list);
  } else {
    text += fmt::format(
        "#ifdef __GNUC__\n  typedef {0} lw_lanes __attribute__((vector_size({1} * sizeof({0}))));\n"
        "  const lw_lanes lanes = {2};\n  {0} x[{1}];\n  __builtin_memcpy(x, &lanes, sizeof x);\n"
        "#else\n  const {0} x[{1}] = {2};\n#endif\n",
        dialect.real(), width, list);
  }
  return text +
         fmt::format("  lw_sincos{0}({1}, x, sine, sine + {1});\n}}\n", dialect.single_precision ? "f" : "", width);
}

// lw_arcs4(a, y, y, y, y, x, x, x, x): angles of four points, which become vectors in the same way.
std::string arcs_of(std::size_t width) {
  std::vector<std::string> arguments[2], lists;
  std::string text;
  for (std::size_t g = 0; g < 2; ++g) {
    const char* name = g == 0 ? "y" : "x";
    for (std::size_t k = 0; k < width; ++k) arguments[g].push_back(fmt::format("{}{}", name, k + 1));
    lists.push_back(fmt::format("{{{}}}", fmt::join(arguments[g], ", ")));
  }
  text += fmt::format("\nstatic inline void lw_arcs{}(double *arc, double {}, double {}) {{\n", width,
                      fmt::join(arguments[0], ", double "), fmt::join(arguments[1], ", double "));
  const std::string plain = fmt::format("  const double y[{0}] = {1}, x[{0}] = {2};\n", width, lists[0], lists[1]);
  if (width == 1) {
    text += plain;
  } else {
    text += fmt::format(
        "#ifdef __GNUC__\n  typedef double lw_lanes __attribute__((vector_size({0} * sizeof(double))));\n"
        "  const lw_lanes ys = {1}, xs = {2};\n  double y[{0}], x[{0}];\n  __builtin_memcpy(y, &ys, sizeof y);\n"
        "  __builtin_memcpy(x, &xs, sizeof x);\n#else\n{3}#endif\n",
        width, lists[0], lists[1], plain);
  }
  return text + fmt::format("  lw_arcs({}, y, x, arc);\n}}\n", width);
}

// Library functions lane by lane: no vector instruction has their bits.
constexpr const char* kLibrary = R"(LW_INLINE VALUE VALUE_NAME_(ARGUMENTS) {
  for (int k = 0; k < LANES; ++k) a[k] = CALL;
  return a;
}
#define VALUE_NAME(LIST) VALUE_NAME_(WRAPPED)
)";

std::string library_of(Op op, int lanes, const CDialect& dialect) {
  const bool two = op == Op::atan2;
  std::string text = kLibrary;
  replace_all(text, "ARGUMENTS", two ? "VALUE a, VALUE b" : "VALUE a");
  replace_all(text, "WRAPPED", two ? "VALUE_all(a), VALUE_all(b)" : "VALUE_all(a)");
  replace_all(text, "LIST", two ? "a, b" : "a");
  replace_all(text, "CALL", library_name(op, dialect) + (two ? "(a[k], b[k])" : "(a[k])"));
  replace_all(text, "NAME", function_name(op));
  replace_all(text, "VALUE", c_value(dialect, lanes));
  replace_all(text, "LANES", lanes == 0 ? "LW_LANES" : std::to_string(lanes));
  return text;
}

// Compares as signed numbers, as AVX2 does; sizes are unsigned.
constexpr const char* kBelowMacro =
    "#define LW_BELOW(size, limit) (({0}_bits)((__typeof__(({0})(size) < ({0})(size)))(size) < (long long)(limit)))\n";

// The type lw_v4 and everything that functions over it need.
std::string lanes_text(int lanes, const LanesNeeds& needs, const CDialect& dialect) {
  const std::string value = c_value(dialect, lanes);
  std::string text = lanes_kernel_text(dialect.single_precision);
  if (lanes != 0) {
    replace_all(text, "LW_LANES", std::to_string(lanes));
    replace_all(text, "lw_v", value);
  }
  for (const Op op : needs.library) text += library_of(op, lanes, dialect);
  const auto over_lanes = [&](std::string kernel, const std::string& name, const std::string& called, bool fused,
                              const std::string& macros) {
    kernel = kernel.substr(kernel.find("*/\n") + 3);  // its explanation is in the scalar kernel or in the documentation
    replace_all(kernel, name, value + (fused ? "_fused_" : "_") + called);
    replace_all(kernel, dialect.single_precision ? "LW_FMAF" : "LW_FMA", value + "_fma");
    text += fmt::format(
        "\n#define LW_SINCOS_FUSED {}\n#define LW_NUMBER {}\n#define LW_WORD {}_bits\n#define LW_BITS(x) "
        "(({}_bits)(x))\n"
        "#define LW_OF_BITS(b) (({})(b))\n{}{}#undef LW_SINCOS_FUSED\n",
        fused ? "LW_HAS_FMA" : "0", value, value, value, value, macros, kernel);
  };
  for (const bool fused : {false, true}) {
    if (needs.sincos[fused] && dialect.single_precision)
      over_lanes(sincosf_kernel_text(), "lw_sincosf", "sincos", fused, "");
    else if (needs.sincos[fused])
      over_lanes(sincos_kernel_text(), "lw_sincos", "sincos", fused, fmt::format(kBelowMacro, value));
    if (needs.arcs[fused]) over_lanes(arcs_kernel_text(), "lw_arcs", "arcs", fused, "");
  }
  return text;
}

constexpr const char* kVectors = R"(
/* bytes of the longest vectors that this file is compiled for */
#if defined(__AVX512F__)
#define LW_VECTOR 64
#elif defined(__AVX__)
#define LW_VECTOR 32
#else
#define LW_VECTOR 16
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
)";

constexpr const char* kPart = R"(
/* parts are not inlined: one large function would take long to compile */
#ifdef __GNUC__
#define LW_PART __attribute__((noinline))
#else
#define LW_PART
#endif
)";

// Two kernels in one file, with and without fused multiply-adds, need different names.
std::string kernel_text(bool fused, const std::set<std::size_t>& sines, const std::set<std::size_t>& arcs,
                        const CDialect& dialect) {
  std::string text;
  if (!sines.empty()) text += dialect.single_precision ? sincosf_kernel_text() : sincos_kernel_text();
  for (const std::size_t width : sines) text += sincos_of(width, dialect);
  if (!arcs.empty()) text += (sines.empty() ? "" : "\n") + arcs_kernel_text();
  for (const std::size_t width : arcs) text += arcs_of(width);
  if (fused) replace_all(text, "lw_", "lw_fused_");
  return fmt::format("#define LW_SINCOS_FUSED {}\n{}#undef LW_SINCOS_FUSED\n", fused ? "LW_HAS_FMA" : "0", text);
}

}  // namespace

std::string c_helpers(const Needs& needs, const CDialect& dialect, const std::string& code) {
  std::string text;
  if (!needs.helpers.empty()) text += "\n" + helpers(needs.helpers, dialect, code);
  for (const bool fused : {false, true}) {
    if (needs.sincos[fused].empty() && needs.arcs[fused].empty()) continue;
    text += "\n" + kernel_text(fused, needs.sincos[fused], needs.arcs[fused], dialect);
  }
  for (const auto& [lanes, used] : needs.lanes) text += "\n" + lanes_text(lanes, used, dialect);
  return text;
}

std::string c_preamble(const Needs& needs, bool has_parts, const CDialect& dialect) {
  std::string text;
  bool math = needs.math, fused = needs.fma || !needs.sincos[1].empty() || !needs.arcs[1].empty();
  for (const auto& [lanes, used] : needs.lanes) math = math || !used.library.empty();
  if (math) text += dialect.cpp ? "\n#include <cmath>\n" : "\n#include <math.h>\n";
  if (fused || !needs.lanes.empty()) {
    const char* f = dialect.single_precision ? "f" : "";
    const char* F = dialect.single_precision ? "F" : "";
    text += fmt::format(
        "\n/* a b + c rounded once; without the instruction the last bits differ */\n"
        "#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)\n"
        "#define LW_HAS_FMA 1\n#define LW_FMA{1}(a, b, c) __builtin_fma{0}(a, b, c)\n"
        "#else\n#define LW_HAS_FMA 0\n#define LW_FMA{1}(a, b, c) ((a) * (b) + (c))\n#endif\n",
        f, F);
  }
  if (makes_choices(needs.helpers)) text += kChoicesHeader;
  if (!needs.lanes.empty()) text += kVectors;
  if (has_parts) text += kPart;
  return text;
}

}  // namespace lw
