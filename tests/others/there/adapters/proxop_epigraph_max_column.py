"""proxop: EpiMax along axis 0, of a batch of one column. A squished column is t, then y."""

import numpy as np
from proxop import EpiMax


def squish_column(z, lower=-np.inf, upper=np.inf):
    y, t = EpiMax(z[:1], axis=0).prox(z[1:, None])
    return np.append(t, y)
