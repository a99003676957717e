#!/usr/bin/python3
"""Records what a build prints for all embedded models and functions; compares two recordings.

A change that is meant to change nothing (files that move, two texts that become one) is judged by what it leaves alike:

    tests/corpus/corpus.py record build/release/linkwright before.json
    ... change, build ...
    tests/corpus/corpus.py record build/release/linkwright after.json
    tests/corpus/corpus.py compare before.json after.json

Recorded: the JSON of every command on every model, operation counts of every function, and generated C without names
and comments. Numbers are compared bit by bit; where they differ, the largest relative difference is shown. Not a test:
results may change for good reasons, which the commit that changes them gives.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile

FUNCTIONS = [
    "inverse",
    "forward",
    "mass-matrix",
    "bias",
    "gravity",
    "coriolis",
    "centroidal",
    "kinematics",
    "jacobian",
    "energy",
    "regressor",
    "friction",
    "inverse-derivatives",
    "forward-derivatives",
]
LONG = {"humanoid": {"forward-derivatives", "inverse-derivatives", "regressor"}, "quadruped": {"regressor"}}
TIMES = re.compile(r"seconds|_ns$|^ns|time|elapsed|when|date|path|file|folder|compiler|flags|cpu|host")


def run(program, words, folder):
    env = {**os.environ, "XDG_CACHE_HOME": folder}
    done = subprocess.run([program, *words], capture_output=True, text=True, cwd=folder, env=env, timeout=900)
    return done.returncode, done.stdout, done.stderr


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not TIMES.search(k)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def plain_c(text):
    """The calculation alone: comments, white space and names of locals do not count."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"(?m)^\s*#.*$", "", text)
    names, out = {}, []
    for token in re.findall(r"[A-Za-z_]\w*|[0-9][\w.]*(?:[eE][+-]?\d+)?|\S", text):
        if re.match(r"[A-Za-z_]", token):
            token = names.setdefault(token, f"n{len(names)}")
        out.append(token)
    return " ".join(out)


def vector(count, first, step):
    return ",".join(f"{first + step * k:.6g}" for k in range(count))


def commands(model):
    """Command lines on a model, without the program. `model` is what `check --json` says of it."""
    name, loops = model["model"], model["loops"]
    nv = len(model["actuated"]) if loops else model["nv"]
    plain = not loops and model["nq"] == model["nv"]
    q = ["--q=" + vector(model["nq"], 0.3, 0.17)] if plain else []
    v = lambda option: [option + "=" + vector(nv, 0.4, -0.13)]
    yield ["check", name]
    for friction in [], ["--friction"]:
        yield ["inverse", name, *q, *v("--qd"), *v("--qdd"), *friction]
        yield ["forward", name, *q, *v("--qd"), *v("--tau"), *friction]
    yield ["inverse", name, *q, *v("--qd"), *v("--qdd"), "--reactions"]
    for method in "ness", "lagrange", "noc":
        yield ["inverse", name, *q, *v("--qd"), *v("--qdd"), "--method", method]
    yield ["mass-matrix", name, *q]
    yield ["bias", name, *q, *v("--qd")]
    yield ["kinematics", name, *q]
    for f in "inverse", "forward":
        yield ["derivatives", name, "--function", f, *q, *v("--qd")]
    if loops:
        yield ["assemble", name]
    else:
        yield ["regressor", name, *q, *v("--qd"), *v("--qdd")]
        yield ["regressor", name, "--parameters", "base"]
        yield ["schedule", name, "--function", "inverse", "--processors", "3"]
    yield ["simulate", name, "--duration", "0.2", "--integrator", "dormand-prince", "--no-compile"]
    for f in FUNCTIONS:
        if f in LONG.get(name, ()) or (loops and f == "regressor"):
            continue
        yield ["count", name, "--function", f]
        yield ["compile", name, "--functions", f, "--no-fma"]
    yield ["count", name, "--function", "inverse", "--friction"]


def record(program, out, only):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as top:
        names = [m["name"] for m in json.loads(run(program, ["models", "--json"], top)[1])["models"]]
        names = [n for n in names if not only or n in only]
        jobs = []
        for name in names:
            model = json.loads(run(program, ["check", name, "--json"], top)[1])
            model["model"] = name
            if model["loops"]:
                bias = json.loads(run(program, ["mass-matrix", name, "--json"], top)[1])
                model["actuated"] = bias["velocity_names"]
            jobs += commands(model)

        def one(words):
            with tempfile.TemporaryDirectory(dir=top) as folder:
                more = ["--out", folder + "/out"] if words[0] == "compile" else []
                status, text, error = run(program, [*words, *more, "--json", "--quiet"], folder)
                result = {"status": status}
                if status not in (0, 1):
                    result["error"] = error.replace(folder, "")
                elif words[0] == "compile":
                    source = next(
                        f for f in sorted(os.listdir(folder + "/out")) if f.endswith(".c") and "selftest" not in f
                    )
                    result["c"] = hashlib.sha256(plain_c(open(f"{folder}/out/{source}").read()).encode()).hexdigest()
                else:
                    result["json"] = without_times(json.loads(text))
                return " ".join(words), result

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = {}
            for n, (key, result) in enumerate(pool.map(one, jobs)):
                results[key] = result
                if n % 50 == 0:
                    print(f"{n} of {len(jobs)}", file=sys.stderr)
    with open(out, "w") as file:
        json.dump(results, file, indent=0, sort_keys=True)


def differences(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                yield f"{where}/{key}", "only " + ("after" if key in b else "before"), math.inf
            else:
                yield from differences(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        size = max((abs(x) for x in a if isinstance(x, (int, float))), default=0.0)
        for k, (x, y) in enumerate(zip(a, b)):
            for place, what, part in differences(x, y, f"{where}/{k}"):
                yield place, what, part if not isinstance(x, float) or not size else abs(x - y) / size
    elif a != b:
        number = all(isinstance(x, (int, float)) for x in (a, b))
        yield where, f"{a} | {b}"[:150], abs(a - b) / max(abs(a), abs(b)) if number else math.inf


def compare(before, after):
    a, b = (json.load(open(f)) for f in (before, after))
    worst = 0
    for key in sorted(a.keys() | b.keys()):
        found = list(differences(a.get(key, {}), b.get(key, {})))
        if not found:
            continue
        place, what, part = max(found, key=lambda d: d[2])
        worst += 1
        print(f"{key}: {len(found)} differ, most {part:.1e} at {place}: {what}")
    print(f"{len(a)} recorded before, {len(b)} after, {worst} differ")
    return worst > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("first", help="the program, or the first recording")
    parser.add_argument("second", help="the file to write, or the second recording")
    parser.add_argument("--model", action="append", help="these models alone")
    args = parser.parse_args()
    if args.action == "compare":
        return compare(args.first, args.second)
    return record(args.first, args.second, args.model)


if __name__ == "__main__":
    sys.exit(main())
