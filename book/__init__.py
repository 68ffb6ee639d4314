"""The web book. `python -m book` builds it; `make book` does the same after it has set up `.venv`.

sources     the pages of the repository are put together in a folder for Sphinx
notebooks   a notebook for the web: alt texts, and the data of interactive figures
api         the pages of the API, one a module
papers      the papers that docstrings name by number, with links
extension   what the build does beside Sphinx: MathJax and Plotly from their packages, alt texts required
conf        the settings of Sphinx
pages       the pages that exist for the web only
static      the style sheet and two scripts
try_it      the optional page that runs Python in the browser: `python -m book --try`, or `make try`
"""
