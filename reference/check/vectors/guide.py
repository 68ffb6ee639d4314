"""The README.md that is written beside the test vectors."""

GUIDE = """# Test vectors for large-margin ranking and top-k classification

Format {version}, seed {seed}. Each file NAME.jsonl holds instances of one function, one JSON object a line.

1. Read a line. Its `arguments` are those of `reference.NAME`, whose docstring states the problem. An array is
   `{{"dtype", "shape", "data"}}` with the numbers in row-major order. JSON has no infinities and no NaN: they are the
   words `"inf"`, `"-inf"` and `"nan"`.
2. Solve it. Compare with `expected`, or leave the judgement to the last step.
3. Write a line to NAME.answers.jsonl: `{{"id": the same id, "answer": your answer}}`. Write an array as above, or as a
   plain list, nested or flat in row-major order. Write an answer with several parts as an object with their names.
   Of a fit, the fields that `schema.json` requires are enough; the schema lists all fields of each fit.
4. Where the instance has `refuses`, the arguments are wrong on purpose: answer `{{"id": ..., "error": "a message"}}`.
   Where your code does not support an instance, write `{{"id": ..., "skip": "why"}}`: it is counted apart.
5. Run `python -m reference.check --verify FOLDER`. It compares all answers with ground truth, computes their
   certificates, prints a table and the smallest failing instance, and exits with 0 if all answers are right.

NAME.csr.jsonl holds instances with sparse matrices. Leave it unanswered if your code takes dense ones only. `tolerance`
is the relative error that rounding explains. A fit is judged by its certificate instead, such as its duality gap, so
another fit of the same quality is right, too. A method that draws random numbers gets them as an argument where they
decide the result. Where only a seed is given, what holds for all draws is checked. `schema.json` describes every field.

## A running program

{program}"""
