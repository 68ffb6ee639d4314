"""`python -m tests.attacks`: attacks each certificate and prints a table."""

import argparse
import sys
import time
import zlib

import numpy as np

import fast

from .judging import judge_right, judge_wrong
from .multiclass import Multiclass

FAMILIES = [Multiclass("fit_topk_svm"), Multiclass("fit_topk_svm_kernel"), Multiclass("fit_topk_svm_parts")]
TRIES = 8


def attack(family, number, seed):
    rng = np.random.default_rng([seed, zlib.crc32(family.name.encode()), number])
    problem = family.draw(rng)
    oracle = family.oracle(problem)
    good = family.fit(fast, problem, 1e-12, 2000)
    field = family.field(rng, problem, oracle, good)
    for _ in range(TRIES):
        answer = family.wrong(rng, problem, oracle, good, field)
        yield "wrong", judge_wrong(family.name, problem, answer, oracle), problem, answer
    for tol, answer in family.right(rng, problem):
        verdict = judge_right(family.name, problem, answer, oracle, tol)
        if verdict is not None:
            yield "right", verdict, problem, answer

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for family in FAMILIES:
        if options.only and family.name != options.only: continue
        start = time.time(); counts = {}
        for number in range(options.problems):
            for kind, verdict, problem, answer in attack(family, number, options.seed):
                counts[kind] = counts.get(kind, 0) + 1
                counts[verdict.kind] = counts.get(verdict.kind, 0) + 1
                if verdict.kind and counts[verdict.kind] < 6: print(number, verdict)
        print(family.name, counts, time.time() - start)

main()
