"""fit_wsabie whose adagrad adds up squares over the coordinates where their mean belongs."""

from wsabie_altered import altered

fit_wsabie = altered("wsabie", "np.mean(gradient**2, axis=1)", "np.sum(gradient**2, axis=1)").fit_wsabie
