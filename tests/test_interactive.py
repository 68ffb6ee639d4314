"""The figures with a slider: what the notebooks store can be drawn, moves, is small, and is what the code computes."""

import ast
import base64
import json
import sys
from io import BytesIO
from pathlib import Path

import matplotlib.image
import nbformat
import numpy as np
import plotly.graph_objects
import pytest

import reference

FOLDER = Path(__file__).parents[1] / "notebooks"
sys.path.append(str(FOLDER))

from interactive import (  # noqa: E402
    lifted_negative,
    next_plane,
    prototypes,
    sdca_epochs,
    slider,
    squishing,
    topk_path,
    traces,
)
from interactive.panel import Panel  # noqa: E402

LARGEST = 60_000  # characters of JSON a figure
SHARE = 2e-3  # numbers are stored with four digits, and another machine may round the last one otherwise

# What a cell takes from its notebook
NAMES = {
    "seven": np.array([0.9, 1.6, -0.4, 0.6, 1.3, 0.1, 0.75]),
    "column": np.array([0.0, 3.0, 2.6, 2.4, 1.4, 0.7, -0.5]),
}


def stored():
    """Each cell with such a figure: the notebook's name, and the cell."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code" and any(slider.PLOTLY in output.get("data", {}) for output in cell.outputs):
                yield path.stem, cell


CELLS = list(stored())
each_figure = pytest.mark.parametrize("cell", [cell for _, cell in CELLS], ids=[name for name, _ in CELLS])


def bundle(cell):
    (output,) = cell.outputs
    return output["data"]


def computed(cell):
    """The value of the cell's last line, computed anew."""
    *lines, last = ast.parse(cell.source).body
    names = NAMES | {"np": np}
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def numbers_in(value):
    """The numbers, with dicts in the order of their keys: Jupyter sorts the keys of what it stores."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return [number for entry in value for number in numbers_in(entry)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


def without_numbers(value):
    if isinstance(value, dict):
        return {key: without_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_numbers(entry) for entry in value]
    return 0 if isinstance(value, int | float) and not isinstance(value, bool) else value


def small_figure(**options):
    fixed, places = traces.line([0, 1], [0, 1], "#000", "fixed"), {"low": 0, "high": 1 / 3}
    frames = [slider.Frame(name, [fixed, traces.points([x], [x], "#000", "moves")], name) for name, x in places.items()]
    options = {"slider": "height", "alt": "A point on a line.", "stills": (0, 1)} | options
    return slider.SliderFigure([Panel("x", "y", (0, 1), (0, 1))], frames, **options)


def test_the_notebooks_have_them():
    got = {name[:2] for name, _ in CELLS}
    expected = {"01", "03", "04", "06", "07", "08", "11", "14"}
    assert got >= expected


@each_figure
def test_stored_in_three_forms_with_one_sentence(cell):
    data = bundle(cell)
    assert set(data) == {slider.PLOTLY, "image/png", "text/plain"}
    assert data["text/plain"] == cell.metadata["alt"]
    assert len(data["text/plain"].split()) >= 15 and data["text/plain"].endswith(".")


@each_figure
def test_json_is_a_small_figure_of_plotly_without_a_template(cell):
    spec = bundle(cell)[slider.PLOTLY]
    assert len(json.dumps(spec, separators=(",", ":"))) <= LARGEST
    assert "template" not in spec["layout"]
    plotly.graph_objects.Figure({key: spec[key] for key in ("data", "layout", "frames")})


@each_figure
def test_each_step_of_the_slider_moves_something(cell):
    spec = bundle(cell)[slider.PLOTLY]
    frames, (control,) = {frame["name"]: frame for frame in spec["frames"]}, spec["layout"]["sliders"]
    steps = [step["args"][0] for step in control["steps"]]
    assert steps == [[name] for name in frames] and len(steps) >= 3
    moved = [frame["data"] for frame in frames.values()]
    assert all(one != other for one, other in zip(moved, moved[1:], strict=False))
    assert all(max(frame["traces"]) < len(spec["data"]) for frame in frames.values())


@each_figure
def test_axes_are_named_and_methods_are_in_the_legend(cell):
    spec = bundle(cell)[slider.PLOTLY]
    axes = [axis for key, axis in spec["layout"].items() if key.startswith(("xaxis", "yaxis"))]
    axes += [spec["layout"]["scene"][f"{letter}axis"] for letter in "xyz" if "scene" in spec["layout"]]
    assert axes and all(axis["title"]["text"] for axis in axes)
    assert any(trace["showlegend"] and trace["name"] for trace in spec["data"])


@each_figure
def test_the_picture_shows_something(cell):
    image = matplotlib.image.imread(BytesIO(base64.b64decode(bundle(cell)["image/png"])))
    assert image.shape[0] > 200 and image.shape[1] > 400
    assert 0.02 < (image[..., :3].min(axis=2) < 0.9).mean() < 0.9


@each_figure
def test_stored_is_what_is_computed(cell):
    figure = computed(cell)
    got, expected = bundle(cell)[slider.PLOTLY], json.loads(json.dumps(figure.spec()))
    assert bundle(cell)["text/plain"] == repr(figure)
    assert without_numbers(got) == without_numbers(expected)
    np.testing.assert_allclose(numbers_in(got), numbers_in(expected), rtol=SHARE, atol=SHARE)


def test_a_frame_holds_only_what_changes():
    spec = small_figure().spec()
    expected = [{"type": "scatter", "x": [0.3333], "y": [0.3333]}]
    assert spec["frames"][1]["data"] == expected and spec["frames"][1]["traces"] == [1]
    assert spec["frames"][1]["layout"]["title"]["text"] == "high"


def test_opens_at_the_start():
    spec = small_figure(start=1).spec()
    assert spec["layout"]["sliders"][0]["active"] == 1
    assert spec["data"][1]["x"] == [0.3333] and spec["layout"]["title"]["text"] == "high"


def test_a_choice_shows_its_own_traces_and_the_common_ones():
    common, one, other = (traces.points([x], [x], "#000", str(x)) for x in (0, 0.5, 1))
    both = [slider.Frame(str(i), [common, *traces.choice([one], 0), *traces.choice([other], 1)]) for i in range(2)]
    figure = slider.SliderFigure([Panel("x", "y", (0, 1), (0, 1))], both, slider="i", alt="", stills=(0,), choices="ab")
    (menu,) = figure.spec()["layout"]["updatemenus"]
    got = [button["args"][0]["visible"] for button in menu["buttons"]]
    assert got == [[True, True, False], [True, False, True]]
    assert [trace.get("visible", True) for trace in figure.spec()["data"]] == got[0]


def test_the_picture_does_not_change_from_run_to_run():
    one, other = (small_figure()._repr_mimebundle_()["image/png"] for _ in range(2))
    assert one == other


SHORT = [(1 / 3, 0.3333), (2.0, 2), (123456.0, 123500), (-1e-5, -1e-5), (None, None)]


@pytest.mark.parametrize(("value", "expected"), SHORT)
def test_numbers_are_short(value, expected):
    got = traces.numbers(np.array([value], dtype=object))
    assert got == [expected] and type(got[0]) is type(expected)


def test_of_the_path_z_does_not_depend_on_r_from_position_13_on():
    for k in (1, 2, 3):
        same = [
            np.allclose(*(reference.project_topk_simplex(a, k, r) for r in (1.0, 0.6)), rtol=0, atol=1e-12)
            for a in topk_path.PATH
        ]
        assert same == [False] * 12 + [True] * 5


def test_of_sdca_the_dual_never_falls_and_the_error_rests_for_ten_epochs():
    X, y = sdca_epochs.points_of_three_classes()
    weights, bounds = sdca_epochs.train(X, y, 16)
    assert np.diff(bounds[:, 1]).min() >= -1e-12 and (np.diff(bounds[:, 0]) > 0).any()
    assert (bounds[:, 0] >= bounds[:, 1]).all()
    got = [int(reference.topk_error(X @ weights[epoch], y).sum()) for epoch in (1, 2, 4, 6, 8, 10, 12, 16)]
    assert got == [15, 15, 15, 15, 15, 15, 14, 4]


def test_of_the_squished_column_pa1_removes_and_adds_c_until_it_is_pa():
    column = NAMES["column"]
    for C in squishing.PRICES:
        moved = squishing.squish(column, "pa1", C) - column
        np.testing.assert_allclose([moved[0], -moved[1:].sum()], min(C, 2.0), rtol=1e-12)
        assert squishing.squish(column, "pa2", C)[0] < 2.0
    np.testing.assert_allclose(squishing.squish(column, "pa1", 2.0)[:4], 2.0, rtol=1e-12)


@pytest.mark.parametrize(("loss", "expected"), [("AP", 4), ("NDCG", 1)])
def test_of_the_lifted_negative_the_best_rank_gains_most(loss, expected):
    totals = [sum(lifted_negative.gains(rank, loss)) for rank in range(1, 8)]
    assert 1 + int(np.argmax(totals)) == lifted_negative.best_rank(loss) == expected


def test_of_the_planes_the_bounds_meet_at_the_optimum_of_the_reference():
    x, relevant, groups = data = next_plane.queries()
    _, found = next_plane.rounds(data)
    options = {"groups": groups, "regularization": next_plane.LAMBDA, "tol": 1e-8}
    fit = reference.fit_ranking_svm(x[:, None], relevant, **options)
    _, upper, _, lower = found[-1]
    assert lower - 1e-7 <= fit.primal <= upper + 1e-7 and len(found) == 8
    assert upper - lower <= next_plane.TOLERANCE


def test_of_the_prototypes_three_classes_freeze_with_one_link_and_none_without():
    X, y, visits = prototypes.examples()
    free, linked = (prototypes.walk(X, y, visits, links)[-1] for links in prototypes.LINKS)
    assert [int(prototypes.wrong(X, y, state).sum()) for state in (free, linked)] == [4, 18]
    assert (free.skipped == 0).all()
    assert linked.skipped.tolist() == [0, 14, 14, 15]
