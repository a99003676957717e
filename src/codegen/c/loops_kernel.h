/* Lagrange's equations of the centres of mass by loops over groups of matrix products (Twu 1987, chapter 4). C11 and C++.

     Q_j += sum_i m_i [v'_i . dv_i/dqd_j + v_i . (d/dt dv_i/dqd_j - dv_i/dq_j) - g . dv_i/dqd_j]

   v_i and its derivatives are sums of groups: products of the joints' matrices on the way to link i, some of them differentiated,
   applied to its centre of mass. A matrix is twelve numbers: three columns of a rotation, then a column for the position.
   Defined before: LW_LINKS, lw_way_length[LW_LINKS], lw_way[LW_LINKS][LW_LINKS], lw_velocity[LW_LINKS]. */

/* sum += at[0] at[1] ... r. Up to the first derivative from the right, which is at `derivative`, it is a point that is moved, then
   a direction. */
static void lw_group(int size, const LW_REAL *const *at, int derivative, const LW_REAL *r, LW_REAL *sum) {
  LW_REAL x = r[0], y = r[1], z = r[2];
  for (int k = size - 1; k >= 0; --k) {
    const LW_REAL *m = at[k];
    LW_REAL a = m[0] * x + m[3] * y + m[6] * z;
    LW_REAL b = m[1] * x + m[4] * y + m[7] * z;
    LW_REAL c = m[2] * x + m[5] * y + m[8] * z;
    if (k >= derivative) {
      a += m[9];
      b += m[10];
      c += m[11];
    }
    x = a;
    y = b;
    z = c;
  }
  sum[0] += x;
  sum[1] += y;
  sum[2] += z;
}

static void lw_add_loops(const LW_REAL *A, const LW_REAL *rate, const LW_REAL *rate_rate, const LW_REAL *by_q, const LW_REAL *rate_by_q,
                         const LW_REAL *r, const LW_REAL *mass, const LW_REAL *gravity, LW_REAL *tau) {
  for (int i = 0; i < LW_LINKS; ++i) {
    const int size = lw_way_length[i], *way = lw_way[i];
    const LW_REAL *at[LW_LINKS];
    LW_REAL v[3] = {0}, v_rate[3] = {0};
    for (int k = 0; k < size; ++k) at[k] = A + 12 * way[k];
    for (int l = 0; l < size; ++l) { /* (4-4) */
      at[l] = rate + 12 * way[l];
      lw_group(size, at, l, r + 3 * i, v);
      at[l] = A + 12 * way[l];
    }
    for (int l = 0; l < size; ++l) { /* (4-5) */
      for (int m = 0; m < size; ++m) {
        at[l] = (l == m ? rate_rate : rate) + 12 * way[l];
        if (l != m) at[m] = rate + 12 * way[m];
        lw_group(size, at, l > m ? l : m, r + 3 * i, v_rate);
        at[l] = A + 12 * way[l];
        at[m] = A + 12 * way[m];
      }
    }
    for (int j = 0; j < size; ++j) {
      LW_REAL by_rate[3] = {0}, q_slope[3] = {0}, rate_slope[3] = {0}, sum = 0;
      at[j] = by_q + 12 * way[j]; /* (4-7) */
      lw_group(size, at, j, r + 3 * i, by_rate);
      for (int l = 0; l < size; ++l) { /* (4-6) and (4-8), which are equal: both are evaluated, as he does */
        at[j] = (l == j ? rate_by_q : by_q) + 12 * way[j];
        if (l != j) at[l] = rate + 12 * way[l];
        lw_group(size, at, l > j ? l : j, r + 3 * i, q_slope);
        lw_group(size, at, l > j ? l : j, r + 3 * i, rate_slope);
        if (l != j) at[l] = A + 12 * way[l];
      }
      at[j] = A + 12 * way[j];
      for (int k = 0; k < 3; ++k) sum += (v_rate[k] - gravity[k]) * by_rate[k] + v[k] * (rate_slope[k] - q_slope[k]);
      tau[lw_velocity[way[j]]] += mass[i] * sum;
    }
  }
}
