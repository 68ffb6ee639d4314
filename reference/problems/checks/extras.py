"""Packages that only some functions need, each of an extra of this project; and the version of the project."""

import importlib
import importlib.util
from pathlib import Path

DISTRIBUTION = "marginalia-learn"


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
        raise ImportError(_message(what, extra, names)) from error


def require_later(what, extra, name, *others):
    """Returns a module that is imported when one of its attributes is first asked for.

    That it is installed, and that the others are, is checked at once: an ImportError comes now or never. The arguments
    are those of `require`.
    """
    try:
        missing = [one for one in (name, *others) if importlib.util.find_spec(one) is None]
    except (ImportError, ValueError) as error:  # ValueError: `sys.modules` says that there is none
        raise ImportError(_message(what, extra, (name, *others))) from error
    if missing:
        raise ImportError(_message(what, extra, (name, *others)))
    return _Later(name)


def version() -> str:
    """Returns the version of this project that is installed or, if none is, that of the checkout.

    If these packages lie alone in a folder, it is "0+unknown". `importlib.metadata` takes long to import, so this runs
    when `__version__` is first asked for.
    """
    import tomllib
    from importlib import metadata

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        path = Path(__file__).parents[3] / "pyproject.toml"
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {}) if path.is_file() else {}
        return project["version"] if project.get("name") == DISTRIBUTION else "0+unknown"


class _Later:
    """Stands for a module, and imports it for the first attribute."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(importlib.import_module(self._name), attribute)


def _message(what, extra, names):
    packages = " and ".join(dict.fromkeys(name.split(".")[0] for name in names))
    return f'{what} needs {packages}. Run in the checkout: pip install ".[{extra}]"'
