#include "base/worse.hpp"
#include "base/largest.hpp"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <vector>

namespace lw {
namespace worse_test {

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

TEST(Worse, KeepsTheLarger) {
  EXPECT_EQ(worse(1.0, 2.0), 2.0);
  EXPECT_EQ(worse(2.0, 1.0), 2.0);
  EXPECT_EQ(worse(2.0, kInfinity), kInfinity);
}

TEST(Worse, NanIsWorstAndStays) {
  double worst = 0.0;
  for (const double error : {1e-16, kNan, 1.0, kInfinity}) worst = worse(worst, error);
  EXPECT_TRUE(std::isnan(worst));
  EXPECT_FALSE(worst <= kInfinity);  // what a check asks
}

TEST(Worse, NanAnywhereInAVectorOrMatrix) {
  for (std::size_t at = 0; at < 9; ++at) {
    std::vector<double> a(9, 1.0), b(9, -2.0);
    EXPECT_EQ(largest_difference(a, b), 3.0);
    EXPECT_EQ(largest(Eigen::Map<const Eigen::MatrixXd>(b.data(), 3, 3)), 2.0);
    b[at] = kNan;
    EXPECT_TRUE(std::isnan(largest_difference(a, b))) << at;
    EXPECT_TRUE(std::isnan(largest_difference(b, a))) << at;
    EXPECT_TRUE(std::isnan(largest(Eigen::Map<const Eigen::MatrixXd>(b.data(), 3, 3)))) << at;
  }
  EXPECT_EQ(largest_difference(std::vector<double>{1.0}, std::vector<double>{1.0, 2.0}), kInfinity);
}

}  // namespace worse_test
}  // namespace lw
