#include "butcher.hpp"

#include <numbers>

namespace lw {
namespace {

constexpr ButcherTableau kButcherClassical{
    4, {0, 0.5, 0.5, 1}, {{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {}, 0, false};

// Gill 1951, as in Dhanaraj 1990.
constexpr double kGillRoot = std::numbers::sqrt2;
constexpr ButcherTableau kButcherGill{
    4,
    {0, 0.5, 0.5, 1},
    {{}, {0.5}, {(kGillRoot - 1) / 2, (2 - kGillRoot) / 2}, {0, -kGillRoot / 2, 1 + kGillRoot / 2}},
    {1.0 / 6, (2 - kGillRoot) / 6, (2 + kGillRoot) / 6, 1.0 / 6},
    {},
    0,
    false};

// Verner 1978, the pair of DVERK (Hull, Enright, Jackson 1976), as in Twu 1987.
constexpr ButcherTableau kButcherVerner{
    8,
    {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1},
    {{},
     {1.0 / 6},
     {4.0 / 75, 16.0 / 75},
     {5.0 / 6, -8.0 / 3, 5.0 / 2},
     {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96},
     {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255},
     {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0},
     {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703}},
    {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616},
    {3.0 / 40 - 13.0 / 160, 0, 875.0 / 2244 - 2375.0 / 5984, 23.0 / 72 - 5.0 / 16, 264.0 / 1955 - 12.0 / 85, -3.0 / 44,
     125.0 / 11592, 43.0 / 616},
    6,
    false};

// Dormand, Prince 1980.
constexpr ButcherTableau kButcherDormandPrince{
    7,
    {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    {{},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
    5,
    true};

}  // namespace

const ButcherTableau& butcher_tableau(std::string_view name) {
  return name == "rk4"      ? kButcherClassical
         : name == "gill"   ? kButcherGill
         : name == "verner" ? kButcherVerner
                            : kButcherDormandPrince;
}

}  // namespace lw
