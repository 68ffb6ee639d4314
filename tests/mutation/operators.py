"""Makes mutants of a module: its text with one operator, number, bound, condition or statement changed."""

import ast
from typing import NamedTuple

COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
EXCHANGED = {"min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all", "floor": "ceil"}
EXCHANGED |= {other: one for one, other in EXCHANGED.items()}
LIMITS = (16, 64, 256)  # passes after which a loop ends
UNCHANGED = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)


class Mutation(NamedTuple):
    """One change: `old` at this place of the text becomes `new`."""

    line: int
    start: int
    end: int
    old: str
    new: str
    kind: str

    def applied(self, text):
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self):
        return f"line {self.line}: {' '.join(self.old.split())[:60]} -> {' '.join(self.new.split())[:60]}"


def mutations(text):
    """Returns all Mutations of the functions of a module, in the order of their places.

    Docstrings, defaults, decorators, imports and what raises an error are left alone.
    """
    found = _Finder(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                found.visit(statement)
    unique = {(one.start, one.end, one.new): one for one in found.mutations}
    return sorted(unique.values(), key=lambda one: (one.start, one.end, one.new))


class _Finder(ast.NodeVisitor):
    def __init__(self, text):
        self.text, self.mutations = text, []
        lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))
        self.lines = lines

    def at(self, line, column):
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node):
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def of(self, node):
        first, end = self.span(node)
        return self.text[first:end]

    def change(self, node, new, kind, span=None):
        first, end = span or self.span(node)
        if self.text[first:end] != new:
            self.mutations.append(Mutation(node.lineno, first, end, self.text[first:end], new, kind))

    def visit(self, node):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, UNCHANGED) and not is_docstring:
            super().visit(node)

    def visit_FunctionDef(self, node):
        for statement in node.body:
            self.visit(statement)

    def visit_arguments(self, node):
        pass

    def visit_Compare(self, node):
        if len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            new = f"{self.of(node.left)} {COMPARISONS[type(node.ops[0])]} {self.of(node.comparators[0])}"
            self.change(node, new, "comparison")
        self.generic_visit(node)

    def visit_BinOp(self, node):
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            self.change(node, left, "dropped term")
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            self.change(node, f"{left} {sign} {self.bracketed(node.right, right)}", "sign")
        elif isinstance(node.op, ast.Mult):
            self.change(node, left, "dropped factor")
        elif isinstance(node.op, ast.Div):
            self.change(node, f"{left} * {self.bracketed(node.right, right)}", "division")
        self.generic_visit(node)

    @staticmethod
    def bracketed(node, text):
        return f"({text})" if isinstance(node, (ast.BinOp, ast.IfExp)) else text

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return
        if isinstance(value, int):
            for other in {value + 1, abs(value - 1)}:
                self.change(node, str(other), "off by one")
        else:
            self.change(node, repr(1.01 * value if value else 1e-3), "constant")

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in EXCHANGED:
            _, end = self.span(node.func)
            self.change(node.func, EXCHANGED[name], "extremum", (end - len(name), end))
        self.generic_visit(node)

    def visit_Slice(self, node):
        if node.upper is not None and not isinstance(node.upper, (ast.Constant, ast.UnaryOp)):
            self.change(node.upper, f"{self.of(node.upper)} - 1", "off by one")
        self.generic_visit(node)

    def visit_For(self, node):
        call = node.iter
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("range", "prange") and len(call.args) <= 2:
            last, first = call.args[-1], f"{self.of(call.args[0])} + " if len(call.args) == 2 else ""
            for limit in LIMITS:
                self.change(last, f"min({self.of(last)}, {first}{limit})", "limit")
        self.generic_visit(node)

    def visit_If(self, node):
        self.change(node.test, f"not ({self.of(node.test)})", "condition")
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        word = " or " if isinstance(node.op, ast.And) else " and "
        self.change(node, word.join(f"({self.of(part)})" for part in node.values), "condition")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.change(node, "pass", "dropped statement")
        self.generic_visit(node)
