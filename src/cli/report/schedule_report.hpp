// What `schedule` prints: one schedule in all its figures, or tables over processors and methods.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../schedule/choice.hpp"
#include "../io/results.hpp"

namespace lw::cli {

struct ScheduleRow {
  Machine machine;  // for code of its share
  std::shared_ptr<const ChosenGrain> grain;
  Schedule schedule;
  Figures figures;
  std::vector<Violation> violations;
  const TaskGraph& graph() const { return grain->division.graph; }
};

Json schedule_json(const ScheduleRow& row);
Json schedule_json(const Machine& machine);
void print_one(const ScheduleRow& row);
// Over processors for each method, then methods side by side.
void print_many(const std::vector<ScheduleRow>& rows, const std::vector<std::string>& methods, const Machine& machine);
void print_machine(const Machine& machine, bool json);

}  // namespace lw::cli
