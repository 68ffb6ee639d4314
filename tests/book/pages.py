"""What is asked of a page: questions to the browser, and the links and pictures of a file without a browser."""

from html.parser import HTMLParser

from axe_playwright_python.sync_playwright import Axe

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 420, "height": 800}
GRAVE = ("serious", "critical")
# All pages come from the same templates and style sheets, so axe-core, which takes seconds, reads one of each kind.
# What it would say of colours, `PALE` says of all pages.
KINDS = ("notebooks/00_start_here.html", "notebooks/06_column_squishing.html", "which_method.html", "genindex.html")
KINDS += ("notebooks/EVERY_NUMBER.html", "notebooks/assignments/README.html", "reference/check/CERTIFICATES.html")
KINDS += ("index.html", "api/losses.html", "search.html", "try_it.html")
COLOURED = ("index.html", "try_it.html")  # where axe-core compares colours, too: in code, texts and links
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
    beyond: [...document.querySelectorAll(".bd-sidebar-primary *, .bd-sidebar-secondary *")]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120)),
})"""
# Texts without contrast, as axe-core reckons it, but once for each kind of element: half a second a page. It looks at
# what is shown, also at the texts of interactive figures, which are white in the dark scheme, too.
PALE = """scheme => {
    Object.assign(document.documentElement.dataset, { theme: scheme, mode: scheme });
    const still = document.createElement("style");
    still.textContent = "* { transition: none !important; }";
    document.head.append(still);
    const parts = colour => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
    const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
    const known = new Map([[null, [255, 255, 255]]]);
    const behind = element => {
        if (known.has(element)) return known.get(element);
        const own = parts(getComputedStyle(element).backgroundColor);
        known.set(element, own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement)));
        return known.get(element);
    };
    const channel = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = rgb => rgb.reduce((sum, v, i) => sum + [0.2126, 0.7152, 0.0722][i] * channel(v / 255), 0.05);
    const kinds = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement, svg = element.closest("svg");
        if (!texts.currentNode.data.trim() || element.closest("script, style, noscript, option")) continue;
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const style = getComputedStyle(element), size = parseFloat(style.fontSize);
        const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
        const back = behind(svg ? svg.parentElement.querySelector("svg") : element);
        const front = over(parts(svg ? style.fill : style.color), back);
        const [more, less] = [light(front), light(back)].sort((a, b) => b - a);
        const kind = `${element.tagName}.${element.getAttribute("class") ?? ""} ${front} on ${back}`;
        if (more / less < needed) kinds.set(kind, `${scheme}: ${kind}: ${texts.currentNode.data.trim().slice(0, 40)}`);
    }
    still.remove();
    return [...kinds.values()];
}"""
# Whether each interactive figure has taken the place of its picture, which it does when the reader comes near: the page
# is moved to the first one that has not.
DRAWN = """() => {
    const waits = [...document.querySelectorAll("script.plotly-data")].find(
        e => !e.nextElementSibling?.querySelector(".plotly-figure .main-svg"));
    waits?.closest(".cell_output").scrollIntoView();
    return !waits && [...document.querySelectorAll(".plotly-figure")].every(
        e => !e.closest(".cell_output").querySelector("img").checkVisibility());
}"""
# What paper must not show: closed folds, controls, code that is cut off, interactive figures without their picture.
PRINTED = """() => [
    ...[...document.querySelectorAll(".bd-article details:not([open])")],
    ...[...document.querySelectorAll(".figure-controls, .copybtn, .plotly-figure, .verdict-filter")],
    ...[...document.querySelectorAll(".bd-article pre")].filter(e => e.scrollWidth > e.clientWidth + 1),
    ...[...document.querySelectorAll(".bd-article .cell_output img")].filter(e => !e.checkVisibility()),
].filter(e => e.checkVisibility() || e.localName === "img").map(e => e.outerHTML.slice(0, 120))"""
# Moves each control of the interactive figures. Returns those that change nothing, and the figures that keep Plotly's
# own controls or the room for them, or lie under the browser's.
STUCK = """async () => {
    const shown = ({ data, layout }) => JSON.stringify([data, layout.shapes, layout.annotations]), stuck = [];
    const bottom = figure => figure.querySelector(".main-svg").getBoundingClientRect().bottom;
    for (const script of document.querySelectorAll("script.plotly-data")) {
        const [figure, controls] = script.nextElementSibling.children, { layout } = figure;
        if (layout.sliders || layout.updatemenus) stuck.push("Plotly's controls");
        if (layout.margin.b !== JSON.parse(script.textContent).layout.sliders[0].pad.t) stuck.push("their room");
        if (bottom(figure) > controls.getBoundingClientRect().top + 1) stuck.push("the figure covers its controls");
        for (const control of controls.querySelectorAll("input, select")) {
            const before = shown(figure), { value, max } = control;
            if (control.localName === "input") control.value = value === max ? control.min : max;
            else control.selectedIndex = 1;
            control.dispatchEvent(new Event(control.localName === "input" ? "input" : "change"));
            for (let i = 0; i < 1000 && shown(figure) === before; i++) await new Promise(f => setTimeout(f, 20));
            if (shown(figure) === before) stuck.push(control.outerHTML.slice(0, 120));
        }
    }
    return stuck;
}"""
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
        const outside = box.width > 1 && box.height > 1 && (box.right > innerWidth + 1 || box.left < -1);
        return outside && e.checkVisibility() && !scrolls(e);  // a closed fold keeps the width of an earlier window
    });
    const under = [...document.querySelectorAll(".plotly-figure .main-svg")].filter(
        e => e.getBoundingClientRect().bottom > e.closest(".plotly-figure").getBoundingClientRect().bottom + 1);
    const scrolled = [...document.querySelectorAll("div.math")].filter(
        e => e.firstElementChild.getBoundingClientRect().left < e.getBoundingClientRect().left - 1);
    const unreached = [...document.querySelectorAll(".bd-article *:not(mjx-container *, svg *)")].filter(
        e => e.scrollWidth > e.clientWidth + 2 && e.tabIndex < 0 && e.checkVisibility() &&
            ["auto", "scroll"].includes(getComputedStyle(e).overflowX));
    // A figure that covers the text below it, a formula that shows its end first, a box that no key can scroll.
    out.push(...under, ...scrolled, ...unreached);
    return (wide > 0 ? [`the page by ${wide} px`] : []).concat(out.map(e => e.outerHTML.slice(0, 120)));
}"""


def axe(page, coloured):
    """Returns the grave faults that axe-core finds on the page."""
    page.evaluate(BARE, coloured)
    options = {"resultTypes": ["violations"], "preload": False, "rules": {"color-contrast": {"enabled": coloured}}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:150]}" for fault in found if fault["impact"] in GRAVE for node in fault["nodes"]
    ]


def look(page, address, name):
    """Opens the page `name` at two widths. Returns what is seen, cut off, stuck or pale, faults, errors and requests.

    Faults are looked for on one page of each kind.
    """
    page.errors.clear(), page.outside.clear()
    page.set_viewport_size(WIDE)
    page.goto(address + name)
    page.evaluate(READY)
    page.wait_for_function(DRAWN)
    seen = page.evaluate(SEEN)
    page.set_viewport_size(NARROW)
    page.wait_for_function(FITTED)
    seen["wider"], seen["stuck"] = page.evaluate(WIDER), page.evaluate(STUCK)
    page.evaluate(BARE, name in KINDS)  # first, as a page without formulas is wide again in no time
    page.set_viewport_size(WIDE)
    seen["pale"] = page.evaluate(PALE, "dark") + page.evaluate(PALE, "light")
    seen["faults"] = axe(page, name in COLOURED) if name in KINDS else []
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
