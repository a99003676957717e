/* sin and cos of n angles: no branch, no table, no library. With n small and constant at the call it unrolls into vector
   instructions. The same bits from every compiler, scalar or vector, at every level of optimisation, as long as it may
   not contract a*b + c by itself (-ffp-contract=off, which -std=c11 implies for gcc) nor reassociate (-ffast-math,
   under which errors are below (1 + |x|) 2^-52).

   C11 and C++20. LW_SINCOS_FUSED 1 works with LW_FMA(a, b, c), which must then round once; 0 does without. An angle is a
   double, or a vector of them where LW_NUMBER, LW_WORD and what goes with them are defined (lanes_kernel.h).

     |x| <= 1e5         error < 1 ulp (0.86 measured), also next to multiples of pi/2; fused to 1e14, without to 1e6
     |x| < 2^50         absolute error < 2^-50 fused, 2^-52 + |x| 2^-53 without
     beyond             as for 0
     infinite, NaN      NaN.  sin(-0) is -0

   |x| = k pi/2 + r with k the nearest integer, by adding and taking away 1.5*2^52, which leaves k in the lowest bits.
   pi/2 is a sum of parts: k times a part is exact or its error is kept, so that r = h + l is known to 100 bits.
   On |r| <= pi/4 polynomials of Chebyshev's kind (fitted by exchange): sin r = r + r z P(z) to 2^-58 of it,
   cos r = 1 - z/2 + z z Q(z) to 2^-64, z = r r. The lowest bit of k swaps the two, the next one changes signs. */
#ifdef __cplusplus
#define LW_RESTRICT __restrict
#else
#define LW_RESTRICT restrict
#endif

#ifndef LW_NUMBER
#ifdef __cplusplus
static inline unsigned long long lw_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
static inline double lw_of_bits(unsigned long long b) { return __builtin_bit_cast(double, b); }
#else
union lw_punned {
  double number;
  unsigned long long bits;
};
static inline unsigned long long lw_bits(double x) {
  const union lw_punned p = {.number = x};
  return p.bits;
}
static inline double lw_of_bits(unsigned long long b) {
  const union lw_punned p = {.bits = b};
  return p.number;
}
#endif
#define LW_NUMBER double
#define LW_WORD unsigned long long
#define LW_BITS lw_bits
#define LW_OF_BITS lw_of_bits
#define LW_BELOW(size, limit) (0 - (((size) - (limit)) >> 63)) /* all ones where it is, else none */
#endif

#if LW_SINCOS_FUSED
#define LW_MADD(a, b, c) LW_FMA(a, b, c)
#else
#define LW_MADD(a, b, c) ((a) * (b) + (c))
#endif

/* -ffast-math would see through what rounds to an integer; so it costs a store, and errors are of the size of |x|'s rounding */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#define LW_KEPT volatile
#else
#define LW_KEPT
#endif

/* into its callers, where n is a number: then nothing is left to decide */
#ifdef __GNUC__
__attribute__((always_inline))
#endif
static inline void lw_sincos(int n, const LW_NUMBER *LW_RESTRICT x, LW_NUMBER *LW_RESTRICT s,
                              LW_NUMBER *LW_RESTRICT c) {
  const unsigned long long sign = 1ULL << 63, limit = 0x431ULL << 52; /* of 2^50 */
  for (int i = 0; i < n; ++i) {
    const LW_WORD bits = LW_BITS(x[i]), size = bits & ~sign;
    const LW_NUMBER y = LW_OF_BITS(size & LW_BELOW(size, limit));
    const LW_NUMBER none = x[i] - x[i]; /* 0, or NaN where x is not finite */

    LW_KEPT const LW_NUMBER shifted = LW_MADD(y, 0x1.45f306dc9c883p-1, 0x1.8p52);
    const LW_NUMBER k = shifted - 0x1.8p52;
#if LW_SINCOS_FUSED
    const LW_NUMBER r = LW_FMA(-k, 0x1.921fb54442d18p+0, y);
    const LW_NUMBER p = k * 0x1.1a62633145c07p-54, p_error = LW_FMA(k, 0x1.1a62633145c07p-54, -p);
    const LW_NUMBER h = r - p;
    const LW_NUMBER l = LW_FMA(k, 0x1.f1976b7ed8fbcp-110, ((r - h) - p) - p_error);
    const LW_NUMBER z = LW_FMA(h, h, none), zz = z * z;
#else
    const LW_NUMBER r0 = y - k * 0x1.921fb544p+0;
    const LW_NUMBER p1 = k * 0x1.0b4611a6p-34, r1 = r0 - p1;
    const LW_NUMBER p2 = k * 0x1.3198a2ep-69, h = r1 - p2;
    const LW_NUMBER l = ((r1 - h) - p2) + ((r0 - r1) - p1) + (none - k * 0x1.b839a252049c1p-104);
    const LW_NUMBER z = h * h, zz = z * z;
#endif

    const LW_NUMBER P = LW_MADD(zz, LW_MADD(zz, LW_MADD(z, 0x1.5d9383d51a7e1p-33, -0x1.ae5e6839c7252p-26),
                                         LW_MADD(z, 0x1.71de357aac541p-19, -0x1.a01a019c15b3cp-13)),
                             LW_MADD(z, 0x1.111111110f8a4p-7, -0x1.5555555555549p-3));
    const LW_NUMBER Q = LW_MADD(zz, LW_MADD(zz, LW_MADD(z, -0x1.8fb10a0d3ccb0p-37, 0x1.1ee9f11085777p-29),
                                         LW_MADD(z, -0x1.27e4f812652fap-22, 0x1.a01a019cbf0d4p-16)),
                             LW_MADD(z, -0x1.6c16c16c1521dp-10, 0x1.555555555554cp-5));
#if LW_SINCOS_FUSED
    /* 1 + h (h (z Q - 1/2) - l): three roundings, of which the outer one alone is of a whole last digit */
    const LW_NUMBER cosine = LW_FMA(h, LW_FMA(h, LW_FMA(z, Q, -0.5), -l), 1.0);
    const LW_NUMBER sine = h + LW_FMA(h * z, P, l * cosine);
#else
    const LW_NUMBER half = 0.5 * z, w = 1.0 - half;
    const LW_NUMBER sine = h + (h * z * P + l * w);
    const LW_NUMBER cosine = w + ((zz * Q - h * l) + ((1.0 - w) - half));
#endif

    const LW_WORD q = LW_BITS(shifted);
    const LW_WORD a = LW_BITS(sine), b = LW_BITS(cosine), swap = (a ^ b) & (0 - (q & 1));
    const LW_WORD turns = q << 62;
    s[i] = LW_OF_BITS(a ^ swap ^ ((bits ^ turns) & sign));
    c[i] = LW_OF_BITS(b ^ swap ^ ((turns + (1ULL << 62)) & sign));
  }
}
#undef LW_MADD
#undef LW_NUMBER
#undef LW_WORD
#undef LW_BITS
#undef LW_OF_BITS
#undef LW_BELOW
#undef LW_KEPT
