#include "dhanaraj_arms.hpp"

namespace lw::reproduce {
namespace {

std::vector<DhLink> first_three(const std::vector<DhLink>& links) { return {links.begin(), links.begin() + 3}; }

}  // namespace

const std::vector<DhLink>& dhanaraj_puma6() {
  static const std::vector<DhLink> links{
      {0, 0, 0, false, 0, {0, 0, 0}, {0, 0, 1.49}, 0},
      {-90, 0, 0.2435, false, 17.4, {-0.068, 0, 0}, {0.1351, 0.6089, 5.3301}, 0},
      {0, 0.4318, -0.0934, false, 4.8, {0, -0.07, 0}, {0.066, 0.0134, 0.9395}, 0},
      {90, -0.0203, 0.4331, false, 0.82, {0, 0, -0.019}, {0.0021, 0.0021, 0.2013}, 0},
      {-90, 0, 0, false, 0.34, {0, 0, 0}, {0.0003, 0.0003, 0.1794}, 0},
      {90, 0, 0, false, 0.09, {0, 0, 0.032}, {0.0002422, 0.0002422, 0.193}, 0}};
  return links;
}

std::vector<DhLink> dhanaraj_puma3() { return first_three(dhanaraj_puma6()); }

const std::vector<DhLink>& dhanaraj_stanford6() {
  static const std::vector<DhLink> links{{0, 0, 0, false, 0, {0, 0, 0}, {0, 0, 1.208}, 0},
                                         {-90, 0, 0.1524, false, 5.01, {0, 0, -0.1054}, {0.108, 0.1, 2.211}, 0},
                                         {90, 0, 0, true, 4.25, {0, 0, -0.6447}, {2.51, 2.51, 0}, 0},
                                         {0, 0, 0, false, 1.08, {0, -0.0054, -0.0092}, {0.002, 0.001, 0.107}, 0},
                                         {-90, 0, 0, false, 0.63, {0, -0.0566, 0}, {0.003, 0.0004, 0.1}, 0},
                                         {90, 0, 0, false, 0.51, {0, 0, 0.1554}, {0.013, 0.013, 0.0203}, 0}};
  return links;
}

std::vector<DhLink> dhanaraj_stanford3() {
  std::vector<DhLink> links = first_three(dhanaraj_stanford6());
  links[2].mass = 6.47;
  return links;
}

}  // namespace lw::reproduce
