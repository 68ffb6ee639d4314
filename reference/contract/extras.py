"""Packages that only some functions need. Each belongs to an extra of this project, and may be missing."""

import importlib


def require(what, extra, *names):
    """Import modules of packages that may be missing.

    Parameters
    ----------
    what : str
        What needs them, as the message calls it.
    extra : str
        The extra that installs them.
    *names : str
        The names of the modules.

    Returns
    -------
    list of modules

    Raises
    ------
    ImportError
        One of them cannot be imported. The message says what to install.
    """
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        packages = " and ".join(dict.fromkeys(name.split(".")[0] for name in names))
        raise ImportError(f'{what} needs {packages}. Run: pip install "marginalia[{extra}]"') from error
