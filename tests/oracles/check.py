#!/usr/bin/python3
"""Runs the oracles of this folder and compares what they print with the numbers that stand in the sources.

    tests/oracles/check.py LINKWRIGHT [NAME.py ...]

An oracle prints one line per result: a name, then numbers; before them ~X if they are known to within X only. Who uses
a result, names it:

  - a row of `linkwright reproduce` by its id. Its source is "tests/oracles/NAME.py: ...", its published numbers are
    those of the oracle; LINKWRIGHT is the program that is asked for the rows.
  - a sample of field.json (which reproduce/field_data.cpp repeats, as another test checks) by problem@time.
  - other C++ by the comment `oracle: NAME.py result`. The numbers in the next braces {...} are those of the oracle, or
    the next number if the statement has no braces. `result[2]`: the next number is the third of the result.

Two numbers agree if they differ by no more than half a unit of the last digit that the source has, and not by more
than the row's own tolerance. Every result must be used, and every use must have a result.
"""
import concurrent.futures
import glob
import json
import math
import os
import re
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(FOLDER))
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
ACCURACY = 2e-14  # of double arithmetic, as a fraction of the largest number: no result is better than that


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]


def run(name):
    started = time.monotonic()
    done = subprocess.run(["/usr/bin/python3", os.path.join(FOLDER, name)], capture_output=True, text=True,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    results = {}
    for line in done.stdout.splitlines():
        key, *numbers = line.split()
        if key in results:
            raise SystemExit(f"{name} prints {key} twice")
        within = float(numbers.pop(0)[1:]) if numbers[0].startswith("~") else 0.0
        results[key] = [float(x) for x in numbers], within
    print(f"{name}: {len(results)} results in {time.monotonic() - started:.1f} s", flush=True)
    return results


def written(x):
    """A number with no more digits than it needs: of 11546000.0 it is not known whether the zeros are digits."""
    text = repr(float(x)).removesuffix(".0")
    zeros = len(text) - len(text.rstrip("0"))
    return f"{text.rstrip('0')}e{zeros}" if zeros and text.rstrip("-0") and "." not in text else text


def unit(text):
    """Of the last digit of a number as it is written; 0 of a zero, which shows none."""
    mantissa, _, exponent = text.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) if float(mantissa) else 0.0


class Use:
    """Numbers of a source, as text, and by how much each may differ at most; of a result all, or that at a place."""

    def __init__(self, where, texts, tolerances, place=None):
        self.where, self.texts, self.tolerances, self.place = where, texts, tolerances, place

    def complaint(self, result, within):
        if self.place is not None:
            result = result[self.place:self.place + 1]
        if len(self.texts) != len(result):
            return f"{len(self.texts)} numbers, the oracle has {len(result)}"
        size = max(map(abs, result), default=0.0)
        units = [unit(text) for text in self.texts]
        finest = min((u for u in units if u), default=0.0)  # for zeros
        for k, (text, tolerance, expected) in enumerate(zip(self.texts, self.tolerances, result)):
            allowed = min(tolerance, 0.51 * (units[k] or finest))
            if not abs(float(text) - expected) <= max(allowed, within, ACCURACY * size):
                return f"number {k + 1} is {text}, the oracle has {expected!r}: apart by more than {allowed:.2g}"
        return None


def uses_of_rows(linkwright):
    rows = subprocess.run([linkwright, "reproduce", "all", "--json"], capture_output=True, text=True)
    for row in json.loads(rows.stdout)["experiments"]:
        where = re.match(r"tests/oracles/([\w/]+\.py): ", row["source"])
        if row["reference"] != "recomputed" or (where and where.group(1).startswith("field/")):
            continue  # field/ writes field.json, which is checked by its samples
        published = flat(row["published"])
        size = max(map(abs, published))
        tolerance = row["tolerance"]
        allowed = [tolerance * abs(x) if row["relative"] else tolerance * size if row["unit"] else tolerance
                   for x in published]
        yield where and where.group(1), row["id"], Use(row["id"], [written(x) for x in published], allowed)


def uses_of_field():
    with open(os.path.join(FOLDER, "field.json"), encoding="utf-8") as file:
        problems = json.load(file)["problems"]
    for problem in problems:
        samples = {f"{problem['name']}@{s['t']}": [*s["q"].values(), *s["qd"].values(),
                                                   *([s["energy"]] if "energy" in s else [])]
                   for s in problem["samples"]}
        if "singular" in problem:
            samples[f"{problem['name']}@singular"] = problem["singular"]
        for key, numbers in samples.items():
            texts = [written(x) for x in flat(numbers)]
            yield "field_motions.py", key, Use(f"field.json, {key}", texts, [math.inf] * len(texts))


def numbers_behind(text):
    brace = text.find("{")
    if not 0 <= brace < text.index(";"):
        return [NUMBER.search(text).group()]
    depth, end = 0, brace
    for end in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            break
    return NUMBER.findall(re.sub(r"//.*", "", text[brace:end]))


def uses_of_sources():
    for name in sorted(glob.glob(os.path.join(TOP, "tests", "*", "*.[ch]pp")) +
                       glob.glob(os.path.join(TOP, "reproduce", "*.[ch]pp"))):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for marker in re.finditer(r"oracle: (\w+\.py) ([\w.@\-]+)(?:\[(\d+)\])?", text):
            program, key, place = marker.groups()
            behind = text[marker.end():]
            numbers = [NUMBER.search(behind).group()] if place else numbers_behind(behind)
            where = f"{os.path.relpath(name, TOP)}, {key}"
            yield program, key, Use(where, numbers, [math.inf] * len(numbers), place and int(place))


def main():
    linkwright, *chosen = sys.argv[1:]
    uses = [*uses_of_rows(linkwright), *uses_of_field(), *uses_of_sources()]
    nameless = [key for program, key, _ in uses if program is None]
    if nameless:
        raise SystemExit("the sources of these rows name no oracle: " + ", ".join(nameless))
    programs = chosen or sorted({program for program, _, _ in uses})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(programs, pool.map(run, programs)))
    found, used, count = [], set(), 0
    for program, key, use in uses:
        if program not in results:
            continue
        if key not in results[program]:
            found.append(f"{use.where}: {program} has no such result")
            continue
        used.add((program, key))
        count += len(use.texts)
        complaint = use.complaint(*results[program][key])
        if complaint:
            found.append(f"{use.where} ({program}): {complaint}")
    for program, its in results.items():
        found.extend(f"{program}: nothing uses {key}" for key in its if (program, key) not in used)
    print("\n".join(found) if found else f"{count} numbers agree with {len(programs)} oracles")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
