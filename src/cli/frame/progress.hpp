// A bar that shows how far a long calculation is: on a terminal only, after half a second, gone when it ends.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "command.hpp"

namespace lw::cli {

class Progress {
 public:
  Progress(const Arguments& arguments, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap to call often: it draws ten times a second. The note, asked for then, stands behind the bar.
  void at(double fraction, const std::function<std::string()>& note);
  void at(double fraction, const std::string& note = {}) {
    at(fraction, [&note] { return note; });
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool shown_, drawn_ = false;
  Clock::time_point start_, next_;
  int calls_ = 0;
};

// Ctrl-C as a question while this lives: the first one is noted, a second one ends the program as ever.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  bool asked() const;
};

}  // namespace lw::cli
