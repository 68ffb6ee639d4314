/* An interactive figure takes the place of its picture. Without JavaScript the picture stays. */
document.addEventListener("DOMContentLoaded", () => {
  for (const script of document.querySelectorAll("script.plotly-data")) {
    const cell = script.closest(".cell_output");
    const picture = [...cell.querySelectorAll("img")].pop();
    const figure = JSON.parse(script.textContent);
    const box = document.createElement("div");
    box.className = "plotly-figure";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", picture.alt);
    script.after(box);
    const layout = { ...figure.layout, autosize: true };
    delete layout.width;
    const config = { ...figure.config, responsive: true, displaylogo: false, typesetMath: false };
    Plotly.newPlot(box, { data: figure.data, layout, frames: figure.frames || [], config })
      .then(() => { picture.hidden = true; });
  }
});
