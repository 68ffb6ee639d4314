"""fit_wsabie whose gradient in W has W x where x belongs, as Table 3 prints it (cut or repeated to d numbers)."""

from wsabie_altered import altered

RIGHT = "2 * weight * np.outer(b[negative] - b[positive], x)"
WRONG = "2 * weight * np.outer(b[negative] - b[positive], np.resize(z, len(x)))"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
