"""The web book, built and read: without a browser its files, links and texts, and in a browser what a reader meets."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book.extension import MOVED
from book.notebooks import PLOTLY
from book.sources import ROOT
from tests.book.conftest import PATIENCE
from tests.book.pages import DRAWN, KINDS, PRINTED, WIDE, Parts

SECONDS = 120  # of the processor, for the build, on a slow one; a quick one takes a third


@pytest.fixture(scope="module")
def parts(book):
    """The parts of all pages, those with sources too."""
    static = book.folder / "_static"
    paths = [path for path in book.folder.rglob("*.html") if static not in path.parents]
    return {path: Parts(path.read_text(encoding="utf-8")) for path in paths}


# --- the files -----------------------------------------------------------------------------------------------------


def test_the_build_is_quick_writes_into_its_folder_and_says_where(book):
    assert book.seconds < SECONDS
    assert not book.stray
    assert str(book.folder / "index.html") in book.said


def test_every_source_is_a_page(book):
    sources = [path.relative_to(ROOT / "book/pages") for path in (ROOT / "book/pages").rglob("*.md")]
    sources += [path.relative_to(ROOT) for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
    assert len(sources) > 18
    for source in sources:
        assert (book.folder / source.with_suffix(".html")).is_file(), source


def test_an_old_address_leads_to_the_page(address, page):
    page.goto(address + "notebooks/02_topk_simplex.html#a-a-price-on-the-sum")
    page.wait_for_url("**/03_topk_simplex.html#a-a-price-on-the-sum")
    assert page.locator("h1").first.inner_text().startswith("03 The top-k simplex")


def test_each_old_address_names_a_page_that_exists(book):
    for old, new in MOVED.items():
        text = (book.folder / f"{old}.html").read_text(encoding="utf-8")
        leads = re.findall(r'(?:url=|href="|replace\(")([^"]+)"', text)
        assert leads == 4 * [Path(new).name + ".html"], old
        title = re.search(r"<title>(.*?)</title>", (book.folder / f"{new}.html").read_text(encoding="utf-8"))
        assert title[1].startswith(Path(new).name[:2] + " "), new


def test_the_default_book_has_no_page_that_runs_python(book):
    assert not (book.folder / "try_it.html").exists()
    assert not list(book.folder.rglob("*.wasm*")) and not (book.folder.parent / "try-packages").exists()


def test_no_page_loads_anything_from_elsewhere(parts):
    loads = {f"{path.name}: {address}" for path, got in parts.items() for address in got.loads}
    assert not [load for load in loads if re.search(r": (https?:)?//", load)]


def test_no_style_sheet_loads_anything_from_elsewhere(book):
    for path in book.folder.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""(url\(|@import)\s*["']?(https?:)?//""", text), path.name


def test_every_picture_has_a_text(parts):
    pictures = [(path.name, *picture) for path, got in parts.items() for picture in got.pictures]
    assert len(pictures) > 50
    assert not [f"{name}: {source}" for name, source, alt in pictures if not (alt or "").strip()]


