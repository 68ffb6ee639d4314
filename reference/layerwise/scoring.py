"""The scores of a piecewise linear network."""

from ..problems import checks
from ._network import scores_of, steps_of


def network_scores(X, layers, weights):
    """Returns the outputs of a network of dense, convolutional and max-pooling layers with ReLU between them.

    Parameters
    ----------
    X : array, shape (n, d), (n, height, width) or (n, height, width, channels), float32 or float64
        One example a row, features or an image.
    layers : list of tuples
        The hidden layers: ("dense", units), ("conv", channels, size) or ("pool", size). Each dense or convolutional
        layer ends with a ReLU, max(0, a). A dense output layer follows, without ReLU.
    weights : list of arrays, shapes (inputs + 1, units)
        One for each dense or convolutional layer and for the output layer. The last row is the intercept. The rows of a
        convolution are in the order of (row, column, channel) of its window.

    Returns
    -------
    scores : array, shape (n, outputs), dtype of `X`
        One row an example.

    Raises
    ------
    ValueError
        `X` is empty, not finite, or has another number of dimensions; `layers` do not fit the shape of an example;
        `weights` do not fit the layers.

    Notes
    -----
    A convolution of size s is the inner product with every s x s window (no padding, stride 1, no reflection of the
    kernel). Pooling takes maxima of windows that do not overlap. The images are cut into windows (im2col), so that each
    layer is one product of matrices.

    References
    ----------
    * Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017), section 2.

    Examples
    --------
    >>> weights = [[[1.0, -1.0], [0.0, 0.0]], [[1.0], [1.0], [0.5]]]  # |x| + 0.5
    >>> network_scores([[2.0], [-3.0]], [("dense", 2)], weights)
    array([[2.5],
           [3.5]])
    """
    X, shape, dtype = checks.images(X)
    weights = checks.network_weights(weights)
    layers = checks.network_layers(layers, shape, weights[-1].shape[1] if weights else 1)
    weights = checks.network_weights(weights, layers)
    return checks.in_range(scores_of(steps_of(layers), weights, X), dtype, "weights")
