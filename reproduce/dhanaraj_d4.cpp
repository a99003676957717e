#include "dhanaraj_d4.hpp"

#include <cmath>

namespace lw::reproduce {

std::vector<DhLink> d4_links(double mass3) {
  return {{0, 0, 0, false, 0, {0, 0, 0}, {0, 0, 1.49}, 0},
          {-90, 0, 0.2435, false, 17.4, {-0.068, 0, 0}, {0.130, 0.524, 5.249}, 0},
          {0, 0.4318, -0.0934, false, mass3, {0, -0.2954, 0}, {2.0565, 0.0154, 2.9065}, 0}};
}

Vector d4_mass_matrix(const Vector& q) {
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
  const double m11 =
      6.881538 * (c2 * s2 * c3 * s3 + .5946234 * c2 * s2 * c3 - s2 * s2 * s3 * s3 - .5946234 * s2 * s2 * s3 -
                  .0035408 * s2 * s2 + .5 * s3 * s3 + .5946234 * s3 + .9436266);
  const double m12 = -0.7112062 * (c2 * c3 - s2 * s3 - 1.056647 * s2), m13 = -0.7112062 * (c2 * c3 - s2 * s3);
  return symmetric(3, {m11, m12, m13, 4.091923 * (s3 + 3.085665), 2.045961 * (s3 + 2.104716), 4.306169});
}

Vector d4_bias(const Vector& q, const Vector& v) {
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
  const double sum = c2 * s3 + s2 * c3;
  const double b2 = c2 * s2 * s3 * s3 + .5948432 * c2 * s2 * s3 + .0036841 * c2 * s2 + s2 * s2 * c3 * s3 +
                    .5948432 * s2 * s2 * c3 - .5 * c3 * s3 - .2974216 * c3;
  const double b3 = c2 * s2 * s3 * s3 + .2974216 * c2 * s2 * s3 - .5 * c2 * s2 + s2 * s2 * c3 * s3 +
                    .2974216 * s2 * s2 * c3 - .5 * c3 * s3 - .2974216 * c3;
  // .1033881, as printed, is twice .0516941 but for the last digit
  const double h1 = -13.76656 * (v[0] * v[1] * b2 + v[0] * v[2] * b3 -
                                 sum * (.0516941 * v[1] * v[1] + .1033881 * v[1] * v[2] + .0516941 * v[2] * v[2]) -
                                 .0546354 * c2 * v[1] * v[1]);
  const double h2 = 6.883283 * (v[0] * v[0] * b2 - 6.750189 * sum - 8.182499 * c2 + .5948432 * c3 * v[1] * v[2] +
                                .2974216 * c3 * v[2] * v[2]);
  const double h3 = 6.883283 * (v[0] * v[0] * b3 - 6.750189 * sum - .2974216 * c3 * v[1] * v[1]);
  return {h1, h2, h3};
}

}  // namespace lw::reproduce
