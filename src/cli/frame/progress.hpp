// A progress bar for long calculations: only on a terminal, after half a second, removed at the end.
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

  // Cheap to call often: it draws ten times per second. The note, requested then, is shown after the bar.
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

// Handles Ctrl-C during its lifetime: the first is recorded, a second one ends the program.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  bool asked() const;
};

}  // namespace lw::cli
