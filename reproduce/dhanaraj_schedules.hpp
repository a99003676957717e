// What chapter 4 and appendix C of Dhanaraj 1990 print: subtasks by layers, and schedules by levels.
//
// Subtask 213 is the 13th of link 2. Of three entries it is open whether thesis or scan is wrong; they are read as what alone
// makes sense: 329 for 529 (C.6, level 25), 429 for the second 428 (C.12, level 19), 243 for 245 (C.15, level 25). In C.1 the scan
// has the second column of levels 1 to 16 from elsewhere; the sixteen tasks that are otherwise nowhere stand there in
// their order.
#pragma once

#include <string>
#include <vector>

namespace lw::reproduce {

using Levels = std::vector<std::vector<std::string>>;  // names of tasks, level by level (or layer by layer)

const Levels& dhanaraj_table_4_3();  // all subtasks of six turning links
const Levels& dhanaraj_table_4_7();  // the Stanford arm

struct PrintedSchedule {
  std::string table;
  bool stanford = false;  // otherwise: six turning links
  int processors = 0;
  Levels levels;
};
const std::vector<PrintedSchedule>& dhanaraj_schedules();  // C.1 to C.15

}  // namespace lw::reproduce
