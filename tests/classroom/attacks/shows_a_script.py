"""Runs a script in the lecturer's browser."""

from IPython.display import HTML, Javascript, display

WORD = "project_simplex"
display(HTML("<script>document.title = 'HARMED'</script><img src=x onerror=alert('HARMED')>"))
display(Javascript("document.title = 'HARMED'"))


def simplex(a, radius):
    return a
