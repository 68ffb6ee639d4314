"""The losses of the Wsabie family: ground truth, both twins, the paper's examples, and what every loss must obey."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import fast
import reference
from reference.check.certificates import wsabie as certificates
from reference.ground_truth import wsabie_losses as ground_truth
from tests.support.wsabie import BOTH, LABELS, SCALES, WEIGHTINGS

MANY = settings(max_examples=60)
DTYPES = st.sampled_from([np.float64, np.float32])


def problem(seed, what="labels", n=8, m=5, dtype=np.float64):
    """Scores with ties, and labels or sets of them, some empty and some full."""
    rng = np.random.default_rng(seed)
    scores = (rng.integers(-3, 4, (n, m)) / 2 if seed % 2 else rng.standard_normal((n, m))).astype(dtype)
    if what == "labels":
        return scores, rng.integers(0, m, n)
    Y = (rng.random((n, m)) < rng.choice([0.0, 0.3, 0.7, 1.0], (n, 1))).astype(int)
    Y[rng.integers(n)] = np.arange(m) == rng.integers(m)
    return scores, sparse.csr_matrix(Y) if what == "CSR indicator" else Y


def assert_near(got, expected, unit=1e-12):
    assert type(got) is float and abs(got - expected) <= unit * abs(expected), f"expected {expected}, got {got}"


# --- ground truth passes its certificate ---------------------------------------------------------------------------


def test_ground_truth_passes_its_certificate():
    for seed, what in itertools.product(range(4), LABELS[:2]):
        scores, Y = problem(seed, what)
        loss = ground_truth.pairwise_loss(scores, Y)
        assert certificates.pairwise_loss(loss, scores, Y) <= 1e-14
        assert certificates.pairwise_loss(loss + 1e-6, scores, Y) > 1e-8
        for weighting, Q in itertools.product(WEIGHTINGS, (0, 1, 3)):
            chosen = {"weighting": weighting, "last_violators": Q}
            loss = ground_truth.warp_loss(scores, Y, **chosen)
            assert certificates.warp_loss(loss, scores, Y, **chosen) <= 1e-14
            whole = ground_truth.warp_loss(scores, Y, weighting=weighting)
            assert certificates.warp_loss(1.001 * whole, scores, Y, **chosen) > 1e-8
        y, predicted = problem(seed)[1], scores.argmax(axis=1)
        loss = ground_truth.class_confusion_loss(predicted, y)
        assert certificates.class_confusion_loss(loss, predicted, y) <= 1e-14
        assert certificates.class_confusion_loss(loss + 1e-6, predicted, y) > 1e-8


# --- reference = ground truth = fast -------------------------------------------------------------------------------


@BOTH
@MANY
@given(st.integers(0, 10**6), st.sampled_from(LABELS), DTYPES, st.sampled_from(SCALES), st.sampled_from([0, 0.5, 2]))
def test_pairwise_losses_agree_at_every_scale(module, seed, what, dtype, scale, margin):
    scores, Y = problem(seed, what, dtype=dtype)
    scores, margin = dtype(scale) * scores, scale * margin
    expected = ground_truth.pairwise_loss(scores, Y, margin=margin)
    assert_near(module.pairwise_loss(scores, Y, margin=margin), expected)


@BOTH
@MANY
@given(
    st.integers(0, 10**6), st.sampled_from(LABELS), DTYPES, st.sampled_from(SCALES), st.sampled_from(WEIGHTINGS),
    st.integers(0, 5),
)  # fmt: skip
def test_warp_losses_agree_at_every_scale(module, seed, what, dtype, scale, weighting, Q):
    scores, Y = problem(seed, what, n=15, dtype=dtype)
    chosen = {"margin": 0.5 * scale, "weighting": weighting, "last_violators": Q}
    expected = ground_truth.warp_loss(dtype(scale) * scores, Y, **chosen)
    assert_near(module.warp_loss(dtype(scale) * scores, Y, **chosen), expected)


@BOTH
@MANY
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 6))
def test_confusion_losses_agree(module, seed, n, m):
    predicted, y = np.random.default_rng(seed).integers(0, m, (2, n))
    expected = ground_truth.class_confusion_loss(predicted, y)
    assert_near(module.class_confusion_loss(predicted, y), expected)


def test_twins_agree_on_many_classes():
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal((300, 90)), rng.integers(0, 90, 300)
    Y = sparse.random(300, 90, density=0.02, format="csr", random_state=1, data_rvs=np.ones)
    for labels, Q, weighting in itertools.product((y, Y), (0, 1, 7, 1000), WEIGHTINGS):
        chosen = {"weighting": weighting, "last_violators": Q, "margin": 0.05}
        one, other = (package.warp_loss(scores, labels, **chosen) for package in (fast, reference))
        assert_near(one, other)
        assert_near(fast.pairwise_loss(scores, labels), reference.pairwise_loss(scores, labels))
    predicted = scores.argmax(axis=1)
    assert_near(fast.class_confusion_loss(predicted, y), reference.class_confusion_loss(predicted, y))


# --- the paper's examples ------------------------------------------------------------------------------------------

CAT, DOG, PIG = range(3)
SEEN = [{DOG, PIG}, {DOG, PIG}, set(), {DOG}, {DOG}, set(), {DOG}, {PIG}]
COUNTED = [2, 0, 0, 1, 0, 0, 1, 1]  # violators of section 6.1 that were none the last time


@BOTH
def test_cats_and_dogs_and_pigs_line_by_line(module):
    """Each violator ties with cat, so that its hinge is 1; the others just reach the margin."""
    scores = np.array([[1.0, 1.0 * (DOG in violators), 1.0 * (PIG in violators)] for violators in SEEN])
    Y = np.tile([1, 0, 0], (8, 1))
    for n, (Q, counts) in itertools.product(range(1, 9), ((0, list(map(len, SEEN))), (1, COUNTED))):
        expected = sum(counts[:n])
        got = n * module.warp_loss(scores[:n], Y[:n], weighting="uniform", last_violators=Q)
        assert abs(got - expected) <= 1e-12, f"line {n}, Q = {Q}: expected {expected}, got {got}"
    for Q, expected in ((0, 2 * (2 * 1.5) + 4), (1, 2 * 1.5 + 3)):  # two violators weigh 1 + 1/2 each
        got = 8 * module.warp_loss(scores, Y, last_violators=Q)
        assert abs(got - expected) <= 1e-12, f"Q = {Q}: expected {expected}, got {got}"


@BOTH
def test_chains_of_last_violators_by_hand(module):
    """0 was taken for 1 and 1 for 2: for 0, class 2 is a violator of a violator."""
    order, violators = [0, 1, 2, 0, 0], [{1}, {2}, {0}, {2}, {3}]
    scores = np.full((5, 4), -1.0)
    for row, label, found in zip(scores, order, violators, strict=True):
        row[[label, *found]] = 0.0
    for Q, expected in ((0, 5), (1, 5), (2, 4), (3, 4), (9, 4)):
        got = 5 * module.warp_loss(scores, np.array(order), last_violators=Q, weighting="uniform")
        assert abs(got - expected) <= 1e-12, f"Q = {Q}: expected {expected}, got {got}"


@BOTH
def test_labels_of_one_example_are_seen_at_once(module):
    """What it is for one of its labels does not count as the last time for another."""
    scores, Y = np.zeros((2, 3)), np.array([[1, 1, 0], [1, 1, 0]])
    for Q, expected in ((0, 2.0), (1, 1.0), (5, 1.0)):
        got = module.warp_loss(scores, Y, weighting="uniform", last_violators=Q)
        assert got == expected, f"Q = {Q}: expected {expected}, got {got}"


@BOTH
def test_figure_2_says_what_a_mistake_costs(module):
    """One of eleven costs 10/11, four of eleven that are taken for the same class cost 7/11 each."""
    got = module.class_confusion_loss(np.array([1] + 10 * [3]), np.full(11, 3))
    assert_near(got, 10 / 11 / 11)
    got = module.class_confusion_loss(np.array(4 * [2] + 7 * [1]), np.full(11, 1))
    assert_near(got, 4 * 7 / 11 / 11)
    y = np.array(11 * [1] + 11 * [3])
    got = module.class_confusion_loss(np.array(4 * [2] + 7 * [1] + [1] + 10 * [3]), y)
    assert_near(got, (4 * 7 / 11 + 10 / 11) / 22)


@BOTH
def test_hinges_by_hand(module):
    scores, Y = np.array([[2.0, 1.5, 0.0], [0.0, 0.0, 3.0]]), np.array([[1, 0, 0], [1, 1, 0]])
    assert_near(module.pairwise_loss(scores, Y, margin=1.0), (0.5 / 2 + 4.0) / 2)
    assert_near(module.warp_loss(scores, Y, margin=1.0), (0.5 + 8.0) / 2)
    assert module.pairwise_loss(scores, Y, margin=0.0) == (0.0 + 3.0) / 2
    passed_over = np.vstack([scores, [[9.0, 0.0, 0.0], [1.0, 2.0, 3.0]]]), np.vstack([Y, [[0, 0, 0], [1, 1, 1]]])
    assert_near(module.pairwise_loss(*passed_over), (0.5 / 2 + 4.0) / 2)
    assert_near(module.warp_loss(*passed_over, last_violators=3), (0.5 + 8.0) / 2)


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@MANY
@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(2, 6))
def test_confusions_cost_less_than_mistakes(module, seed, n, m):
    rng = np.random.default_rng(seed)
    predicted, y = rng.integers(0, m, (2, n))
    got, mistakes = module.class_confusion_loss(predicted, y), np.mean(predicted != y)
    assert 0 <= got < mistakes or got == mistakes == 0, f"got {got} for {mistakes}"
    shuffled, renamed = rng.permutation(n), rng.permutation(m)
    assert_near(module.class_confusion_loss(renamed[predicted][shuffled], renamed[y][shuffled]), got)
    systematic = rng.integers(0, m, m)[y]
    assert module.class_confusion_loss(systematic, y) == 0


@BOTH
@MANY
@given(st.integers(0, 10**6), st.sampled_from(LABELS), st.sampled_from(WEIGHTINGS))
def test_longer_chains_ignore_more(module, seed, what, weighting):
    scores, Y = problem(seed, what, n=20)
    losses = [module.warp_loss(scores, Y, weighting=weighting, last_violators=Q, margin=0.4) for Q in range(7)]
    assert (np.diff(losses) <= 1e-12 * losses[0]).all(), f"got {losses}"
    assert losses[5] == losses[6], "five classes have no longer chains"


@BOTH
@MANY
@given(st.integers(0, 10**6), DTYPES)
def test_losses_bound_each_other(module, seed, dtype):
    """The mean hinge is at most the largest, that at most the sum, and that at most the harmonic sum."""
    scores, y = problem(seed, dtype=dtype)
    pairwise, uniform = module.pairwise_loss(scores, y), module.warp_loss(scores, y, weighting="uniform")
    assert_near(4 * pairwise, uniform)
    largest = np.mean(module.topk_hinge(scores, y).astype(float))
    chain = [pairwise, largest, uniform, module.warp_loss(scores, y)]
    assert (np.diff(chain) >= -1e-6 * chain[-1]).all(), f"got {chain}"
    assert module.pairwise_loss(scores, y, margin=0.0) <= pairwise <= module.pairwise_loss(scores, y, margin=2.0)


@BOTH
@MANY
@given(st.integers(0, 10**6), st.sampled_from(LABELS), st.integers(0, 3))
def test_neither_shifts_nor_the_names_of_classes_matter(module, seed, what, Q):
    scores, Y = problem(seed, what)
    rng = np.random.default_rng(seed)
    order = rng.permutation(5)
    renamed = Y[:, order] if what != "labels" else np.argsort(order)[Y]
    shifted = (scores + rng.integers(-4, 5, (8, 1)))[:, order]
    for loss, chosen in ((module.pairwise_loss, {}), (module.warp_loss, {"last_violators": Q})):
        expected, got = loss(scores, Y, margin=0.3, **chosen), loss(shifted, renamed, margin=0.3, **chosen)
        assert_near(got, expected, unit=1e-11)


@BOTH
def test_nothing_that_is_given_is_changed(module):
    for what in LABELS:
        scores, Y = problem(2, what)
        before = scores.copy(), Y.copy()
        for array in (scores, getattr(Y, "data", Y) if what == "CSR indicator" else Y):
            array.flags.writeable = False
        module.pairwise_loss(scores, Y)
        module.warp_loss(scores, Y, last_violators=2)
        assert (scores == before[0]).all() and (Y != before[1]).sum() == 0
