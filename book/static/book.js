/* What the theme leaves open: names of folds in the sidebar, links into tabs, formulas wider than the window. */

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

/* A formula within a line that is wider than its paragraph gets a line of its own, and scrolls. */
function foldFormulas() {
  for (const formula of document.querySelectorAll("mjx-container:not([display])")) {
    formula.classList.remove("wide-formula");
    const room = formula.closest("p, li, td, dd, div")?.clientWidth;
    if (room && formula.firstElementChild?.getBoundingClientRect().width > room) formula.classList.add("wide-formula");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  nameFolds();
  openTab();
  addEventListener("hashchange", openTab);
});
addEventListener("load", () => {
  if (!window.MathJax?.startup) return;
  MathJax.startup.promise.then(foldFormulas);
  addEventListener("resize", foldFormulas);
});
