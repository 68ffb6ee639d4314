"""warp_loss that remembers the violators that were counted, but not those that were ignored."""

from tests.mutants._altered import altered

FUNCTION = "warp_loss"
REASON = "differs from the ground truth"
PHRASE = "last_violators="

RIGHT = "last[label] = found[label]"
WRONG = "last[label] = found[label] - _reached(last, label, Q)"
warp_loss = altered("wsabie_losses", RIGHT, WRONG).warp_loss
