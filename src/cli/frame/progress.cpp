#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>

#include <fmt/format.h>

#include "terminal.hpp"

namespace lw::cli {
namespace {

constexpr int kBar = 30;
volatile std::sig_atomic_t interrupt_noted = 0;

std::string left_over(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s left", seconds);
  return seconds < 5400.0 ? fmt::format("{:.0f} min left", seconds / 60.0)
                          : fmt::format("{:.1f} h left", seconds / 3600.0);
}

}  // namespace

Progress::Progress(const Arguments& arguments, std::string what)
    : what_(std::move(what)), shown_(!arguments.quiet() && is_terminal(stderr)), start_(Clock::now()) {
  next_ = start_ + std::chrono::milliseconds(500);
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::at(double fraction, const std::function<std::string()>& note) {
  if (!shown_ || ++calls_ % 16 != 0) return;  // the clock costs more than a small step
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const double done = std::clamp(fraction, 0.0, 1.0), spent = std::chrono::duration<double>(now - start_).count();
  const int full = static_cast<int>(std::lround(done * kBar));
  std::string bar;
  for (int k = 0; k < kBar; ++k) bar += k < full ? "█" : "░";
  const std::string behind = note();
  const std::string left = done > 0.01 ? ", " + left_over(spent * (1.0 - done) / done) : "";
  std::fputs(
      fmt::format("\r{} {} {:3.0f} %{}{}\033[K", what_, bar, 100.0 * done, left, behind.empty() ? "" : "  " + behind)
          .c_str(),
      stderr);
  std::fflush(stderr);
}

Interrupts::Interrupts() {
  interrupt_noted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupt_noted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}
Interrupts::~Interrupts() { std::signal(SIGINT, SIG_DFL); }
bool Interrupts::asked() const { return interrupt_noted != 0; }

}  // namespace lw::cli
