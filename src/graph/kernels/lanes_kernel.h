/* lw_v: LW_LANES numbers as one value, by the vector extensions of gcc and clang. Sums, products and quotients are the
   language's own, the rest is here; arguments may be plain numbers, which then stand in every lane. Each lane has the bits
   that its number would have alone.

   LW_VECTOR: bytes of the longest vectors that the processor has; LW_HAS_FMA: whether it rounds a b + c once. */
#define LW_INLINE __attribute__((always_inline, unused)) static inline

typedef LW_REAL lw_v __attribute__((vector_size(LW_LANES * sizeof(LW_REAL))));
typedef LW_UNSIGNED lw_v_bits __attribute__((vector_size(LW_LANES * sizeof(LW_REAL))));

LW_INLINE lw_v lw_v_zero(void) {
  const lw_v zero = {0};
  return zero;
}
/* x in every lane; a vector stays as it is */
#define lw_v_all(x) ((x)-lw_v_zero())

/* a where the bits of `which` are 1, else b */
LW_INLINE lw_v lw_v_pick(lw_v_bits which, lw_v a, lw_v b) {
  return (lw_v)((which & (lw_v_bits)a) | (~which & (lw_v_bits)b));
}
LW_INLINE lw_v lw_v_abs_(lw_v x) { return (lw_v)((lw_v_bits)x & ~((LW_UNSIGNED)1 << (8 * sizeof(LW_REAL) - 1))); }
LW_INLINE lw_v lw_v_min_(lw_v a, lw_v b) { return lw_v_pick((lw_v_bits)(b < a), b, a); }
LW_INLINE lw_v lw_v_max_(lw_v a, lw_v b) { return lw_v_pick((lw_v_bits)(a < b), b, a); }
LW_INLINE lw_v lw_v_less_(lw_v a, lw_v b) { return lw_v_pick((lw_v_bits)(a < b), lw_v_all((LW_REAL)1), lw_v_zero()); }
LW_INLINE lw_v lw_v_select_(lw_v where, lw_v a, lw_v b) { return lw_v_pick((lw_v_bits)(where != lw_v_zero()), a, b); }
#define lw_v_abs(x) lw_v_abs_(lw_v_all(x))
#define lw_v_min(a, b) lw_v_min_(lw_v_all(a), lw_v_all(b))
#define lw_v_max(a, b) lw_v_max_(lw_v_all(a), lw_v_all(b))
#define lw_v_less(a, b) lw_v_less_(lw_v_all(a), lw_v_all(b))
#define lw_v_select(where, a, b) lw_v_select_(lw_v_all(where), lw_v_all(a), lw_v_all(b))

#undef lw_v_fma
/* a b + c, rounded once where there is an instruction for it: for as much at a time as it takes */
#if LW_HAS_FMA
#undef LW_PIECE
#if LW_LANES * LW_BYTES < LW_VECTOR
#define LW_PIECE (LW_LANES * LW_BYTES)
#else
#define LW_PIECE LW_VECTOR
#endif
typedef LW_REAL lw_v_piece __attribute__((vector_size(LW_PIECE)));
typedef union {
  lw_v all;
  lw_v_piece piece[LW_LANES * LW_BYTES / LW_PIECE];
} lw_v_cut;
LW_INLINE lw_v lw_v_fma_(lw_v a, lw_v b, lw_v c) {
  const lw_v_cut x = {a}, y = {b}, z = {c};
  lw_v_cut sum;
  for (int k = 0; k < LW_LANES * LW_BYTES / LW_PIECE; ++k) {
#if LW_PIECE == 64
    sum.piece[k] = (lw_v_piece)_mm512_fmadd_LW_PD(x.piece[k], y.piece[k], z.piece[k]);
#elif LW_PIECE == 32
    sum.piece[k] = (lw_v_piece)_mm256_fmadd_LW_PD(x.piece[k], y.piece[k], z.piece[k]);
#elif defined(__aarch64__)
    sum.piece[k] = (lw_v_piece)vfmaq_LW_F64(z.piece[k], x.piece[k], y.piece[k]);
#else
    sum.piece[k] = (lw_v_piece)_mm_fmadd_LW_PD(x.piece[k], y.piece[k], z.piece[k]);
#endif
  }
  return sum.all;
}
#define lw_v_fma(a, b, c) lw_v_fma_(lw_v_all(a), lw_v_all(b), lw_v_all(c))
#else
#define lw_v_fma(a, b, c) (lw_v_all(a) * (b) + (c))
#endif