def test_every_link_within_the_book_leads_somewhere(parts):
    broken = []
    for path, got in parts.items():
        for link in got.links:
            there = urlsplit(link)
            if there.scheme or there.netloc:
                continue
            file = (path.parent / unquote(there.path)).resolve() if there.path else path
            file = file / "index.html" if file.is_dir() else file
            anchor = unquote(there.fragment)
            known = parts[file].ids if file in parts else set()
            if not file.is_file() or (anchor and file in parts and anchor not in known):
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_the_twins_and_the_ground_truth_are_in_tabs_with_one_key(book):
    text = (book.folder / "api/projections.html").read_text(encoding="utf-8")
    keys = re.findall(r'data-sync-group="twin" data-sync-id="(\w+)"', text)
    assert keys and keys == ["reference", "fast", "ground"] * (len(keys) // 3)
    assert "cp.Minimize" in re.sub(r"<[^>]+>", "", text), "the tab with the ground truth has no source"


def test_papers_are_named_and_linked(book):
    text = (book.folder / "api/projections.html").read_text(encoding="utf-8")
    assert "arxiv.org/abs/1511.06683" in text
    assert not re.search(r"\bSource: 00[1-4]|Paper 00[1-4]", text)


def test_no_markup_is_left_as_text(parts):
    shown = r"<(pre|code|script|style|title)\b.*?</\1>|<(span|div) class=\"[^\"]*\bmath\b.*?</\2>|<[^>]+>"
    for path in parts:
        if "_modules" not in path.parts:
            text = re.sub(shown, "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            left = re.search(r".{0,40}(:math:|``|\{download\}|\{py:obj\}|\$\S|\\[a-z]{2,}).{0,40}", text)
            assert left is None, f"{path.name}: {left[0]}"


def test_no_line_begins_with_the_punctuation_after_a_formula(book):
    formula = (
        r'(<span class="together">[(\[“]*)?<span class="math notranslate nohighlight">(\\\([^<]*\\\))</span>[.,;:!?]'
    )
    found = re.findall(formula, (book.folder / "notebooks/03_topk_simplex.html").read_text(encoding="utf-8"))
    assert len(found) > 20
    assert not [math for kept, math in found if not kept or math == r"\(\)"]


def test_a_number_keeps_its_thousands_and_its_percent_sign(book):
    text = (book.folder / "notebooks/11_wsabie.html").read_text(encoding="utf-8")
    paragraphs = re.findall(r"<(?:p|li)>([^<]*)<", text)
    assert not [found for text in paragraphs for found in re.findall(r".*\d (?:\d{3}\b|%).*", text)]


def test_the_fields_of_a_result_are_described_once(book):
    assert "Alias for field number" not in (book.folder / "api/check.html").read_text(encoding="utf-8")


def test_what_draws_figures_is_loaded_where_there_is_one_only(parts):
    for path, got in parts.items():
        needed = 'class="plotly-data"' in path.read_text(encoding="utf-8")
        assert any("figures.js" in load for load in got.loads) == needed, path.name
        assert not any("plotly" in load for load in got.loads), path.name


def test_a_notebook_can_be_downloaded_as_it_is(book, parts):
    for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"):
        assert path.name in parts[book.folder / f"notebooks/{path.stem}.html"].links
        assert (book.folder / "notebooks" / path.name).read_bytes() == path.read_bytes()


# --- in the browser ------------------------------------------------------------------------------------------------


TROUBLES = ("errors", "outside", "broken", "empty", "beyond", "wider", "stuck", "pale", "faults")


@pytest.mark.parametrize("trouble", TROUBLES)
def test_every_page_is_without(looks, trouble):
    """Errors in the console, requests outside, broken formulas, empty pictures, cut or pale texts, controls without
    effect, axe's faults."""
    assert len(looks) > 40 and set(KINDS) - set(looks) == {"try_it.html"}  # which the default book lacks
    assert not {name: seen[trouble] for name, seen in looks.items() if seen[trouble]}


def test_all_formulas_are_typeset(looks):
    assert sum(seen["typeset"] for seen in looks.values()) > 1000
    for name, seen in looks.items():
        assert seen["typeset"] >= seen["formulas"], name


def test_search_finds_squish(address, page):
    page.goto(address + "search.html?q=squish")
    page.wait_for_selector("#search-results li a")
    found = page.eval_on_selector_all("#search-results li a", "links => links.map(link => link.href)")
    assert any("06_column_squishing" in link for link in found)
    assert any("squish_column" in link or "passive_aggressive" in link for link in found)


@pytest.mark.parametrize(
    ("words", "first"),
    [("gap", "glossary.html#term-gap"), ("dual domain", "glossary.html#term-dual-domain"), ("install", "install.html")],
)
def test_search_finds_a_definition_first(address, page, words, first):
    page.goto(f"{address}search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a").first.get_attribute("href").removesuffix("#") == first


def test_the_copy_button_copies_the_code(address, page):
    page.goto(address + "notebooks/00_start_here.html")
    block = page.locator("div.highlight:visible").first  # the first one of a page is folded
    block.hover()
    block.locator("button.copybtn").click()
    page.wait_for_selector("button.copybtn.success")
    assert page.evaluate("navigator.clipboard.readText()").split() == block.locator("pre").inner_text().split()


def test_a_link_to_a_function_opens_its_tab(address, page):
    page.goto(address + "api/projections.html#fast.project_knapsack")
    page.locator('[id="fast.project_knapsack"]').wait_for(state="visible")
    assert not page.locator('[id="reference.project_knapsack"]').is_visible()


MOVING = "notebooks/06_column_squishing"  # a page with one figure that has a slider and a menu
# Whether the figure shows what a frame holds, or the traces that an entry of the menu names.
SHOWS = """({ traces, data, visible }) => {
    const shown = document.querySelector(".plotly-figure").data;
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    if (visible) return same(visible, shown.map(trace => trace.visible ?? true));
    return data.every((part, i) => Object.entries(part).every(([key, value]) => same(shown[traces[i]][key], value)));
}"""


def moving():
    """The output of the cell with the figure of that page, as it is stored."""
    cells = json.loads((ROOT / f"{MOVING}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output["data"] for cell in cells for output in cell.get("outputs", ()) if "data" in output]
    return next(data for data in outputs if PLOTLY in data)


def test_a_slider_and_a_menu_are_reached_with_tab_and_moved_with_arrows(address, page):
    spec = moving()[PLOTLY]
    frames, [buttons] = spec["frames"], [menu["buttons"] for menu in spec["layout"]["updatemenus"]]
    page.set_viewport_size(WIDE)
    page.goto(f"{address}{MOVING}.html")
    page.wait_for_function(DRAWN)
    assert page.wait_for_function(SHOWS, arg=frames[0])
    # Tab goes on from the figure.
    page.locator(".plotly-figure").evaluate("figure => { figure.tabIndex = -1; figure.focus(); }")
    reached = []
    while "slider" not in reached and len(reached) < 20:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("({ select: 'menu', input: 'slider' })[document.activeElement.localName]"))
    assert reached[-2:] == ["menu", "slider"]
    slider, menu = page.get_by_role("slider", name="C", exact=True), page.get_by_role("combobox", name="Show")
    for control, key, expected in (
        (slider, "End", frames[-1]), (slider, "ArrowLeft", frames[-2]), (menu, "ArrowDown", buttons[1]["args"][0]),
    ):  # fmt: skip
        control.focus()
        page.keyboard.press(key)
        page.wait_for_function(SHOWS, arg=expected)
    note = frames[-2]["layout"]["title"]["text"].replace("<br>", ". ")
    assert slider.get_attribute("aria-valuetext") == f"{frames[-2]['name']}: {note}"


def test_plotly_is_loaded_when_the_reader_comes_near_to_a_figure(address, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}{MOVING}.html")
    page.wait_for_function("() => window.MathJax?.startup?.promise")
    assert not [url for url in asked if "plotly.min.js" in url]
    page.wait_for_function(DRAWN)
    assert len([url for url in asked if "plotly.min.js" in url]) == 1


def test_on_paper_folds_are_open_code_wraps_and_figures_are_pictures(address, page):
    page.set_viewport_size(WIDE)
    page.goto(f"{address}{MOVING}.html")
    page.wait_for_function(DRAWN)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        page.emulate_media(media="print")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'light'")
        assert not page.evaluate(PRINTED)
    finally:
        page.emulate_media(media="screen")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    assert page.locator(".plotly-figure").is_visible() and page.locator("article details:not([open])").count() > 0


def test_the_rows_with_one_verdict_are_shown(address, page):
    page.goto(f"{address}notebooks/EVERY_NUMBER.html")
    judged = "table:has(thead :text-is('verdict')) tbody tr:visible"
    every = page.locator(judged).count()
    page.get_by_role("button", name="does not hold").click()
    texts = page.locator(judged).locator("td:last-child").all_inner_texts()
    assert texts and all(text.startswith("does not hold") for text in texts) and len(texts) < every
    page.get_by_role("button", name=re.compile(r"^all \(")).click()
    assert page.locator(judged).count() == every


def test_code_of_88_characters_fits_a_window_of_1280_pixels(address, page):
    page.set_viewport_size(WIDE)
    page.goto(f"{address}{MOVING}.html")
    page.locator(".cell_input pre").first.evaluate("code => { code.textContent = 'm'.repeat(88); }")
    assert page.locator(".cell_input pre").first.evaluate("code => code.scrollWidth <= code.clientWidth")


def test_without_javascript_the_picture_stands_in(address, page):
    alt = "".join(moving()["text/plain"])
    context = page.context.browser.new_context(java_script_enabled=False)
    try:
        context.set_default_timeout(PATIENCE)
        still = context.new_page()
        still.goto(f"{address}{MOVING}.html")
        assert still.locator(f'img[alt="{alt}"]').is_visible()
    finally:
        context.close()
