/* What the theme leaves open: names of folds in the sidebar, links into tabs, content wider than the window. */

function nameFolds() {
  for (const summary of document.querySelectorAll("nav summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages of ${link ? link.textContent.trim() : "this section"}`);
  }
}

/* A link to a name in a tab that is not shown opens the tab. */
function openTab() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const label = target?.closest(".sd-tab-content")?.previousElementSibling;
  if (label && target.offsetParent === null) label.click();
  if (label) target.scrollIntoView();
}

/* A formula within a line that is wider than its paragraph gets a line of its own, and scrolls; in a table, its column
   grows. All are measured before one is changed: so the browser lays out the page once, and not once a formula. */
function foldFormulas() {
  const formulas = [...document.querySelectorAll("mjx-container:not([display], td *)")];
  for (const formula of formulas) formula.classList.remove("wide-formula", "has-more");
  const wide = formulas.filter(formula => {
    const room = formula.closest("p, li, dd, div")?.clientWidth;
    return room && formula.firstElementChild?.getBoundingClientRect().width > room;
  });
  for (const formula of wide) formula.classList.add("wide-formula");
}

/* What scrolls fades out at its right edge, until its end is seen: phones show no scroll bar. Tab reaches it. */
const SCROLLS = `pre, .pst-scrollable-table-container, div.math, mjx-container[display], .wide-formula, dt.sig, p:has(> img),
  .cell_output:not(:has(.plotly-figure)), .cell_output .output:not(:has(.plotly-figure))`;

function fade(boxes) {
  const beyond = boxes.map(box => box.scrollWidth - box.clientWidth), left = boxes.map(box => box.scrollLeft);
  boxes.forEach((box, i) => {
    if (beyond[i] > 2) box.tabIndex = 0;
    box.classList.toggle("has-more", beyond[i] - left[i] > 2);
  });
}

function fadeAll() {
  fade([...document.querySelectorAll(SCROLLS)]);
}

/* On paper, folds are open and colours are those for white. Afterwards all is as before. */
let folded = [], theme = null;

function print(begins) {
  const { dataset } = document.documentElement;
  if (begins && theme === null) {
    folded = [...document.querySelectorAll(".bd-article details:not([open])")];
    theme = dataset.theme;
    dataset.theme = "light";
  } else if (!begins && theme !== null) {
    dataset.theme = theme;
    theme = null;
  }
  for (const fold of folded) fold.open = begins;
}

/* The theme leaves the sidebar outside of all landmarks, where screen readers do not find it. */
function nameSidebar() {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "Book");
}

/* A browser would show a notebook as text. */
function saveNotebooks() {
  for (const link of document.querySelectorAll('a.btn-notebook-button[href$=".ipynb"]')) {
    link.download = "";
    link.removeAttribute("target");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  nameFolds();
  nameSidebar();
  saveNotebooks();
  openTab();
  addEventListener("hashchange", openTab);
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", ({ matches }) => print(matches));
});
addEventListener("load", () => {
  for (const event of ["scroll", "toggle"]) document.addEventListener(event, ({ target }) => {
    if (event === "toggle") fadeAll();
    else if (target.matches?.(SCROLLS)) fade([target]);
  }, { capture: true, passive: true });
  const fit = () => { foldFormulas(); fadeAll(); };
  addEventListener("resize", fit);
  const article = document.querySelector(".bd-article");  // which settles after the window
  if (article) new ResizeObserver(() => requestAnimationFrame(fit)).observe(article);
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(fit);
});
