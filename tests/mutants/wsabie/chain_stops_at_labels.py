"""fit_wsabie whose chain ends at a label of the example instead of passing over it."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "last_violators=np"

RIGHT = "chain = _chain(fit.last_violators, positive, rule.last_violators)\n"
WRONG = (
    "chain = list(_chain(fit.last_violators, positive, rule.last_violators))\n"
    "    chain = chain[: [v in labels for v in [*chain, positive]].index(True)]\n"
)
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
