"""Do last violators help, and when? The regime that the paper of Wsabie++ describes, made to order (notebook 12).

Run from the top of the checkout:

    make study STUDY=wsabie_regime            or            python -m notebooks.studies.wsabie_regime [processes]

Data (module `synonyms`): 2000 or 10 000 classes, half of them in families of 2 to 8 synonyms with one distribution, 200
training examples a class on average, with an exponential distribution of class sizes. The embedding has far fewer
dimensions than the data. An example carries one random synonym as its label. An answer is right if it is any synonym.

Walks (module `wsabie_walks`): Wsabie++ with Q last violators, in two readings of section 6. Cleared: an example without
a violator clears the memory of its class, as in Table 3. Kept: the memory stays until another violator is stored, as
the numbered steps of section 6.2 have it. Controls:

* an oracle, which never draws a synonym of the label;
* violations that are ignored at random, in each pass the share of them that the walk with Q = 8 and the same seed
  ignored, for all classes together or for each half of the classes;
* pairs only: the classes of the chain are never drawn, as (15) ignores them, but the example is not skipped. The last
  violator stays while it violates;
* pulled: a skipped example still moves the prototype of its label towards it, and moves nothing else;
* Q = 8 from the second pass on, so that no class freezes at the start;
* weights by rank (harmonic) in place of 1.

Margin and step size are half decades. They are chosen on data of seed 0, by the mean accuracy of three walks of one
pass on 10 000 validation examples: from a first pair, the search goes to the best of the six pairs around it, until
none is better. A pair is dropped after one walk if that is more than a point behind. The rows of OPTIONS_OF have the
options of the walk that they are compared with. One walk with Q = 8 at every pair of a coarse grid shows whether the
search has missed a better place. Then walks on three other data sets, seeds 1 to 3 (and 4 to 6 for REPEATED), are
judged on 20 000 test examples after 1, 2 and 5 passes.

Cost, measured on one core: a step takes 0.6 + 0.008 d + 0.01 e microseconds, and 10 + 0.17 e nanoseconds more for each
class that it draws. Q costs nothing. The draws decide, since an example without a violator draws m classes: with 2000
classes and d = 64, after a pass, a step draws 90, 270, 590, 1000 and 1300 on average for e = 4, 8, 16, 32 and 64, and
takes 2, 4, 8, 15 and 28 microseconds. A pass has 200 m steps, a search about 15 walks of a pass. The stored rows took
three hours on one core of a busy machine: 43 minutes for the walks of 40 and 100 passes, 35 for 10 000 classes, 30 for
e = 64, 22 for e = 16, 18 for e = 32, 20 for e = 8, 9 for options of other rules, 8 for d = 256, 4 for e = 4.
A row is stored when it is done, and is not computed again. Rows are computed in the order of PLAN, which begins with
what the question needs most.
"""

import json
import sys
import time
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .paired import INDEPENDENT, difference
from .synonyms import judged, problem
from .wsabie_walks import IGNORED, MOVED, Walk

RESULTS = Path(__file__).parents[1] / "results" / "wsabie_regime.json"
PER_CLASS, SEEDS, CHOICE_SEED, CHOICE_WALKS = 200, (1, 2, 3), 0, (0, 1, 2)
FRESH_SEEDS = (4, 5, 6)  # of data that no row had seen when the plan was made; they double the data of REPEATED
LOOKS, LONG_LOOKS = (1, 2, 5), (1, 2, 5, 10, 20, 40)  # passes after which a walk is judged
LONGEST_LOOKS = (*LONG_LOOKS, 100)
FIRST_OPTIONS = (0.0, -0.5)  # exponents of margin and step size, where the first search begins
LIMITS = ((-2.0, 4.0), (-2.0, 1.5))
AROUND = [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5), (0.5, 0.5), (-0.5, -0.5)]
BEHIND = 0.01  # a pair is dropped after one walk that is so far behind the best


class Setting(NamedTuple):
    """What the data and the embedding are."""

    n_classes: int
    d: int
    e: int

    def __str__(self):
        return f"{self.n_classes} classes, d = {self.d}, e = {self.e}"


