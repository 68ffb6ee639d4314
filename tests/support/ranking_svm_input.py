"""What the tests of ranking svm input share."""

import numpy as np

BAD_OPTIONS = [
    ({"regularization": 0.0}, "regularization .*0.0"),
    ({"regularization": -1.0}, "regularization .*-1.0"),
    ({"regularization": np.nan}, "regularization .*nan"),
    ({"regularization": np.inf}, "regularization .*inf"),
    ({"regularization": "a"}, "regularization .*'a'"),
    ({"tol": -1.0}, "tol .*-1.0"),
    ({"tol": np.nan}, "tol .*nan"),
    ({"max_iterations": 0}, "max_iterations .*0"),
    ({"max_iterations": 1.5}, "max_iterations .*1.5"),
]
