#!/usr/bin/python3
"""C. Dhanaraj 1990, chapter 4 and appendix C: inverse dynamics as 43 subtasks a link (table 4.1), levels of his
scheduling strategy, and faults of the schedules that he prints.

Subtask t of link i is the number 100 i + t. The printed tables are read from reproduce/dhanaraj_schedules.cpp.
"""
import collections
import os
import re

from arms import report

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../reproduce/dhanaraj_schedules.cpp")
LINKS = 6

# Table 4.1: what a subtask waits for on its own link, on the link before, and on the link after.
OWN = {3: [1, 2], 6: [3, 4, 5], 7: [1, 2, 3], 8: [1, 2, 3], 9: [8], 10: [6, 7], 11: [6, 7], 26: [23, 24, 25],
       32: [26, 30, 31],
       **dict.fromkeys((15, 16, 17), [12, 13, 14]), **dict.fromkeys((18, 19), [15, 16, 17]),
       **dict.fromkeys((20, 21, 22), [9, 10, 11]), **dict.fromkeys((23, 24, 25), [18, 19, 20, 21, 22]),
       **dict.fromkeys((27, 28, 29), [6, 7]), **dict.fromkeys((33, 34, 35), [30, 31]),
       **dict.fromkeys((36, 37, 38), [26]), **dict.fromkeys((41, 42, 43), [27, 28, 29, *range(33, 41)])}
BEFORE = {**dict.fromkeys((1, 2), [1, 2, 3]), **dict.fromkeys((4, 5), [6]), **dict.fromkeys((12, 13, 14), [9, 10, 11]),
          **dict.fromkeys((15, 16, 17), [18, 19])}
AFTER = {**dict.fromkeys((30, 31), [32]), **dict.fromkeys((39, 40), [41, 42, 43])}
# Layers of a link, forwards and backwards; link i + 1 is two layers later forwards, two earlier backwards.
FORWARD = [{1, 2}, {3, 4, 5}, {6, 7, 8, 12, 13, 14}, {9, 10, 11, 15, 16, 17}, {18, 19, 20, 21, 22}, {23, 24, 25}]


def waits_for(task):
    link, t = divmod(task, 100)
    return ([100 * link + k for k in OWN.get(t, [])] +
            ([100 * (link - 1) + k for k in BEFORE.get(t, [])] if link > 1 else []) +
            ([100 * (link + 1) + k for k in AFTER.get(t, [])] if link < LINKS else []))


def graph(tasks):
    """Task: the tasks that it waits for; of one that is left out, what that one waits for."""
    tasks, known = set(tasks), {}

    def real(task):
        if task not in known:
            known[task] = set().union(*({k} if k in tasks else real(k) for k in waits_for(task)), set())
        return known[task]

    return {task: real(task) for task in tasks}


def six_links():
    """Without what the first link, which only turns about z, and the last one, which carries nothing, do not need."""
    first = {*range(1, 10), *range(11, 20), 27, 28}
    last = {*range(30, 36), 39, 40}
    return [100 * link + t for link in range(1, LINKS + 1) for t in range(1, 44)
            if not (link == 1 and t in first) and not (link == LINKS and t in last)]


def layer(task):
    link, t = divmod(task, 100)
    if t <= 25:
        if link == 1:
            return 1 if t in (10, 20, 21, 22) else 2
        return next(k for k, tasks in enumerate(FORWARD, 1) if t in tasks) + 2 * (link - 2)
    return 2 * LINKS + 2 + (1 if t <= 31 else 2 if t <= 40 else 3) + 2 * (LINKS - link)


def levels(order, before, processors):
    """His strategy: in every level the first tasks of the list whose predecessors are done in earlier levels."""
    done, waiting, count = set(), list(order), 0
    while waiting:
        chosen = [task for task in waiting if before[task] <= done][:processors]
        done.update(chosen)
        waiting = [task for task in waiting if task not in done]
        count += 1
    return count


def printed():
    """Table 4.3, table 4.7, and (is it the Stanford arm's, levels) of C.1 to C.15."""
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    tables = [[[int(name) for name in level.split()] for level in "".join(re.findall('"([^"]*)"', body)).split("/")]
              for body in re.findall(r"parse\(\s*((?:\"[^\"]*\"\s*)+)\)", text)]
    stanford = [word == "true" for word in re.findall(r'\{"C\.\d+", (true|false), \d+,', text)]
    return tables[0], tables[1], list(zip(stanford, tables[2:]))


def faults(before, schedule):
    """Dependences broken but those on 110; on 110; tasks missing; twice; foreign; other faults."""
    names = [task for level in schedule for task in level]
    count = collections.Counter(names)
    places = collections.defaultdict(list)
    for k, level in enumerate(schedule):
        for task in level:
            places[task].append(k)
    broken = {(a, b) for b in places if b in before for a in before[b]
              if a in places and any(min(places[a]) >= k for k in places[b])}
    return [sum(a != 110 for a, _ in broken), sum(a == 110 for a, _ in broken),
            len(set(before) - set(names)), sum(task in before and n > 1 for task, n in count.items()),
            len(set(names) - set(before)), 0]


if __name__ == "__main__":
    _, table_4_7, schedules = printed()
    six, arm = graph(six_links()), [task for level in table_4_7 for task in level]
    stanford = graph(arm)
    order = sorted(six, key=lambda task: (layer(task), task))
    report("dhanaraj.schedule.levels-strict", [levels(order, six, p) for p in (*range(1, 11), 13)])
    report("dhanaraj.schedule.stanford-strict", [levels(arm, stanford, p) for p in range(1, 10)])
    depth = {}
    for task in sorted(arm, key=layer):
        depth[task] = 1 + max((depth[k] for k in stanford[task]), default=0)
    report("stanford-depth", max(depth.values()))
    report("faults", [faults(stanford if of_stanford else six, schedule) for of_stanford, schedule in schedules])
