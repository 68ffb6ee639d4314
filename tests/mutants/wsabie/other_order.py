"""concatenate_fits that concatenates embeddings and prototypes in different orders."""

from tests.mutants._altered import altered

FUNCTION = "concatenate_fits"
REASON = "differs from the ground truth"
PHRASE = "WsabieFit(prototypes="

RIGHT = "for fit in fits]), fits[0].disc"
WRONG = "for fit in fits[::-1]]), fits[0].disc"
concatenate_fits = altered("wsabie", RIGHT, WRONG).concatenate_fits
