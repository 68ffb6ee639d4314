"""The rows of `numbers` for the papers 001 (column squishing) and 002 (rank-based losses)."""

from unittest.mock import patch

import numpy as np

import fast
import reference
from reference import ranking

from . import inference_sweeps as sweeps
from .layerwise import TEST_TO_TRAIN
from .number_rules import (
    Row,
    cannot,
    grows_slower,
    is_quicker,
    missing,
    numbers_of,
    or_undecided,
    same_counts,
    same_digits,
    same_sign,
    span,
)
from .paired import INDEPENDENT, difference

EXAMPLE = 5  # features of the example of 001
CVXPY_ROW = "multiclass_update, 100 x 64 (100 examples), against the CVXPY programme"
DIGITS = 8  # that 001 prints
LATENT_IMAGES = "5011"
TEXTS = {"NDCG, greedy of fast": "the greedy method of `fast`"}
NO_VOC = "the features of its PASCAL VOC images are not published with it"
LOST = "the text that we have has lost its numbers"


# --- 001 -----------------------------------------------------------------------------------------------------------


def squishing_rows(paper, results):
    """The rows of 001."""
    rows = paper.rows("001", "text")
    scores, x = np.array(rows["A.dot(x)"]), np.ones(EXAMPLE) / np.sqrt(EXAMPLE)
    A = np.outer(scores, x)
    for label in range(3):
        name = f"multiclass_update(A, x, {label}).dot(x)"
        ours = fast.multiclass_update(A, x, label) @ x
        holds = same_digits(rows[name], ours, DIGITS)
        printed = [numbers_of(values, f"{{:.{DIGITS}f}}") for values in (rows[name], ours)]
        yield Row("text", name, *printed, "digits", holds)
    least = paper.rows("001", "comments")["numerical solution"][0]
    what = "time of a numerical solution, over that of the algorithm"
    found = results.get("benchmarks")
    if found is None:
        yield Row("comments", what, f"over {least:g}", why="not computed yet: `make bench`")
        return
    ratio = next(1 / row["ratio"] for row in found if row["work"] == CVXPY_ROW)
    yield Row("comments", what, f"over {least:g}", f"{ratio:.0f} (CVXPY)", "quicker", is_quicker([ratio]))


# --- 002 -----------------------------------------------------------------------------------------------------------


def ranking_rows(paper, results):
    """The rows of 002."""
    yield figure_1(paper)
    yield from tables_1_and_2(paper, results.get("inference_sweeps"))
    yield from figures_2_and_3(paper, results.get("inference_sweeps"))
    yield from action_classification(paper, results.get("ranking_mq2008"))
    yield from detection(paper, results.get("latent_scale"))
    yield from layerwise(results.get("layerwise"))


def figure_1(paper):
    """Algorithm 1 on an example whose best ranks are those of the figure."""
    expected = paper.rows("002", "Figure 1")["Algorithm 1"]
    p, n = np.array([1.0, -1.0]), np.array([2.0, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1, -0.2, -3.0, -4.0])
    best = np.array([1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3])
    with patch.object(ranking, "_best_rank", wraps=ranking._best_rank) as counted:
        found = reference.loss_augmented_inference(p, n, "auc").interleaving
    if not (found == best).all():
        raise ValueError(f"n must give the ranks of Figure 1, {best}, got {found}: choose other scores")
    ours = [counted.call_count, len(n)]
    text = [f"{some:g} of {all_:g}" for some, all_ in (expected, ours)]
    holds = same_counts(expected, ours)
    return Row("Figure 1", "negatives that Algorithm 1 ranks explicitly", *text, "equal", holds)


def tables_1_and_2(paper, found):
    """Time of inference, over all calls of a training and of one call, and the number of calls."""
    training, one = (paper.columns("002", table) for table in ("Table 1", "Table 2"))
    for loss in ("AP", "NDCG"):
        quick, methods = f"{loss}_QS", [loss, *(name for name in TEXTS if name.startswith(loss))]
        text = f"{training[loss] / training[quick]:.3g}; {one[loss] / one[quick]:.3g}"
        what = f"time of {loss} over that of {quick}, training; one call"
        if found is None:
            yield missing("Tables 1 and 2", what, text, "inference_sweeps")
            continue
        rows = found["training"][loss.lower()].values()
        ours = {m: [row["seconds"][m][1] / row["seconds"][quick][1] for row in rows] for m in methods}
        shown = "; ".join(f"{span(ratios)} ({TEXTS.get(m, m)})" for m, ratios in ours.items())
        holds = tuple(outcome for ratios in ours.values() for outcome in is_quicker(ratios))
        yield Row("Tables 1 and 2", what, text, f"the same calls: {shown}", "quicker", holds)
    for loss in ("AP_QS", "NDCG_QS"):
        yield from zero_one_rows(loss, training, one, found)


