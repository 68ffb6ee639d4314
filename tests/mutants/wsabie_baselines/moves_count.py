"""fit_one_vs_all that counts the prototypes that move instead of the examples that move one."""

from tests.mutants._altered import altered

FUNCTION = "fit_one_vs_all"
REASON = "updates"
PHRASE = "they are"

module = altered("wsabie_baselines", "updates=fit.updates + (fit is not before)", "updates=fit.updates")
fit_one_vs_all, moved = module.fit_one_vs_all, module._moved


def moved_and_counted(fit, *others):
    return moved(fit, *others)._replace(updates=fit.updates + 1)


module._moved = moved_and_counted
