/* sincos_kernel.h in single precision throughout, for processors that have no other. LW_SINCOS_FUSED 1 works with
   LW_FMAF(a, b, c), which must then round once; 0 does without.

     |x| <= 1e4         error < 1 ulp (0.82 measured), also next to multiples of pi/2; fused to 1e6
     |x| < 2^22         absolute error < 2^-21 fused, 2^-23 + |x| 2^-24 without
     beyond             as for 0
     infinite, NaN      NaN.  sin(-0) is -0 */
#ifdef __cplusplus
#define LW_RESTRICT __restrict
static inline unsigned lw_bitsf(float x) { return __builtin_bit_cast(unsigned, x); }
static inline float lw_of_bitsf(unsigned b) { return __builtin_bit_cast(float, b); }
#else
#define LW_RESTRICT restrict
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
static inline void lw_sincosf(int n, const float *LW_RESTRICT x, float *LW_RESTRICT s, float *LW_RESTRICT c) {
  const unsigned sign = 1U << 31, limit = lw_bitsf(0x1p22f);
  for (int i = 0; i < n; ++i) {
    const unsigned bits = lw_bitsf(x[i]), size = bits & ~sign;
    const float y = lw_of_bitsf(size & (0 - ((size - limit) >> 31)));
    const float none = x[i] - x[i]; /* 0, or NaN where x is not finite */

    LW_KEPT const float shifted = LW_MADDF(y, 0x1.45f306p-1f, 0x1.8p23f);
    const float k = shifted - 0x1.8p23f;
#if LW_SINCOS_FUSED
    const float r = LW_FMAF(-k, 0x1.921fb6p+0f, y);
    const float p = k * -0x1.777a5cp-25f, p_error = LW_FMAF(k, -0x1.777a5cp-25f, -p);
    const float h = r - p;
    const float l = LW_FMAF(k, 0x1.ee59dap-50f, ((r - h) - p) + (none - p_error));
#else
    const float r0 = y - k * 0x1.92p+0f;
    const float p1 = k * 0x1.fb4p-12f, r1 = r0 - p1;
    const float p2 = k * 0x1.444p-24f, h = r1 - p2;
    const float l = ((r1 - h) - p2) + ((r0 - r1) - p1) + (none - k * 0x1.68c234p-39f);
#endif

    const float z = h * h, zz = z * z;
    const float P = LW_MADDF(zz, -0x1.9955b6p-13f, LW_MADDF(z, 0x1.11077cp-7f, -0x1.555546p-3f));
    const float Q = LW_MADDF(zz, 0x1.99e0eep-16f, LW_MADDF(z, -0x1.6c0c1ap-10f, 0x1.55554ap-5f));
    const float half = 0.5f * z, w = 1.0f - half;
    const float sine = h + LW_MADDF(h * z, P, l * w);
    const float cosine = w + (LW_MADDF(zz, Q, -(h * l)) + ((1.0f - w) - half));

    const unsigned q = lw_bitsf(shifted);
    const unsigned a = lw_bitsf(sine), b = lw_bitsf(cosine), swap = (a ^ b) & (0 - (q & 1));
    s[i] = lw_of_bitsf(a ^ swap ^ (bits & sign) ^ (q << 30 & sign));
    c[i] = lw_of_bitsf(b ^ swap ^ ((q + 1) << 30 & sign));
  }
}
#undef LW_MADDF
#undef LW_KEPT
