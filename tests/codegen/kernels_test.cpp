// The kernel as users compile it: the bits of the library's own, from every compiler and at every level of
// optimisation.
#include "codegen/c/kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/c/c_text.hpp"
#include "graph/kernels/sincos.hpp"
#include "other_languages.hpp"

namespace lw {
namespace kernels_test {

constexpr int kAngles = 6, kRows = 20000;

// The same angles in C as here: SplitMix64, of all sizes.
double next_angle(std::uint64_t& state) {
  Random random(state);
  state += 2 * 0x9e3779b97f4a7c15;
  const double mantissa = random.between(-1.0, 1.0);
  return std::ldexp(mantissa, static_cast<int>(random.bits() % 24) - 6);
}

template <class F, class Bits>
std::uint64_t own_digest(bool fused) {
  std::uint64_t state = 1, digest = 0;
  for (int row = 0; row < kRows; ++row) {
    F x[kAngles], s[kAngles], c[kAngles];
    for (F& angle : x) angle = static_cast<F>(next_angle(state));
    sincos(x, s, c, fused);
    for (int k = 0; k < kAngles; ++k) {
      digest = (digest ^ std::bit_cast<Bits>(s[k])) * 0x100000001b3;
      digest = (digest ^ std::bit_cast<Bits>(c[k])) * 0x100000001b3;
    }
  }
  return digest;
}

std::string program(bool single, bool fused) {
  const std::string real = single ? "float" : "double", bits = single ? "unsigned" : "unsigned long long";
  return fmt::format(
      "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n#define LW_SINCOS_FUSED {0}\n"
      "#define LW_FMA(a, b, c) fma(a, b, c)\n#define LW_FMAF(a, b, c) fmaf(a, b, c)\n{1}\n"
      "static unsigned long long state = 1;\n"
      "static unsigned long long mixed(unsigned long long z) {{\n"
      "  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;\n  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;\n"
      "  return z ^ (z >> 31);\n}}\n"
      "static double next_angle(void) {{\n"
      "  const double mantissa = -1.0 + 2.0 * ((double)(mixed(state += 0x9e3779b97f4a7c15ULL) >> 11) * 0x1p-53);\n"
      "  return ldexp(mantissa, (int)(mixed(state += 0x9e3779b97f4a7c15ULL) % 24) - 6);\n}}\n"
      "int main(void) {{\n  unsigned long long digest = 0;\n"
      "  for (int row = 0; row < {2}; ++row) {{\n    {3} x[{4}], s[{4}], c[{4}];\n"
      "    for (int k = 0; k < {4}; ++k) x[k] = ({3})next_angle();\n    lw_sincos{5}({4}, x, s, c);\n"
      "    for (int k = 0; k < {4}; ++k) {{\n      {6} b;\n"
      "      memcpy(&b, &s[k], sizeof b);\n      digest = (digest ^ b) * 0x100000001b3ULL;\n"
      "      memcpy(&b, &c[k], sizeof b);\n      digest = (digest ^ b) * 0x100000001b3ULL;\n    }}\n  }}\n"
      "  printf(\"%llu\", digest);\n  return 0;\n}}\n",
      fused ? 1 : 0, single ? sincosf_kernel_text() : sincos_kernel_text(), kRows, real, kAngles, single ? "f" : "",
      bits);
}

TEST(Kernels, GiveTheSameBitsFromEveryCompiler) {
  for (const bool single : {false, true}) {
    for (const bool fused : {false, true}) {
      const std::string expected =
          std::to_string(single ? own_digest<float, std::uint32_t>(fused) : own_digest<double, std::uint64_t>(fused));
      const Scratch scratch;
      write(scratch, {{"kernel.c", program(single, fused)}});
      for (const std::string compiler : {"gcc", "clang"}) {
        if (find_program(compiler).empty()) continue;
        for (const char* flags : {"-O0", "-O2", "-O3", "-O3 -march=native", "-O1 -march=native"}) {
          const std::string command = fmt::format(
              "{} -std=c11 -Wall -Wextra -Wconversion -Werror -ffp-contract=off {} kernel.c -o kernel -lm && ./kernel",
              compiler, flags);
          EXPECT_EQ(output_of(scratch, command), expected)
              << compiler << " " << flags << (single ? " float" : "") << (fused ? " fused" : "");
        }
      }
    }
  }
}

// Who compiles everything with -ffast-math gives up the last bits, not the result.
TEST(Kernels, SurviveFastMath) {
  for (const bool single : {false, true}) {
    for (const bool fused : {false, true}) {
      std::string text = program(single, fused);
      // the largest error against the C library's, as a part of (1 + |x|) eps
      text = text.substr(0, text.find("int main(void)")) +
             fmt::format(
                 "int main(void) {{\n  double worst = 0.0;\n  for (int row = 0; row < {0}; ++row) {{\n"
                 "    {1} x[{2}], s[{2}], c[{2}];\n    for (int k = 0; k < {2}; ++k) x[k] = ({1})next_angle();\n"
                 "    lw_sincos{3}({2}, x, s, c);\n    for (int k = 0; k < {2}; ++k) {{\n"
                 "      const long double allowed = (1.0L + fabsl(x[k])) * {4};\n"
                 "      const double a = (double)(fabsl(s[k] - sinl(x[k])) / allowed);\n"
                 "      const double b = (double)(fabsl(c[k] - cosl(x[k])) / allowed);\n"
                 "      if (a > worst) worst = a;\n      if (b > worst) worst = b;\n    }}\n  }}\n"
                 "  printf(\"%.3f\", worst);\n  return 0;\n}}\n",
                 kRows, single ? "float" : "double", kAngles, single ? "f" : "", single ? "0x1p-23L" : "0x1p-52L");
      const Scratch scratch;
      write(scratch, {{"kernel.c", text}});
      for (const std::string compiler : {"gcc", "clang"}) {
        if (find_program(compiler).empty()) continue;
        for (const char* flags : {"-O2 -ffast-math", "-O3 -ffast-math -march=native", "-Ofast"}) {
          const std::string worst =
              output_of(scratch, fmt::format("{} -std=c11 {} kernel.c -o kernel -lm && ./kernel", compiler, flags));
          EXPECT_LE(std::stod(worst), 1.0)
              << compiler << " " << flags << (single ? " float" : "") << (fused ? " fused" : "");
          RecordProperty(fmt::format("{}{}{}", compiler, single ? "_float" : "", fused ? "_fused" : ""), worst);
        }
      }
    }
  }
}

// Points in all directions and of all sizes, each coordinate an angle's number of above.
std::string program_of_arcs(bool fused, const std::string& each, const std::string& result) {
  std::string text = program(false, fused);
  replace_all(text, sincos_kernel_text(), arcs_kernel_text());
  return text.substr(0, text.find("int main(void)")) +
         fmt::format(
             "int main(void) {{\n  unsigned long long digest = 0;\n  double worst = 0.0;\n  for (int row = 0; row < "
             "{0}; ++row) {{\n"
             "    double y[{1}], x[{1}], a[{1}];\n    for (int k = 0; k < {1}; ++k) {{\n      y[k] = next_angle();\n"
             "      x[k] = next_angle();\n    }}\n    lw_arcs({1}, y, x, a);\n    for (int k = 0; k < {1}; ++k) "
             "{{\n{2}    }}\n  }}\n"
             "  (void)digest;\n  (void)worst;\n  printf({3});\n  return 0;\n}}\n",
             kRows, kAngles, each, result);
}

TEST(Kernels, OfArcsGiveTheSameBitsFromEveryCompiler) {
  for (const bool fused : {false, true}) {
    std::uint64_t state = 1, expected = 0;
    for (int row = 0; row < kRows; ++row) {
      double y[kAngles], x[kAngles], a[kAngles];
      for (int k = 0; k < kAngles; ++k) {
        y[k] = next_angle(state);
        x[k] = next_angle(state);
      }
      arcs(y, x, a, fused);
      for (const double angle : a) expected = (expected ^ std::bit_cast<std::uint64_t>(angle)) * 0x100000001b3;
    }
    const Scratch scratch;
    write(scratch, {{"kernel.c", program_of_arcs(fused,
                                                 "      unsigned long long b;\n      memcpy(&b, &a[k], sizeof b);\n"
                                                 "      digest = (digest ^ b) * 0x100000001b3ULL;\n",
                                                 "\"%llu\", digest")}});
    for (const std::string compiler : {"gcc", "clang"}) {
      if (find_program(compiler).empty()) continue;
      for (const char* flags : {"-O0", "-O2", "-O3 -march=native"}) {
        const std::string command = fmt::format(
            "{} -std=c11 -Wall -Wextra -Wconversion -Werror -ffp-contract=off {} kernel.c -o kernel -lm && ./kernel",
            compiler, flags);
        EXPECT_EQ(output_of(scratch, command), std::to_string(expected))
            << compiler << " " << flags << (fused ? " fused" : "");
      }
    }
  }
}

TEST(Kernels, OfArcsSurviveFastMath) {
  for (const bool fused : {false, true}) {
    const Scratch scratch;
    write(scratch,
          {{"kernel.c",
            program_of_arcs(fused,
                            "      const long double exact = atan2l(y[k], x[k]);\n"
                            "      const double off = (double)(fabsl(a[k] - exact) / (fabsl(exact) * 0x1p-52L));\n"
                            "      if (off > worst) worst = off;\n",
                            "\"%.3f\", worst")}});
    for (const std::string compiler : {"gcc", "clang"}) {
      if (find_program(compiler).empty()) continue;
      for (const char* flags : {"-O2 -ffast-math", "-O3 -ffast-math -march=native"}) {
        const std::string worst =
            output_of(scratch, fmt::format("{} -std=c11 {} kernel.c -o kernel -lm && ./kernel", compiler, flags));
        EXPECT_LE(std::stod(worst), 2.0) << compiler << " " << flags << (fused ? " fused" : "");
      }
    }
  }
}

}  // namespace kernels_test
}  // namespace lw
