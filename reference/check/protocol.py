"""How a program in another language is asked: the text that `--help` and the README.md of test vectors show."""

PROGRAM = """\
A program (--command) writes lines of JSON to its standard output, and flushes it after each line. The first line is

    {"functions": ["project_knapsack"], "lacks": {"project_knapsack": ["weights", {"lower": ["array"]}]}, "csr": false}

"csr" says that it takes sparse matrices, and "lacks" what it does not support; both may be left out. Instances that
give a lacking argument (or one of these values; for an array "array", its dtype or "2d") are skipped. Then it reads a
line {"id", "function", "arguments", "positional"} at a time, and writes one of these lines before it reads the next:

    {"id": the same id, "answer": the answer}
    {"id": the same id, "error": "why the arguments are wrong"}
    {"id": the same id, "skip": "what is not supported"}

What is skipped is counted apart: it is neither right nor wrong. An array is a list of numbers. A fit is an object with
its fields; those that CERTIFICATES.md names under "Enough", such as {"duals": [...]}, are enough. The program ends when
its input ends.
"""
