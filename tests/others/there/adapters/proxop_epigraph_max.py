"""proxop: EpiMax, {(y, t): max y <= t}. A squished column is t, then y."""

import numpy as np
from proxop import EpiMax


def squish_column(z, lower=-np.inf, upper=np.inf):
    y, t = EpiMax(z[0]).prox(z[1:])
    return np.append(t, y)
