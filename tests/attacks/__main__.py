"""`python -m tests.attacks`: attacks each certificate and prints a table."""

import argparse
import time
import zlib

import numpy as np

from .judging import judge_right, judge_wrong
from .multiclass import Multilabel, TopK
from .samples import TopRank

FAMILIES = [TopK("fit_topk_svm"), TopK("fit_topk_svm_kernel"), TopK("fit_topk_svm_parts","max_rounds"), TopK("fit_topk_entropy"), TopK("fit_topk_entropy_kernel"), Multilabel("fit_multilabel"), TopRank("fit_top_push", "max_iterations"), TopRank("fit_svm_perf", "max_iterations")]
TRIES = 8


def attack(family, number, seed):
    rng = np.random.default_rng([seed, zlib.crc32(family.name.encode()), number])
    problem = family.draw(rng)
    oracle = family.oracle(problem)
    field = family.field(rng, problem, oracle)
    for _ in range(TRIES):
        answer = family.wrong(rng, problem, oracle, field)
        yield "wrong", judge_wrong(family.name, problem, answer, oracle), problem, answer
    for tol, answer in family.right(rng, problem, oracle):
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