RUNGS = {
    "Q = 0": {},
    "Q = 1": {"last_violators": 1},
    "Q = 8": {"last_violators": 8},
    "Q = 32": {"last_violators": 32},
    "Q = 1, kept": {"last_violators": 1, "kept": True},
    "Q = 8, kept": {"last_violators": 8, "kept": True},
    "Q = 32, kept": {"last_violators": 32, "kept": True},
    "oracle": {"oracle": True},
    "random": {"random": "one rate"},
    "random, by half": {"random": "by half"},
    "Q = 0, options of Q = 8": {},
    "Q = 8, pairs only": {"pairs": 8},
    "Q = 1, pairs only": {"pairs": 1},
    "Q = 32, pairs only": {"pairs": 32},
    "Q = 8, after a pass": {"last_violators": 8, "late": True},
    "Q = 8, pulled": {"last_violators": 8, "pulls": True},
    "Q = 0, harmonic": {"weighting": "harmonic"},
    "Q = 8, harmonic": {"last_violators": 8, "weighting": "harmonic"},
    "Q = 0, options of pairs only": {},
    "Q = 0, options of oracle": {},
    "Q = 8, pairs only, options of Q = 0": {"pairs": 8},
    "oracle, options of Q = 0": {"oracle": True},
    "Q = 8, options of Q = 0": {"last_violators": 8},
    "Q = 8, pulled, options of Q = 8": {"last_violators": 8, "pulls": True},
}
OPTIONS_OF = {f"Q = {q}, kept": f"Q = {q}" for q in (1, 8, 32)}
OPTIONS_OF |= dict.fromkeys(("random", "random, by half", "Q = 0, options of Q = 8", "Q = 8, after a pass"), "Q = 8")
OPTIONS_OF |= {f"Q = {q}, pairs only": "Q = 8, pairs only" for q in (1, 32)}
SWAPPED = {"Q = 0, options of pairs only": "Q = 8, pairs only", "Q = 0, options of oracle": "oracle"}
SWAPPED |= {f"{name}, options of Q = 0": "Q = 0" for name in ("Q = 8, pairs only", "oracle", "Q = 8")}
SWAPPED |= {"Q = 8, pulled, options of Q = 8": "Q = 8"}
OPTIONS_OF |= SWAPPED
FEW = ("Q = 0", "Q = 8", "Q = 8, pairs only", "oracle")
MAIN = (*FEW, "Q = 1", "Q = 32")
CENTRE = Setting(2000, 64, 8)
WIDE, LARGE = Setting(2000, 256, 8), Setting(10_000, 64, 8)
LATER = ("Q = 1, pairs only", "Q = 32, pairs only", "Q = 8, after a pass", "Q = 0, harmonic", "Q = 8, harmonic")
PULLED = "Q = 8, pulled"
CENTRAL = tuple(name for name in RUNGS if name not in (*LATER, PULLED, *SWAPPED))
FOUR, SIXTEEN = CENTRE._replace(e=4), CENTRE._replace(e=16)
COARSE = [(float(a), b + 0.5) for a in range(-2, 5) for b in (-2, -1, 0)]  # decades
# In this order: a setting, its rungs, and the passes after which they are judged.
PLAN = [(CENTRE, CENTRAL + LATER[2:], LOOKS), (SIXTEEN, FEW, LOOKS), (FOUR, FEW, LOOKS)]
PLAN += [(SIXTEEN, CENTRAL, LOOKS), (CENTRE, tuple(RUNGS), LOOKS), (FOUR, MAIN, LOOKS)]
PLAN += [(WIDE, FEW, LOOKS), (Setting(2000, 64, 32), FEW, LOOKS)]
PLAN += [(CENTRE, FEW, LONG_LOOKS), (Setting(2000, 64, 64), FEW, LOOKS), (LARGE, FEW, LOOKS[:2])]
PLAN += [(CENTRE, FEW[:2], LONGEST_LOOKS)]
PLAN += [(CENTRE._replace(e=e), ("Q = 0, options of Q = 8", "Q = 8, options of Q = 0"), LOOKS) for e in (32, 64)]

# With three data sets, no difference outlives the correction for many comparisons. So the centre has six.
REPEATED = [(CENTRE, tuple(RUNGS), LOOKS)]


# --- what was stored -------------------------------------------------------------------------------------------------


def stored():
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def store(key, row):
    """Add a row to the file. Another process may be reading it."""
    RESULTS.parent.mkdir(exist_ok=True)
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted((stored() | {key: row}).items()))
    beside = RESULTS.with_suffix(".new")
    beside.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    beside.replace(RESULTS)


def choice_key(setting, name):
    return f"{setting}: choice for {OPTIONS_OF.get(name, name)}"


