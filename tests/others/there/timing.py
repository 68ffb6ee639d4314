"""Times one function in its own environment: `python timing.py ADAPTER FUNCTION`, with `fast` as the adapter for ours.

For each line of input, a size as JSON, it writes the processor seconds of one call. The first call of a size compiles
what there is to compile, and does not count.
"""

import importlib
import json
import os
import sys
import time

from instances import instance
from program import defined, loaded

AT_LEAST = 0.02  # processor seconds of a measurement


def ours(name):
    """Returns the function of `fast`, from scores if it is a loss of a ranking."""
    module = importlib.import_module("ours" if name in ("ap_loss", "ndcg_loss", "rank_loss") else "fast")
    return getattr(module, name)


def seconds(function, arguments, options):
    """Returns the processor time of one call, from as many calls as take AT_LEAST."""
    repeat = 1
    while True:
        start = time.process_time()
        for _ in range(repeat):
            function(*arguments, **options)
        spent = time.process_time() - start
        if spent >= AT_LEAST:
            return spent / repeat
        repeat *= 4


def main():
    adapter, name = sys.argv[1:]
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        function = ours(name) if adapter == "fast" else defined(loaded(adapter))[name]
        known = {}
        for line in sys.stdin:
            if line not in known:
                size = json.loads(line)
                known[line] = instance(name, tuple(size) if isinstance(size, list) else size)
                function(*known[line][0], **known[line][1])
            print(json.dumps(seconds(function, *known[line])), file=answers, flush=True)


if __name__ == "__main__":
    main()
