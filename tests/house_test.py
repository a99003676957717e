#!/usr/bin/python3
"""Whether the sources keep the rules of docs/architecture.md: which folder may use which, and how large things are.

A stage uses the stages before it in STAGES. Within a stage rooms (folders) use each other in one direction only.
Lines have at most 120 characters, raw strings aside (text of generated files and pages); files and folders of src/
have limits of their own.
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys
import unicodedata

STAGES = ["base", "graph", "spatial", "model", "dynamics", "codegen", "schedule", "control", "simulate", "cli"]
MOST_COLUMNS, MOST_LINES, MOST_FILES, MOST_LINES_OF_FUNCTION = 120, 500, 35, 100
NOT_A_FUNCTION = re.compile(r"\s*(namespace|class|struct|enum|union|using|template|extern|public|private|protected)\b")

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(top)
found = []


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], capture_output=True, text=True)
    if listed.returncode == 0:
        return sorted(set(f for f in listed.stdout.split("\n") if f and os.path.exists(f)))
    names = [os.path.relpath(os.path.join(d, f), ".") for d, _, files in os.walk(".") for f in files]
    own = [f for f in names if not f.startswith(("build", ".git"))]
    return sorted(f for f in own if any(fnmatch.fnmatch(f, p) for p in patterns))


def text_of(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def without_raw_strings(text):
    """With as many lines as before."""
    return re.sub(r'R"(\w*)\(.*?\)\1"', lambda m: 'R""' + "\n" * m.group(0).count("\n"), text, flags=re.S)


def check_columns():
    for name in tracked("*.cpp", "*.hpp", "*.py", "*.ts"):
        for number, line in enumerate(without_raw_strings(text_of(name)).split("\n"), 1):
            columns = sum(not unicodedata.combining(c) for c in line)  # q̈ is one
            if columns > MOST_COLUMNS:
                found.append(f"{name}:{number}: {columns} columns; {MOST_COLUMNS} at most")


def check_sizes():
    folders = collections.Counter()
    for name in tracked("src/*"):
        folders[os.path.dirname(name)] += 1
        lines = text_of(name).count("\n")
        if lines > MOST_LINES:
            found.append(f"{name}: {lines} lines; {MOST_LINES} at most: it holds two things")
    for folder, count in folders.items():
        if count > MOST_FILES:
            found.append(f"{folder}: {count} files; {MOST_FILES} at most: it wants rooms")
        stage = folder.split("/")[1]
        if stage not in STAGES:
            found.append(f"{folder}: no stage is called so; stages and their order stand in {os.path.relpath(__file__)}")
        if f"`{folder[4:]}/`" not in text_of("docs/architecture.md"):
            found.append(f"{folder}: docs/architecture.md does not say what it holds")


def functions(text):
    """Declaration, first line and number of lines of functions, as clang-format sets them: the declaration begins at
    the margin or, in a class, two columns further, and the body ends with a brace that stands there."""
    indent = first = declaration = None
    has_body = False
    for number, line in enumerate(without_raw_strings(text).split("\n"), 1):
        code = re.sub(r"\s*//.*", "", line)
        margin = len(code) - len(code.lstrip())
        if declaration is None:
            if code and margin in (0, 2) and re.match(r"\s*[\w~\[]", code) and not NOT_A_FUNCTION.match(code):
                indent, first, declaration, has_body = margin, number, code.strip(), False
            else:
                continue
        if not has_body:
            has_body = code.endswith("{")
            if not has_body and code.endswith((";", "}")):
                declaration = None
        elif margin == indent and code.strip().startswith("}"):
            yield declaration, first, number - first + 1
            declaration = None


def check_functions():
    for name in tracked("src/*.cpp", "src/*.hpp"):
        for declaration, number, lines in functions(text_of(name)):
            if lines > MOST_LINES_OF_FUNCTION:
                found.append(f"{name}:{number}: {lines} lines; {MOST_LINES_OF_FUNCTION} at most: {declaration}")


def included(name):
    """Files of src/ that a file includes."""
    for path in re.findall(r'(?m)^\s*#\s*include "([^"]+)"', text_of(name)):
        for candidate in (os.path.normpath(os.path.join(os.path.dirname(name), path)), os.path.join("src", path)):
            if candidate.startswith("src/") and os.path.exists(candidate):
                yield candidate
                break


def check_directions():
    uses = collections.defaultdict(dict)  # room → room → one place
    for name in tracked("src/*.cpp", "src/*.hpp", "src/*.h"):
        for other in included(name):
            room, used = os.path.dirname(name), os.path.dirname(other)
            if room != used:
                uses[room].setdefault(used, f"{name} includes {other}")
    stage = lambda room: STAGES.index(room.split("/")[1])
    for room in list(uses):
        for used, place in uses[room].items():
            if stage(used) > stage(room):
                found.append(f"{place}: {used} stands below {room}")

    def reached(room):
        seen, left = set(), [room]
        while left:
            for used in uses.get(left.pop(), {}):
                if used not in seen:
                    seen.add(used)
                    left.append(used)
        return seen

    for room in sorted(uses):
        for used, place in uses[room].items():
            if stage(used) == stage(room) and room in reached(used):
                found.append(f"{place}: {used} uses {room}, too")


if len(tracked("src/*")) < 100:
    found.append("src/: hardly any file is found, so nothing is checked")
check_columns()
check_sizes()
check_functions()
check_directions()
print("\n".join(found))
print(f"{len(found)} found")
sys.exit(1 if found else 0)
