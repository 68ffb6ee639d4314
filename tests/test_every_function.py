"""What all functions have in common: forms of input, numbers of threads that are refused, progress bars, warnings."""

import inspect
import warnings

import numpy as np
import pytest

import fast
from reference.check.judging.subject import SUBJECTS
from tests.support.check import call_of, cases_of
from tests.support.twins import BOTH, assert_equal

# What a bar shows, and what a warning begins with, where it is not the gap and the tol that was given.
SHOWN = {"fit_passive_aggressive": "mistakes", "fit_truncated_topk_entropy": "gradient", "fit_layerwise": "objective",
         "fit_wsabie": "updates", "fit_one_vs_all": "updates"}  # fmt: skip
WARNED = {"fit_truncated_topk_entropy": "gradient", "fit_layerwise": r"^gap \S+ > tol 1e-09 after \d+ updates"}
EACH_NAME = pytest.mark.parametrize("name", SUBJECTS)


def having(option):
    has = [name for name in SUBJECTS if option in inspect.signature(getattr(fast, name)).parameters]
    return pytest.mark.parametrize("name", has)


def right(name, warns=""):
    """Returns the instances of the catalogue that have an answer and come with this warning."""
    return [case for case in cases_of(name)[1] if not case.refuses and not case.timed and case.warns == warns]


def quiet(module, name, arguments, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module, name)(*arguments, **options)


def with_every_array(name):
    """Yields as few instances as have each argument that may be an array."""
    seen = set()
    for case in right(name):
        arrays = {key: value for key, value in case.arguments.items() if isinstance(value, (np.ndarray, list))}
        if not set(arrays) <= seen and not any(np.float32 == getattr(value, "dtype", 0) for value in arrays.values()):
            seen |= set(arrays)
            yield case


def in_form(change, value):
    """Returns a value, or a list or dictionary of values, with each array in another form."""
    if isinstance(value, dict):
        return {key: in_form(change, part) for key, part in value.items()}
    if isinstance(value, list):
        return [in_form(change, part) for part in value]
    return change(value) if type(value) is np.ndarray else value


def read_only(array):
    array = array.copy(order="K")
    array.flags.writeable = False
    return array


def assert_plain(answer):
    """No array of an answer is one of a file."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        assert not isinstance(part, np.ndarray) or type(part) in (np.ndarray, np.recarray), type(part)


@BOTH
@EACH_NAME
def test_arrays_may_be_read_only_or_on_a_disk_or_lists(module, name, tmp_path):
    def mapped(array):
        path = tmp_path / str(len(list(tmp_path.iterdir())))
        copy = np.memmap(path, array.dtype, "w+", shape=array.shape)
        copy[...] = array
        return copy

    cases = list(with_every_array(name))
    assert cases
    for case in cases:
        expected = quiet(module, name, *call_of(name, case))
        for change in (read_only, mapped, np.ndarray.tolist):
            got = quiet(module, name, *in_form(change, list(call_of(name, case))))
            assert_equal(got, expected)
            assert_plain(got)


@BOTH
@having("n_jobs")
def test_a_bad_number_of_threads_is_named(module, name):
    arguments, options = call_of(name, right(name)[0])
    for wrong in (0, -2, 1.0, True, "2", None):
        with pytest.raises(ValueError, match="n_jobs must be an integer >= 1, or -1 for all processors, got"):
            getattr(module, name)(*arguments, **options | {"n_jobs": wrong})


@BOTH
@having("progress")
def test_a_progress_bar_changes_nothing(module, name, capsys):
    arguments, options = call_of(name, right(name)[0])
    expected = quiet(module, name, arguments, options)
    assert not capsys.readouterr().out
    got = quiet(module, name, arguments, options | {"progress": True})
    assert SHOWN.get(name, "gap") in capsys.readouterr().out
    for field in set(expected._fields) - {"history"}:  # a walk that shows a bar is looked at more often
        assert_equal(getattr(got, field), getattr(expected, field))


@BOTH
@having("tol")
def test_a_fit_that_ends_early_warns_the_caller(module, name):
    arguments, options = call_of(name, right(name, "ConvergenceWarning")[0])
    what = next(what for what in ("iterations", "epochs", "rounds") if f"max_{what}" in options)
    gap = rf"^gap \S+ > tol {options['tol']:.3g} after {options[f'max_{what}']} {what}"
    with pytest.warns(match=WARNED.get(name, gap)) as caught:
        getattr(module, name)(*arguments, **options)
    assert {one.filename for one in caught} == {__file__}