def coarse_key(setting, name):
    return f"{setting}: coarse grid for {name}"


def walk_key(setting, name, looks, seed):
    return f"{setting}, {looks[-1]} passes: {name}, seed {seed}"


# --- what the notebook reads -----------------------------------------------------------------------------------------


def values(rows, setting, name, measure, passes=None, looks=LOOKS, seeds=SEEDS):
    """A measure of the walks of the seeds, (seeds,) or (seeds, parts), in points; or None if a walk is missing."""
    keys = [walk_key(setting, name, looks, seed) for seed in seeds]
    if not all(key in rows for key in keys):
        return None
    return 100 * np.array([rows[key]["looks"][str(passes or looks[-1])][measure] for key in keys])


def gain(rows, setting, name, measure, over="Q = 0", passes=None, looks=LOOKS, seeds=SEEDS):
    """By how much a rung is better than another one, seed by seed, in points; or None if a walk is missing."""
    two = [values(rows, setting, rung, measure, passes, looks, seeds) for rung in (name, over)]
    return None if two[0] is None or two[1] is None else two[0] - two[1]


def gain_at_equal_moves(rows, setting, name, measure, part=0, over="Q = 0", looks=LOOKS, seeds=SEEDS):
    """The same, (seeds,), at equal numbers of steps that moved something, for one part of the measure.

    The larger of the two numbers is reduced: the curve of the walk that has it is interpolated between its looks, along
    the logarithm of the steps moved.
    """
    if gain(rows, setting, name, measure, over, None, looks, seeds) is None:
        return None
    found = []
    for seed in seeds:
        two = [rows[walk_key(setting, rung, looks, seed)]["looks"].values() for rung in (name, over)]
        moves = [[at["updates"] for at in curve] for curve in two]
        curves = [[np.ravel(at[measure])[part] for at in curve] for curve in two]
        least = min(moves[0][-1], moves[1][-1])
        found.append(np.subtract(*(np.interp(np.log(least), np.log(m), c) for m, c in zip(moves, curves, strict=True))))
    return 100 * np.array(found)


def mean_and_error(points):
    """The mean and its standard error."""
    return difference(points, 0.0, INDEPENDENT)[:2]


def verdict(points):
    """What the difference of walks on the same data says: better, worse, or nothing, by Student's t at 95 %."""
    words = {"higher": "better", "lower": "worse", "open": "no difference seen"}
    return words[difference(points, 0.0, INDEPENDENT).verdict]


# --- margin and step size --------------------------------------------------------------------------------------------


def choose(score, begin):
    """(best pair, accuracies of all pairs): the search among half decades, from the pair `begin`.

    score(pair, floor) returns accuracies of walks: of one walk only if that is below the floor.
    """
    tried = {begin: score(begin, 0.0)}
    whole = len(tried[begin])
    while True:
        best = max((pair for pair in sorted(tried) if len(tried[pair]) == whole), key=lambda pair: np.mean(tried[pair]))
        pairs = [(best[0] + a, best[1] + b) for a, b in AROUND]
        new = [p for p in pairs if p not in tried and all(x <= v <= y for v, (x, y) in zip(p, LIMITS, strict=True))]
        if not new:
            return best, tried
        for pair in new:
            top = max(np.mean(values) for values in tried.values() if len(values) == whole)
            tried[pair] = score(pair, top - BEHIND)


def validated(setting, name, pair, floor=0.0):
    """Accuracies on the validation part after a pass. One walk only if it is below the floor."""
    data, found = problem(setting.n_classes, setting.d, PER_CLASS, CHOICE_SEED), []
    for seed in CHOICE_WALKS:
        walk = Walk(data, RUNGS[name], setting.e, 10.0 ** pair[0], 10.0 ** pair[1], seed)
        walk.go(len(data.train[1]))
        found.append(judged(data, walk.fit(), brief=True)["all"])
        if found[-1] < floor:
            return found
    return found


def coarse(setting, name):
    """Accuracies of one walk a pair on the grid COARSE: is there a better place, far from where the search began?"""
    return {"tried": {f"{a} {b}": validated(setting, name, (a, b), np.inf) for a, b in COARSE}}