def zero_one_rows(quick, training, one, found):
    """A ranking loss beside the 0-1 loss: the time of a training, and the number of calls."""
    place, losses = "Tables 1 and 2", ("zero_one", quick.removesuffix("_QS").lower())
    ratio = f"{training['0-1'] / training[quick]:.2g} ({one['0-1'] / one[quick]:.2g})"
    counts = [1e3 * training[name] / one[name] for name in (quick, "0-1")]
    time, number = f"time of 0-1 over that of {quick}, training (one call)", f"calls for {quick} and for 0-1, training"
    text = f"{counts[0]:.0f} and {counts[1]:.0f}"
    if found is None:
        yield missing(place, time, ratio, "inference_sweeps")
        yield missing(place, number, text, "inference_sweeps")
        return
    pairs = list(zip(*(found["training"][name].values() for name in losses), strict=True))
    calls = [a["seconds"]["0-1"][1] / b["seconds"][quick][1] for a, b in pairs]
    ours = [ratio * a["calls"] / b["calls"] for ratio, (a, b) in zip(calls, pairs, strict=True)]
    yield Row(place, time, ratio, f"{span(ours)} ({span(calls)})", "quicker", is_quicker(ours))
    shown = "; ".join(f"{b['calls']} and {a['calls']}" for a, b in pairs)
    yield Row(place, number, text, shown, "fewer", (any(b["calls"] < a["calls"] for a, b in pairs),))


def figures_2_and_3(paper, found):
    """The three sweeps."""
    fixed = paper.rows("002", "4.1, Figures 2 and 3")
    names = {"total": "Figure 2", "negatives": "Figure 3, left", "positives": "Figure 3, right"}
    for name, place in names.items():
        for slow, quick in (("AP", "AP_QS"), ("NDCG", "NDCG_QS")):
            given = [f"{fixed[f'{name} vary'][k]} {c}" for k, c in enumerate(("positives", "negatives"))
                     if name != "total" and fixed[f"{name} vary"][k]]  # fmt: skip
            varied = f"{name} vary, {given[0]}" if given else "the total varies, one of 20 positive"
            what, claim = f"time of {quick} beside that of {slow}: {varied}", "lower at each size (no numbers)"
            if found is None:
                yield missing(place, what, claim, "inference_sweeps")
                continue
            points = {size: row["seconds"] for size, row in found["sweeps"][name].items() if slow in row["seconds"]}
            ratios = [seconds[slow][1] / seconds[quick][1] for seconds in points.values()]
            holds = or_undecided(seconds[quick][2] < seconds[slow][0] for seconds in points.values())
            text = f"{span(ratios)} times as quick, at {min(map(int, points))} to {max(map(int, points))}"
            yield Row(place, what, claim, text, "apart", holds)
            if name == "total":
                growth = sweeps.growths(found["sweeps"][name])
                text = " and ".join(f"{growth[m][0]:.2f} ± {growth[m][1]:.2f}" for m in (slow, quick))
                what = f"exponents of the growth of {slow} and {quick} with the total"
                holds = (grows_slower(growth[slow], growth[quick]),)
                yield Row(place, what, "2 and 1, but for a logarithm", text, "slower growth", holds)


def action_classification(paper, found):
    """Section 4.1: does training for a ranking loss pay? On other data."""
    yield cannot("4.1", "time of the method of [18] for AP, training, s",
                 f"{paper.rows('002', '4.1')['method of [18], while training'][0]:g}",
                 "the method of [18] is not part of this project")  # fmt: skip
    for loss, (name, (plain, ranked)) in zip(("ap", "ndcg"), paper.rows("002", "4.1", 1).items(), strict=True):
        yield cannot("4.1", name, f"{plain:g} and {ranked:g}", NO_VOC)
        what = f"the same claim on LETOR MQ2008: gain of {loss.upper()} over 0-1, points"
        if found is None:
            yield missing("4.1", what, f"{ranked - plain:+.1f}", "ranking_mq2008")
            continue
        ours = {}
        for part, queries in (("nested", "training queries, nested"), ("test", "test queries")):
            rows = [100 * np.array(found["rows"][trained][loss][part]) for trained in (loss, "zero_one")]
            ours[queries] = difference(*rows, INDEPENDENT, 2)
        text = "; ".join(f"{queries} {gain}" for queries, gain in ours.items())
        holds = tuple(same_sign(ranked - plain, gain) for gain in ours.values())
        yield Row("4.1", what, f"{ranked - plain:+.1f}", text, "sign", holds)


