"""The JSON Schema of a line of NAME.jsonl, and of NAME.answers.jsonl; and the fields of each fit."""

import typing

import reference

from ..judging.spec import DTYPES, is_array
from ..judging.specs import SPECS

VERSION = 1  # of the format; a change that breaks a reader raises it

_NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}
_SHAPE = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_DTYPE = {"enum": ["bool", "float32", "float64", *_INTEGERS]}
_INDICES = {"type": "array", "items": {"type": "integer"}}


def _fit(spec, fields):
    """Returns the schema of what a function returns, of which some fields are enough."""
    shapes = {} if callable(spec.answer) else {name: axes for name, axes in spec.answer.items() if is_array(axes)}
    sizes = {name: [word for word in axes.split() if word not in DTYPES] for name, axes in shapes.items()}
    described = {name: {"description": f"shape ({', '.join(words)})"} for name, words in sizes.items()}
    return {
        "description": f"The fields of the answer of {spec.name}. Those that are required are enough.",
        "type": "object",
        "properties": {name: {**described.get(name, {}), "$ref": "#/$defs/value"} for name in fields},
        "required": list(spec.enough),
    }


def _fits():
    """Yields (name of a function, schema of its fit)."""
    for name, spec in SPECS.items():
        fields = getattr(typing.get_type_hints(getattr(reference, name))["return"], "_fields", ())
        if fields:
            yield name, _fit(spec, fields)


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Test vectors for large-margin ranking and top-k classification",
    "description": "Each line of NAME.jsonl is an instance, each line of NAME.answers.jsonl is an answer.",
    "$ref": "#/$defs/instance",
    "$defs": {
        "array": {
            "description": "Numbers in row-major order.",
            "type": "object",
            "properties": {
                "dtype": _DTYPE,
                "shape": _SHAPE,
                "data": {"type": "array", "items": {"anyOf": [_NUMBER, {"type": "boolean"}]}},
            },
            "required": ["dtype", "shape", "data"],
            "additionalProperties": False,
        },
        "csr": {
            "description": "Row i has data[p] in column indices[p], for p from indptr[i] to indptr[i + 1] - 1.",
            "type": "object",
            "properties": {
                "csr": {
                    "type": "object",
                    "properties": {
                        "dtype": _DTYPE,
                        "shape": _SHAPE,
                        "data": {"type": "array", "items": {"anyOf": [_NUMBER, {"type": "boolean"}]}},
                        "indices": _INDICES,
                        "indptr": _INDICES,
                    },
                    "required": ["dtype", "shape", "data", "indices", "indptr"],
                    "additionalProperties": False,
                }
            },
            "required": ["csr"],
            "additionalProperties": False,
        },
        "fit": {
            "description": "A fit or another answer of several parts, by their names.",
            "type": "object",
            "properties": {"fit": {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}}},
            "required": ["fit"],
            "additionalProperties": False,
        },
        "value": {
            "anyOf": [
                _NUMBER,
                {"type": ["boolean", "null", "string"]},
                {"$ref": "#/$defs/array"},
                {"$ref": "#/$defs/csr"},
                {"$ref": "#/$defs/fit"},
                {"type": "array", "items": {"$ref": "#/$defs/value"}},
            ]
        },
        "instance": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "version": {"const": VERSION},
                "function": {"type": "string"},
                "arguments": {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
                "positional": {
                    "description": "How many arguments come first, without a name; the others are options.",
                    "type": "integer",
                    "minimum": 1,
                },
                "why": {"description": "What is special about the instance.", "type": "string"},
                "source": {"description": "The place in the papers.", "type": "string"},
                "refuses": {
                    "description": "The instance is wrong: the answer must be an error that names one of these.",
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                },
                "warns": {"description": "The warning of the Python functions that goes with it.", "type": "string"},
                "expected": {"description": "A right answer.", "$ref": "#/$defs/value"},
                "known_by": {"enum": ["ground truth", "optimality conditions"]},
                "tolerance": {
                    "description": "The relative error that rounding explains. Fits are judged by their certificates.",
                    "type": "number",
                },
            },
            "required": ["id", "version", "function", "arguments", "positional", "why", "source"],
            "oneOf": [{"required": ["refuses"]}, {"required": ["expected", "known_by", "tolerance"]}],
            "additionalProperties": False,
        },
        "answer": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "answer": True,
                "error": {"type": "string"},
                "skip": {"description": "Why there is no answer: it is counted apart.", "type": "string"},
            },
            "required": ["id"],
            "oneOf": [{"required": ["answer"]}, {"required": ["error"]}, {"required": ["skip"]}],
        },
        **dict(_fits()),
    },
}
