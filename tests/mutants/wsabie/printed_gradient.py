"""fit_wsabie whose gradient in W has W x instead of x, as Table 3 prints it (cut or repeated to d numbers)."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "embedding by"

RIGHT = "2 * weight * np.outer(b[negative] - b[positive], x)"
WRONG = "2 * weight * np.outer(b[negative] - b[positive], np.resize(z, len(x)))"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
