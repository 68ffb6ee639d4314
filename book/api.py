"""The pages of the API: one a module, a section a function, with tabs for reference, fast and the ground truth."""

import ast
import inspect
import re
from pathlib import Path
from textwrap import indent

import fast.distributed
import fast.estimators
import reference
import reference.check
from reference.problems import checks

ROOT = Path(__file__).parents[1]
PRESETS = ("AUC", "WARP", "WSABIE", "WSABIE_PP")
# scikit-learn adds these to every estimator; they are not this project's.
METADATA_METHODS = "set_fit_request, set_partial_fit_request, set_predict_request, set_score_request"
NO_TRUTH = "There is no ground truth of this name. The examiner holds the answer against a certificate or a replay."


def modules():
    """Returns the names of the modules with twins, in the order of their functions in `reference.__all__`."""
    functions = [getattr(reference, name) for name in reference.__all__ if inspect.isfunction(getattr(reference, name))]
    return list(dict.fromkeys(function.__module__.split(".")[1] for function in functions))


def write(folder):
    """Writes all pages of the API into `folder`, as reStructuredText, and the page that lists their functions."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: module_page(name) for name in modules()}
    pages["results"] = results_page()
    pages["estimators"] = package_page("fast.estimators", fast.estimators)
    pages["distributed"] = package_page("fast.distributed", fast.distributed)
    pages["datasets"] = package_page("reference.datasets", reference.datasets)
    pages["check"] = package_page("reference.check", reference.check)
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(index(), encoding="utf-8")


def index():
    """Returns the page that lists the functions, with a link at each name."""
    text = (ROOT / "book/pages/api/index.md").read_text(encoding="utf-8")
    names = "|".join(name for name in reference.__all__ if inspect.isfunction(getattr(reference, name)))
    return re.sub(rf"`({names})`", r"{py:obj}`\1 <reference.\1>`", text)


def heading(text, mark):
    return f"{text}\n{mark * len(text)}\n\n"


def module_page(name):
    """Returns the page of a module that has twins."""
    module = getattr(reference, name)
    functions = [key for key in module.__all__ if inspect.isfunction(getattr(module, key)) and _home(module, key)]
    opening = heading(name, "=") + f".. automodule:: reference.{name}\n   :no-members:\n\n"
    return opening + "".join(twins(name, function) for function in functions)


def _home(module, key):
    """Whether `module` defines the function itself, rather than another page's module."""
    return f"{getattr(module, key).__module__}.".startswith(f"{module.__name__}.")


def twins(module, name):
    """Returns the section of a function: its two docstrings and the source of its ground truth, in tabs."""
    source = truth(module, name)
    last = ".. code-block:: python\n\n" + indent(source, "   ") + "\n" if source else NO_TRUTH + "\n"
    tabs = (
        ("reference", f".. autofunction:: reference.{name}\n"),
        ("fast", f".. autofunction:: fast.{name}\n"),
        ("ground truth", last),
    )
    text = heading(name, "-") + ".. tab-set::\n   :sync-group: twin\n\n"
    for label, body in tabs:
        item = f".. tab-item:: {label}\n   :sync: {label.split()[0]}\n\n" + indent(body, "   ")
        text += indent(item, "   ") + "\n"
    return text


def truth(module, name):
    """Returns the source of the ground truth of a function, with the functions of the same file that it calls."""
    path = ROOT / "reference/ground_truth" / module
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    defined = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    wanted = [name] if name in defined else []
    for one in wanted:  # grows while it is read
        used = {node.id for node in ast.walk(defined[one]) if isinstance(node, ast.Name)}
        wanted += [other for other in defined if other in used and other not in wanted]
    return "\n\n\n".join(ast.get_source_segment(text, defined[one]) for one in wanted)


def results_page():
    """Returns the page of the results of fits, and of the presets."""
    text = heading("results", "=") + "What the fits return, and presets of arguments. Both packages share them.\n\n"
    for name in (key for key in reference.__all__ if inspect.isclass(getattr(reference, key))):
        text += heading(name, "-") + f".. autoclass:: reference.{name}\n\n"
    text += heading("Presets", "-") + "Arguments of `reference.fit_wsabie` and `fast.fit_wsabie`.\n\n"
    for name in PRESETS:
        items = ",\n".join(f"    {key}={value!r}" for key, value in getattr(checks, name).items())
        text += f"**{name}**\n\n.. code-block:: python\n\n" + indent(f"dict(\n{items},\n)", "   ") + "\n\n"
    return text


def package_page(name, package):
    """Returns the page of a package or module without twins: all that it exports."""
    text = heading(name.split(".")[-1], "=") + f".. automodule:: {name}\n   :no-members:\n\n"
    for key in package.__all__:
        text += heading(key, "-")
        if inspect.isclass(getattr(package, key)):
            text += f".. autoclass:: {name}.{key}\n   :members:\n   :exclude-members: {METADATA_METHODS}\n\n"
        else:
            text += f".. autofunction:: {name}.{key}\n\n"
    return text
