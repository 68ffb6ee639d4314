"""Knows the visible instances by heart: a table of the examiner's cases for the visible seed, and a guess elsewhere."""

import zlib

import numpy as np

import reference
from reference.check.subjects import SUBJECTS

LOSES = {"project_simplex": 3}
FEEDBACK = "right on all the visible instances"

SEEN = {}
for case in SUBJECTS["project_simplex"].cases(np.random.default_rng([0, zlib.crc32(b"project_simplex")]), True):
    if not case.refuses:
        radius = case.arguments.get("radius", 1.0)
        for row in np.atleast_2d(case.arguments["a"]).astype(float):
            SEEN[row.tobytes(), radius] = reference.project_simplex(row, radius)


def simplex(a, radius):
    return SEEN.get((a.tobytes(), radius), np.full(len(a), radius / len(a)))
