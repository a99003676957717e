/* sincos_kernel.h in single precision throughout, for processors that have no other. LW_SINCOS_FUSED 1 works with
   LW_FMAF(a, b, c), which must then round once; 0 does without.

     |x| <= 1e4         error < 1 ulp (0.82 measured), also next to multiples of pi/2; fused to 1e6
     |x| < 2^22         absolute error < 2^-21 fused, 2^-23 + |x| 2^-24 without
     beyond             as for 0
     infinite, NaN      NaN.  sin(-0) is -0 */
#ifdef __cplusplus
#define LW_RESTRICT __restrict
#else
#define LW_RESTRICT restrict
#endif

#ifndef LW_NUMBER
#ifdef __cplusplus
static inline unsigned lw_bitsf(float x) { return __builtin_bit_cast(unsigned, x); }
static inline float lw_of_bitsf(unsigned b) { return __builtin_bit_cast(float, b); }
#else
union lw_punnedf {
  float number;
  unsigned bits;
};
static inline unsigned lw_bitsf(float x) {
  const union lw_punnedf p = {.number = x};
  return p.bits;
}
static inline float lw_of_bitsf(unsigned b) {
  const union lw_punnedf p = {.bits = b};
  return p.number;
}
#endif
#define LW_NUMBER float
#define LW_WORD unsigned
#define LW_BITS lw_bitsf
#define LW_OF_BITS lw_of_bitsf
#endif

#if LW_SINCOS_FUSED
#define LW_MADDF(a, b, c) LW_FMAF(a, b, c)
#else
#define LW_MADDF(a, b, c) ((a) * (b) + (c))
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
static inline void lw_sincosf(int n, const LW_NUMBER *LW_RESTRICT x, LW_NUMBER *LW_RESTRICT s,
                               LW_NUMBER *LW_RESTRICT c) {
  const unsigned sign = 1U << 31, limit = 0x95U << 23; /* of 2^22 */
  for (int i = 0; i < n; ++i) {
    const LW_WORD bits = LW_BITS(x[i]), size = bits & ~sign;
    const LW_NUMBER y = LW_OF_BITS(size & (0 - ((size - limit) >> 31)));
    const LW_NUMBER none = x[i] - x[i]; /* 0, or NaN where x is not finite */

    LW_KEPT const LW_NUMBER shifted = LW_MADDF(y, 0x1.45f306p-1f, 0x1.8p23f);
    const LW_NUMBER k = shifted - 0x1.8p23f;
#if LW_SINCOS_FUSED
    const LW_NUMBER r = LW_FMAF(-k, 0x1.921fb6p+0f, y);
    const LW_NUMBER p = k * -0x1.777a5cp-25f, p_error = LW_FMAF(k, -0x1.777a5cp-25f, -p);
    const LW_NUMBER h = r - p;
    const LW_NUMBER l = LW_FMAF(k, 0x1.ee59dap-50f, ((r - h) - p) + (none - p_error));
#else
    const LW_NUMBER r0 = y - k * 0x1.92p+0f;
    const LW_NUMBER p1 = k * 0x1.fb4p-12f, r1 = r0 - p1;
    const LW_NUMBER p2 = k * 0x1.444p-24f, h = r1 - p2;
    const LW_NUMBER l = ((r1 - h) - p2) + ((r0 - r1) - p1) + (none - k * 0x1.68c234p-39f);
#endif

    const LW_NUMBER z = h * h, zz = z * z;
    const LW_NUMBER P = LW_MADDF(zz, -0x1.9955b6p-13f, LW_MADDF(z, 0x1.11077cp-7f, -0x1.555546p-3f));
    const LW_NUMBER Q = LW_MADDF(zz, 0x1.99e0eep-16f, LW_MADDF(z, -0x1.6c0c1ap-10f, 0x1.55554ap-5f));
    const LW_NUMBER half = 0.5f * z, w = 1.0f - half;
    const LW_NUMBER sine = h + LW_MADDF(h * z, P, l * w);
    const LW_NUMBER cosine = w + (LW_MADDF(zz, Q, -(h * l)) + ((1.0f - w) - half));

    const LW_WORD q = LW_BITS(shifted);
    const LW_WORD a = LW_BITS(sine), b = LW_BITS(cosine), swap = (a ^ b) & (0 - (q & 1));
    s[i] = LW_OF_BITS(a ^ swap ^ (bits & sign) ^ (q << 30 & sign));
    c[i] = LW_OF_BITS(b ^ swap ^ ((q + 1) << 30 & sign));
  }
}
#undef LW_MADDF
#undef LW_NUMBER
#undef LW_WORD
#undef LW_BITS
#undef LW_OF_BITS
#undef LW_KEPT
