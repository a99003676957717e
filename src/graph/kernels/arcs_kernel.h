/* Angles of n points: a = atan2(y, x), as sincos_kernel.h has sines: no branch, no table, no library, and the same bits from
   every compiler, scalar or vector, under the same conditions. An arc tangent is the angle of (y, 1).

   C11 and C++20. LW_SINCOS_FUSED, LW_FMA, LW_NUMBER, LW_WORD and what goes with them: as there.

     error              < 1 ulp fused (0.87 measured), < 1.6 without (1.54)
     infinite           counts as the largest number
     (0, 0)             0 or pi with the sign of y, by the sign of x
     NaN                NaN

   Signs and which of the two is larger leave an angle of the first octant, of v/w <= 1, where w has been brought to 1 ... 2^32. If
   v/w > 1/2 it is pi/4 less the angle of (w - v)/(w + v) <= 1/3, in which w - v is exact. That of a quotient r is r + r z P(z),
   z = r r <= 1/4, to 2^-57 of it (fitted by exchange). So all of it is k pi/4 +- that, k = 0 ... 4, with pi/4 in two parts
   of which k times the first is exact. Fused, the error of r itself is known and goes along. */
#ifdef __cplusplus
#define LW_RESTRICT __restrict
#else
#define LW_RESTRICT restrict
#endif

#ifndef LW_NUMBER
#ifdef __cplusplus
static inline unsigned long long lw_arcs_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
static inline double lw_arcs_of_bits(unsigned long long b) { return __builtin_bit_cast(double, b); }
#else
union lw_arcs_punned {
  double number;
  unsigned long long bits;
};
static inline unsigned long long lw_arcs_bits(double x) {
  const union lw_arcs_punned p = {.number = x};
  return p.bits;
}
static inline double lw_arcs_of_bits(unsigned long long b) {
  const union lw_arcs_punned p = {.bits = b};
  return p.number;
}
#endif
#define LW_NUMBER double
#define LW_WORD unsigned long long
#define LW_BITS lw_arcs_bits
#define LW_OF_BITS lw_arcs_of_bits
#endif

#if LW_SINCOS_FUSED
#define LW_MADD(a, b, c) LW_FMA(a, b, c)
#else
#define LW_MADD(a, b, c) ((a) * (b) + (c))
#endif

/* into its callers, where n is a number: then nothing is left to decide */
#ifdef __GNUC__
__attribute__((always_inline))
#endif
static inline void lw_arcs(int n, const LW_NUMBER *LW_RESTRICT y, const LW_NUMBER *LW_RESTRICT x,
                           LW_NUMBER *LW_RESTRICT a) {
  const unsigned long long sign = 1ULL << 63;
  for (int i = 0; i < n; ++i) {
    const LW_WORD y_bits = LW_BITS(y[i]), x_bits = LW_BITS(x[i]);
    const LW_WORD y_all = y_bits & ~sign, x_all = x_bits & ~sign;
    const LW_WORD y_size = y_all - ((y_all + (1ULL << 52)) >> 63), x_size = x_all - ((x_all + (1ULL << 52)) >> 63);
    const LW_WORD steep = 0 - ((x_size - y_size) >> 63), exchange = (x_size ^ y_size) & steep;
    const LW_WORD w_bits = x_size ^ exchange;
    const LW_NUMBER scale = LW_OF_BITS((0x7feULL << 52) - (w_bits & (0x7e0ULL << 52)));
    const LW_NUMBER v = LW_OF_BITS(y_size ^ exchange) * scale;
    const LW_NUMBER w = LW_MADD(LW_OF_BITS(w_bits), scale, 0x1p-1000); /* is not 0 */
    const LW_WORD wide = 0 - ((LW_BITS(w) - LW_BITS(v + v)) >> 63);
    const LW_NUMBER added = LW_OF_BITS(LW_BITS(v) & wide);
    const LW_NUMBER below = w + added, above = v - LW_OF_BITS(LW_BITS(w) & wide);
    const LW_NUMBER r = above / below;
    const LW_NUMBER z = r * r, zz = z * z, z4 = zz * zz;
    const LW_NUMBER P = LW_MADD(z4, LW_MADD(z4, LW_MADD(zz, LW_MADD(z, 0x1.4b84f00a14266p-7, -0x1.c1808c40d568cp-6),
                                                  LW_MADD(z, 0x1.56f608f0ed1fap-5, -0x1.a398818a02be2p-5)),
                                      LW_MADD(zz, LW_MADD(z, 0x1.dfe97ef7cf0cfp-5, -0x1.10f31fb776d12p-4),
                                              LW_MADD(z, 0x1.3b113dd29c7ddp-4, -0x1.745cf4cc85620p-4))),
                             LW_MADD(zz, LW_MADD(z, 0x1.c71c7090f8edbp-4, -0x1.249249215e1f1p-3),
                                     LW_MADD(z, 0x1.9999999991150p-3, -0x1.5555555555516p-2)));
#if LW_SINCOS_FUSED
    const LW_NUMBER rest = (LW_FMA(-r, below, above) - r * (added - (below - w))) / below;
    const LW_NUMBER more = LW_FMA(r * z, P, rest);
#else
    const LW_NUMBER more = r * z * P;
#endif
    const LW_WORD turned = (steep & sign) ^ (x_bits & sign);
    const LW_NUMBER one = LW_OF_BITS(wide & (0x3ffULL << 52));
    const LW_NUMBER two = LW_OF_BITS(LW_BITS(one) ^ (steep & sign)) + LW_OF_BITS(steep & (1ULL << 62));
    const LW_NUMBER k = LW_OF_BITS(LW_BITS(two) ^ (x_bits & sign)) + LW_OF_BITS((0 - (x_bits >> 63)) & (0x401ULL << 52));
    const LW_NUMBER base = k * 0x1.921fb54442d18p-1, part = LW_OF_BITS(LW_BITS(r) ^ turned);
    const LW_NUMBER sum = base + part;
    const LW_NUMBER low = ((base - sum) + part) + LW_MADD(k, 0x1.1a62633145c07p-55, LW_OF_BITS(LW_BITS(more) ^ turned));
    a[i] = LW_OF_BITS(LW_BITS(sum + low) ^ (y_bits & sign));
  }
}
#undef LW_MADD
#undef LW_NUMBER
#undef LW_WORD
#undef LW_BITS
#undef LW_OF_BITS
