// Random numbers that are the same on every machine and with every standard library (SplitMix64; Steele, Lea, Flood
// 2014).
#pragma once

#include <cstdint>

namespace lw {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // uniform in [low, high)
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53); }
  // uniform in 0 … n−1 (the bias of a 64-bit remainder is far below what a test could see)
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return between(0.0, 1.0) < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace lw
