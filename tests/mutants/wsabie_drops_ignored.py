"""warp_loss that remembers the violators that were counted, and forgets those that were ignored."""

from wsabie_altered import altered

RIGHT = "last[label] = found[label]"
WRONG = "last[label] = found[label] - _reached(last, label, Q)"
warp_loss = altered("wsabie_losses", RIGHT, WRONG).warp_loss
