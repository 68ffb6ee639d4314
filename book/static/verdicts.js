/* Buttons above the tables of "Every number": the rows with one verdict only. Without JavaScript all rows are shown. */
const VERDICTS = ["holds", "holds in part", "undecided", "does not hold", "not computed yet"];

document.addEventListener("DOMContentLoaded", () => {
  const judged = table => table.querySelector("thead th:last-child")?.textContent.trim() === "verdict";
  const tables = [...document.querySelectorAll(".bd-article table")].filter(judged);
  const rows = tables.flatMap(table => [...table.tBodies[0].rows]);
  const verdict = row => row.lastElementChild.textContent.trim().replace(/(:| \().*/s, "");  // without its reason or count
  const bar = document.createElement("div");
  bar.className = "verdict-filter";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Show the rows with this verdict");
  const show = chosen => {
    for (const row of rows) row.hidden = Boolean(chosen) && verdict(row) !== chosen;
    for (const button of bar.children) button.setAttribute("aria-pressed", String(button.value === chosen));
  };
  for (const name of ["", ...VERDICTS]) {
    const count = rows.filter(row => !name || verdict(row) === name).length;
    if (!count) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", value: name });
    button.textContent = `${name || "all"} (${count})`;
    button.addEventListener("click", () => show(name));
    bar.append(button);
  }
  tables[0].closest("section").before(bar);
  show("");
});