def choice(setting, name):
    """The row of a choice. The search begins where a similar one has ended."""
    rows = stored()
    similar = [choice_key(*at) for at in ((CENTRE, name), (setting, "Q = 0"), (CENTRE, "Q = 0"))]
    begin = next((tuple(rows[key]["best"]) for key in similar if key in rows), FIRST_OPTIONS)
    best, tried = choose(lambda pair, floor: validated(setting, name, pair, floor), begin)
    return {"best": best, "tried": {f"{a} {b}": values for (a, b), values in sorted(tried.items())}}


# --- walks -----------------------------------------------------------------------------------------------------------


def random_chances(setting, name, looks, seed, data):
    """For each pass the chance (m,) to ignore a violation, from the counts of the walk with Q = 8."""
    if "random" not in RUNGS[name]:
        return None
    counts = np.array(stored()[walk_key(setting, "Q = 8", looks, seed)]["examples"])  # passes, halves, three counts
    if RUNGS[name]["random"] == "one rate":
        counts = counts.sum(axis=1, keepdims=True).repeat(2, axis=1)
    share = counts[..., IGNORED] / (counts[..., IGNORED] + counts[..., MOVED])
    return share[:, (np.arange(len(data.cloud)) >= data.first_synonym).astype(int)]


def judged_walk(setting, name, looks, seed, last_look=None):
    """The row of a walk. `last_look` ends it early.

    `examples` has for each pass and half of the classes how many examples moved something, were ignored, and had no
    violator; `frozen` how many classes had all their examples ignored.
    """
    pair, same = stored()[choice_key(setting, name)]["best"], stored().get(walk_key(setting, "Q = 0", looks, seed))
    if name != "Q = 0" and RUNGS[name] == {} and same and pair == [same["margin"], same["step_size"]] and not last_look:
        return same
    data = problem(setting.n_classes, setting.d, PER_CLASS, seed)
    walk = Walk(data, RUNGS[name], setting.e, 10.0 ** pair[0], 10.0 ** pair[1], seed)
    chances, before = random_chances(setting, name, looks, seed, data), 0
    row, halves = {"looks": {}, "examples": [], "frozen": []}, [0, data.first_synonym]
    for done in range(1, (last_look or looks[-1]) + 1):
        if chances is not None:
            walk.control.chance[:] = chances[done - 1]
        if "late" in RUNGS[name]:
            walk.rule = walk.rule._replace(links=RUNGS[name]["last_violators"] if done > 1 else 0)
        walk.go(len(data.train[1]))
        counts, before = walk.control.counts - before, walk.control.counts.copy()
        row["examples"].append(np.add.reduceat(counts, halves).tolist())
        frozen = (counts[:, IGNORED] > 0) & (counts[:, IGNORED] == counts.sum(axis=1))
        row["frozen"].append(np.add.reduceat(frozen.astype(int), halves).tolist())
        if done in looks:
            row["looks"][str(done)] = {"updates": walk.updates} | judged(data, walk.fit())
    return row | {"margin": pair[0], "step_size": pair[1]}


def jobs():
    """Groups of (key, function, arguments), without repetition. Those of a group do not need each other."""
    listed = set()
    for setting, names, looks, seeds in [(*part, SEEDS) for part in PLAN] + [(*part, FRESH_SEEDS) for part in REPEATED]:
        own = [name for name in names if name not in OPTIONS_OF]
        choices = [(choice_key(setting, name), choice, (setting, name)) for name in own]
        grid = [(coarse_key(CENTRE, "Q = 8"), coarse, (CENTRE, "Q = 8"))]
        groups = [choices[:1], choices[1:], grid]  # the other searches begin where that of Q = 0 has ended
        for seed in seeds:
            for late in (False, True):  # random ignoring needs the counts of Q = 8
                part = [name for name in names if ("random" in RUNGS[name]) == late]
                keys = [walk_key(setting, name, looks, seed) for name in part]
                arguments = [(setting, name, looks, seed) for name in part]
                groups.append([(key, judged_walk, given) for key, given in zip(keys, arguments, strict=True)])
        for group in groups:
            yield [job for job in group if job[0] not in listed]
            listed |= {job[0] for job in group}


def run(job):
    key, function, arguments = job
    began = time.process_time()
    row = function(*arguments)
    return key, row | {"seconds": round(time.process_time() - began, 1)}


def main(processes=2):
    with Pool(processes) as pool:
        for group in jobs():
            todo = [job for job in group if job[0] not in stored()]
            for key, row in pool.imap_unordered(run, todo):
                store(key, row)
                what = row.get("best") or [v["all"] for v in row.get("looks", {}).values()]
                print(f"{key:60} {what}  {row['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
