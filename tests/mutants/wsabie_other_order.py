"""concatenate_fits that puts embeddings side by side in another order than prototypes."""

from wsabie_altered import altered

RIGHT = "for fit in fits]), fits[0].disc"
WRONG = "for fit in fits[::-1]]), fits[0].disc"
concatenate_fits = altered("wsabie", RIGHT, WRONG).concatenate_fits
