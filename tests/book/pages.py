"""What is asked of a page: questions to the browser, and the links and pictures of a file without a browser."""

from html.parser import HTMLParser

from axe_playwright_python.sync_playwright import Axe

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 420, "height": 800}
GRAVE = ("serious", "critical")
# Colours come from one style sheet. To compare them takes axe-core half a minute a notebook: these pages have them all.
CONTRAST = ("index.html", "errata.html", "examiner.html", "api/losses.html", "search.html")
# Ten thousands of elements that axe-core need not look at: formulas, which are MathJax's work and have its own text for
# screen readers, and the coloured words of code.
BARE = """coloured => {
    document.querySelectorAll("mjx-container").forEach(formula => formula.replaceWith("formula"));
    if (!coloured) document.querySelectorAll("pre").forEach(code => { code.textContent = code.textContent; });
}"""
# Resolves when MathJax has typeset all formulas of the page, and all pictures are loaded.
READY = """async () => {
    if (window.MathJax) await MathJax.startup.promise;
    await Promise.all([...document.images].map(image => { image.loading = "eager"; return image.decode(); }));
    await document.fonts.ready;
}"""
SEEN = """() => ({
    formulas: document.querySelectorAll(".math").length,
    typeset: document.querySelectorAll("mjx-container").length,
    broken: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map(e => e.textContent),
    empty: [...document.querySelectorAll(".bd-article img, .plotly-figure")]
        .filter(e => !e.hidden && !(e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().height > 0))
        .map(e => e.alt || e.src),
})"""
# An interactive figure follows the width of the window with a delay.
FITTED = """() => [...document.querySelectorAll(".plotly-figure .main-svg")].every(
    e => e.getBoundingClientRect().width <= innerWidth)"""
# Elements that begin or end outside the window, unless an ancestor scrolls or they are hidden.
WIDER = """() => {
    const wide = document.documentElement.scrollWidth - innerWidth;
    const scrolls = e => e && e !== document.body &&
        (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    dispatchEvent(new Event("resize"));
    const shown = ".bd-article *:not(mjx-container *)";
    const out = [...document.querySelectorAll(shown)].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width > 1 && box.height > 1 && (box.right > innerWidth + 1 || box.left < -1) && !scrolls(e);
    });
    return (wide > 0 ? [`the page by ${wide} px`] : []).concat(out.map(e => e.outerHTML.slice(0, 120)));
}"""


def look(page, address, name):
    """Opens the page `name` at two widths. Returns what is seen, what is cut off, axe's faults, errors and requests."""
    page.errors.clear(), page.outside.clear()
    page.set_viewport_size(WIDE)
    page.goto(address + name)
    page.evaluate(READY)
    seen = page.evaluate(SEEN)
    page.set_viewport_size(NARROW)
    page.wait_for_function(FITTED)
    seen["wider"] = page.evaluate(WIDER)
    page.set_viewport_size(WIDE)
    page.evaluate(BARE, name in CONTRAST)
    rules = {"color-contrast": {"enabled": name in CONTRAST}}
    options = {"resultTypes": ["violations"], "preload": False, "rules": rules}
    found = Axe().run(page, options=options).response["violations"]
    seen["faults"] = [
        f"{fault['id']}: {node['html'][:150]}" for fault in found if fault["impact"] in GRAVE for node in fault["nodes"]
    ]
    return seen | {"errors": list(page.errors), "outside": list(page.outside)}


LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Parts(HTMLParser):
    """The ids, the links, the pictures, and the addresses that a page loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.pictures = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        got = dict(attributes)
        self.ids |= {got[key] for key in ("id", "name") if got.get(key)}
        if tag == "a" and got.get("href"):
            self.links.append(got["href"])
        if got.get(LOADS.get(tag)):
            self.loads.append(got[LOADS[tag]])
        if tag == "img":
            self.pictures.append((got.get("src"), got.get("alt")))
