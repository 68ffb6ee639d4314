"""fit_wsabie that counts labels of the example as violators in the chain."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "last_violators=np"

fit_wsabie = altered("wsabie", " for v in chain if v not in labels)", " for v in chain)").fit_wsabie
