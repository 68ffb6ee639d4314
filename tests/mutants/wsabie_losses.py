"""Wrong versions of the losses of label sets."""

from tests.mutants import altered

# It counts over all examples instead of those of the class.
confusion_of_all = altered(
    "class_confusion_loss", "np.mean(predicted[y == label] != c)", "np.mean(predicted != c)", phrase="expected"
)

# It remembers the violators that were counted, but not those that were ignored.
drops_ignored = altered(
    "warp_loss", "last[label] = found[label]", "last[label] = found[label] - _reached(last, label, Q)",
    phrase="last_violators="
)

# It counts the other labels of an example as rivals.
labels_are_rivals = altered("pairwise_loss", "others = np.delete(row, labels)\n", "others = row\n", phrase="expected")
