/* Between LW_LANES rows of numbers, one behind the other, and `size` values over lanes: a transposition, in registers where
   there are instructions for it (x86, vectors of 32 and 64 bytes), two columns at a time (four of floats). Where the size is
   no multiple, the last ones overlap. Nothing before or behind the rows is touched, and no alignment is asked for. */
#if LW_LANES * LW_BYTES == 64 && LW_VECTOR == 64
#define LW_COLUMNS (16 / LW_BYTES)
#define lw_v_unpack(half, a, b) (lw_v) _mm512_unpack##half##_LW_PD(a, b)
#define lw_v_shuffle(a, b, how) (lw_v) _mm512_shuffle_LW_PD(a, b, how)
/* 16 bytes each from four rows, `step` numbers apart (faster than insertions) */
LW_INLINE lw_v lw_v_gather(const LW_REAL *from, int step) {
  __m512LW_D x = _mm512_castLW_PD128_LW_PD512(_mm_loadu_LW_PD(from));
  x = _mm512_mask_broadcast_LW_QUARTER(x, ((1 << LW_COLUMNS) - 1) << LW_COLUMNS, _mm_loadu_LW_PD(from + step));
  x = _mm512_mask_broadcast_LW_QUARTER(x, ((1 << LW_COLUMNS) - 1) << 2 * LW_COLUMNS, _mm_loadu_LW_PD(from + 2 * step));
  return (lw_v)_mm512_mask_broadcast_LW_QUARTER(x, ((1 << LW_COLUMNS) - 1) << 3 * LW_COLUMNS, _mm_loadu_LW_PD(from + 3 * step));
}
LW_INLINE void lw_v_scatter(lw_v x, LW_REAL *to, int step) {
  _mm_storeu_LW_PD(to, _mm512_castLW_PD512_LW_PD128(x));
  _mm_storeu_LW_PD(to + step, _mm512_extractLW_QUARTER_LW_PD(x, 1));
  _mm_storeu_LW_PD(to + 2 * step, _mm512_extractLW_QUARTER_LW_PD(x, 2));
  _mm_storeu_LW_PD(to + 3 * step, _mm512_extractLW_QUARTER_LW_PD(x, 3));
}
#if LW_COLUMNS == 2
/* rows of four numbers, two from each: half the stores, which are what long rows wait for */
LW_INLINE void lw_v_scatter_both(lw_v a, lw_v b, LW_REAL *to, int step) {
  const __m512LW_D x = _mm512_permutex2var_LW_PD(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
  const __m512LW_D y = _mm512_permutex2var_LW_PD(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
  _mm256_storeu_LW_PD(to, _mm512_castLW_PD512_LW_PD256(x));
  _mm256_storeu_LW_PD(to + step, _mm512_extractf64x4_LW_PD(x, 1));
  _mm256_storeu_LW_PD(to + 2 * step, _mm512_castLW_PD512_LW_PD256(y));
  _mm256_storeu_LW_PD(to + 3 * step, _mm512_extractf64x4_LW_PD(y, 1));
}
#endif
#elif LW_LANES * LW_BYTES == 32 && LW_VECTOR >= 32
#define LW_COLUMNS (16 / LW_BYTES)
#define lw_v_unpack(half, a, b) (lw_v) _mm256_unpack##half##_LW_PD(a, b)
#define lw_v_shuffle(a, b, how) (lw_v) _mm256_shuffle_LW_PD(a, b, how)
/* 16 bytes each from two rows, `step` numbers apart */
LW_INLINE lw_v lw_v_gather(const LW_REAL *from, int step) {
  const __m256LW_D x = _mm256_castLW_PD128_LW_PD256(_mm_loadu_LW_PD(from));
  return (lw_v)_mm256_insertf128_LW_PD(x, _mm_loadu_LW_PD(from + step), 1);
}
LW_INLINE void lw_v_scatter(lw_v x, LW_REAL *to, int step) {
  _mm_storeu_LW_PD(to, _mm256_castLW_PD256_LW_PD128(x));
  _mm_storeu_LW_PD(to + step, _mm256_extractf128_LW_PD(x, 1));
}
#if LW_COLUMNS == 2
LW_INLINE void lw_v_scatter_both(lw_v a, lw_v b, LW_REAL *to, int step) {
  _mm256_storeu_LW_PD(to, _mm256_permute2f128_LW_PD(a, b, 0x20));
  _mm256_storeu_LW_PD(to + step, _mm256_permute2f128_LW_PD(a, b, 0x31));
}
#endif
#else
#define LW_COLUMNS 0
#endif

#if LW_COLUMNS == 2
LW_INLINE void lw_v_read_columns(int size, const LW_REAL *rows, lw_v *to) {
  const lw_v even = lw_v_gather(rows, 2 * size), odd = lw_v_gather(rows + size, 2 * size);
  to[0] = lw_v_unpack(lo, even, odd);
  to[1] = lw_v_unpack(hi, even, odd);
}
LW_INLINE void lw_v_write_columns(int size, const lw_v *from, LW_REAL *rows) {
  lw_v_scatter(lw_v_unpack(lo, from[0], from[1]), rows, 2 * size);
  lw_v_scatter(lw_v_unpack(hi, from[0], from[1]), rows + size, 2 * size);
}
LW_INLINE void lw_v_write_four(int size, const lw_v *from, LW_REAL *rows) {
  lw_v_scatter_both(lw_v_unpack(lo, from[0], from[1]), lw_v_unpack(lo, from[2], from[3]), rows, 2 * size);
  lw_v_scatter_both(lw_v_unpack(hi, from[0], from[1]), lw_v_unpack(hi, from[2], from[3]), rows + size, 2 * size);
}
#elif LW_COLUMNS == 4
/* four by four within each 16 bytes: row k of four stands in x[k] */
LW_INLINE void lw_v_turn(const lw_v *x, lw_v *to) {
  const lw_v a = lw_v_unpack(lo, x[0], x[1]), b = lw_v_unpack(hi, x[0], x[1]);
  const lw_v c = lw_v_unpack(lo, x[2], x[3]), d = lw_v_unpack(hi, x[2], x[3]);
  to[0] = lw_v_shuffle(a, c, 0x44);
  to[1] = lw_v_shuffle(a, c, 0xee);
  to[2] = lw_v_shuffle(b, d, 0x44);
  to[3] = lw_v_shuffle(b, d, 0xee);
}
LW_INLINE void lw_v_read_columns(int size, const LW_REAL *rows, lw_v *to) {
  lw_v x[4];
  for (int k = 0; k < 4; ++k) x[k] = lw_v_gather(rows + k * size, 4 * size);
  lw_v_turn(x, to);
}
LW_INLINE void lw_v_write_columns(int size, const lw_v *from, LW_REAL *rows) {
  lw_v x[4];
  lw_v_turn(from, x);
  for (int k = 0; k < 4; ++k) lw_v_scatter(x[k], rows + k * size, 4 * size);
}
#endif

LW_INLINE void lw_v_read(int size, const LW_REAL *rows, lw_v *to) {
#if LW_COLUMNS > 0
  if (size >= LW_COLUMNS) {
#pragma GCC unroll 8
    for (int i = 0; i + LW_COLUMNS <= size; i += LW_COLUMNS) lw_v_read_columns(size, rows + i, to + i);
    if (size % LW_COLUMNS != 0) lw_v_read_columns(size, rows + size - LW_COLUMNS, to + size - LW_COLUMNS);
    return;
  }
#endif
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < LW_LANES; ++k) to[i][k] = rows[k * size + i];
  }
}

LW_INLINE void lw_v_write(int size, const lw_v *from, LW_REAL *rows) {
#if LW_COLUMNS > 0
  if (size >= LW_COLUMNS) {
    int i = 0;
#if LW_COLUMNS == 2
    for (; size >= 8 && i + 4 <= size; i += 4) lw_v_write_four(size, from + i, rows + i);
#endif
#pragma GCC unroll 8
    for (; i + LW_COLUMNS <= size; i += LW_COLUMNS) lw_v_write_columns(size, from + i, rows + i);
    if (size % LW_COLUMNS != 0) lw_v_write_columns(size, from + size - LW_COLUMNS, rows + size - LW_COLUMNS);
    return;
  }
#endif
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < LW_LANES; ++k) rows[k * size + i] = from[i][k];
  }
}
#undef LW_COLUMNS
#undef lw_v_unpack
#undef lw_v_shuffle