def detection(paper, found):
    """Section 4.2: latent windows."""
    ((name, (plain, ranked)),) = paper.rows("002", "4.2").items()
    yield cannot("4.2", name, f"{plain:g} and {ranked:g}", NO_VOC)
    slow, quick = paper.rows("002", "4.2", 1)["time of inference while training, a class"]
    images, each = paper.rows("002", "4.2", 2)["candidates"]
    what = f"time of inference by AP over that by AP_QS, {images} images of {each} windows"
    if found is None:
        yield missing("4.2", what, f"{slow / quick:.1f}", "latent_scale")
    else:
        row = found["rows"][LATENT_IMAGES]
        ours = row["images"]["AP"][1] / row["images"]["AP_QS"][1], row["Yue"] / row["one inference"][1]
        text = f"{ours[0]:.3g} (a sample an image); {ours[1]:.3g} (all {row['windows']} windows)"
        yield Row("4.2", what, f"{slow / quick:.1f}", text, "quicker", is_quicker(ours))
    for name, (count,) in paper.rows("002", "supplement 7").items():
        yield cannot("supplement 7", f"of 20 object categories: {name}", f"{count:g}", NO_VOC)
    yield cannot("supplement, Tables 3 to 5", "AP and NDCG of each class", "", LOST)


def layerwise(found):
    """Section 4.3: training a network layer by layer. A key is data/split/class/loss/chosen/method."""
    for loss in ("ap", "ndcg"):
        claim = f"mean {loss.upper()}, trained for {loss.upper()} less trained for 0-1, points"
        yield cannot("4.3", f"CIFAR-10, {claim}", "above 0", f"{LOST}, and CIFAR-10 is not part of this project")
        if found is None:
            yield missing("4.3", f"the same claim, layer by layer: {claim}", "above 0", "layerwise")
            continue
        gains = {data: layerwise_gains(found, data, loss) for data in dict.fromkeys(key.split("/")[0] for key in found)}
        gains = {data: 100 * values for data, values in gains.items() if len(values) > 1}
        ours = {data: difference(values, 0.0, TEST_TO_TRAIN, len(gains)) for data, values in gains.items()}
        if ours:
            text = "; ".join(f"{data} {gain} ({len(gains[data])} splits)" for data, gain in ours.items())
            holds = tuple(same_sign(1, gain) for gain in ours.values())
            yield Row("4.3", f"the same claim on our data: {claim}", "above 0", text, "sign", holds)
        seconds = layerwise_seconds(found, loss)
        if seconds:
            ratio = seconds["greedy"] / seconds["quicksort"]
            what = f"training time, {loss.upper()}: all ranks over {loss.upper()}_QS"
            yield Row("4.3", what, "above 1", f"{ratio:.2f}", "quicker", is_quicker([ratio]))


def layerwise_gains(found, data, loss):
    """The gain over 0-1 of each split that is complete, averaged over the classes."""
    keys = [key.split("/") for key in found]
    classes = {c for where, _, c, *_ in keys if where == data}
    gains = []
    for split in sorted({split for where, split, _, _, chosen, _ in keys if where == data and chosen == "chosen"}):
        pairs = [[found.get(f"{data}/{split}/{c}/{name}/chosen/quicksort") for name in (loss, "zero_one")]
                 for c in classes]  # fmt: skip
        if all(one and other for one, other in pairs):
            gains.append(np.mean([one[loss] - other[loss] for one, other in pairs]))
    return np.array(gains)


def layerwise_seconds(found, loss):
    """{method: seconds} of the fits that were done with both methods."""
    keys = [key for key in found if key.endswith("greedy") and key.split("/")[3] == loss]
    both = [(found[key], found.get(key.replace("greedy", "quicksort"))) for key in keys]
    pairs = [(slow["seconds"], quick["seconds"]) for slow, quick in both if quick]
    return dict(zip(("greedy", "quicksort"), np.sum(pairs, axis=0).tolist(), strict=True)) if pairs else {}
