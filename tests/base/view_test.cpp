#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <linkwright/eigen.hpp>

#include "base/view.hpp"

namespace lw {
namespace view_test {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// out = 2 in, as any algorithm is called: what decides the scalar comes first.
const double* last_out = nullptr;
template <class T>
void twice(const std::vector<T>&, In<T> in, Out<T> out) {
  ASSERT_EQ(in.size(), out.size());
  for (std::size_t k = 0; k < in.size(); ++k) out[k] = 2.0 * in[k];
  last_out = out.data();
}
const std::vector<double> scalar;

TEST(View, IsWhatConvertsToASpan) {
  std::vector<double> a{1, 2, 3}, b(3);
  std::array<double, 3> c{};
  const std::vector<double> constant{4, 5, 6};
  twice(scalar, a, b);
  twice(scalar, b, c);
  EXPECT_EQ(c[2], 12.0);
  twice(scalar, constant, std::span<double>(a));
  EXPECT_EQ(a[0], 8.0);
  twice(scalar, {}, {});
  EXPECT_EQ(sizeof(View<double>), sizeof(std::span<double>));
  EXPECT_TRUE(std::is_trivially_copyable_v<View<double>>);
  EXPECT_FALSE((std::is_convertible_v<const std::vector<double>&, View<double>>));
  EXPECT_FALSE((std::is_convertible_v<std::vector<float>&, View<const double>>));
}

TEST(View, OfEigenIsInPlaceWhereEntriesLieByColumns) {
  const Eigen::VectorXd a = Eigen::VectorXd::LinSpaced(4, 1.0, 4.0);
  Eigen::VectorXd b(4);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(4, 4);
  twice(scalar, a, b);
  EXPECT_EQ(last_out, b.data());
  EXPECT_EQ(b, 2.0 * a);
  twice(scalar, a, M.col(2));
  EXPECT_EQ(last_out, M.data() + 8);
  twice(scalar, a.head(2), M.col(1).tail<2>());
  EXPECT_EQ(last_out, M.data() + 6);
  EXPECT_EQ(M.sum(), 2.0 * a.sum() + 2.0 * a.head(2).sum());
  twice(scalar, a, M.leftCols(1));
  EXPECT_EQ(last_out, M.data());
  std::vector<double> memory(4);
  Eigen::Map<Eigen::Vector4d> map(memory.data());
  twice(scalar, a, map);
  EXPECT_EQ(last_out, memory.data());
  Eigen::Ref<Eigen::VectorXd> reference(b);
  twice(scalar, a, reference);
  EXPECT_EQ(last_out, b.data());
}

TEST(View, OfEigenIsCopiedWhereEntriesDoNot) {
  const Eigen::MatrixXd A = (Eigen::MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(5, 5);
  twice(scalar, A, M.block(1, 2, 2, 3));
  EXPECT_EQ(M.block(1, 2, 2, 3), 2.0 * A);
  EXPECT_EQ(M.sum(), 2.0 * A.sum());
  ByRows R(2, 3);
  twice(scalar, A, R);
  EXPECT_EQ(R, 2.0 * A);
  twice(scalar, R, M.block(0, 0, 2, 3));
  EXPECT_EQ(M.block(0, 0, 2, 3), 4.0 * A);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(5, 1.0, 5.0);
  twice(scalar, v, M.row(4));
  EXPECT_EQ(M.row(4).transpose(), 2.0 * v);
  twice(scalar, v.reverse() + v, M.diagonal());
  EXPECT_EQ(M.diagonal(), Eigen::VectorXd::Constant(5, 12.0));
  Eigen::MatrixXd T(3, 2);
  twice(scalar, A.transpose(), T);
  EXPECT_EQ(T, 2.0 * A.transpose());
}

TEST(View, OfEigenIsRefusedWhereItCannotBeWritten) {
  using Sum = decltype(Eigen::VectorXd() + Eigen::VectorXd());
  EXPECT_TRUE((std::is_convertible_v<Sum, View<const double>>));
  EXPECT_FALSE((std::is_convertible_v<Sum, View<double>>));
  EXPECT_FALSE((std::is_convertible_v<const Eigen::VectorXd&, View<double>>));
  EXPECT_FALSE((std::is_convertible_v<Eigen::VectorXf&, View<double>>));
}

}  // namespace view_test
}  // namespace lw
