/* An interactive figure takes the place of its picture when the reader comes near. Without JavaScript the picture stays.
   Plotly draws sliders and menus that only a mouse moves. The browser's own take their place below the figure. */

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function plain(html) {
  const text = (html ?? "").replaceAll(/\.?<br\s*\/?>/g, ". ");
  return new DOMParser().parseFromString(text, "text/html").body.textContent;
}

/* What Plotly does at a position of a slider, or an entry of a menu. */
function run(box, { method, args }) {
  return Plotly[method](box, ...structuredClone(args));
}

/* Screen readers say the value with the note that the frame writes above the figure. */
function slider(box, { steps, active = 0, currentvalue }, frames) {
  const name = plain(currentvalue?.prefix).replace(/\s*[=:]?\s*$/, "") || "position";
  const input = element("input", { type: "range", min: 0, max: steps.length - 1, value: active });
  const value = element("span", { className: "figure-value" });
  const tell = () => {
    const { label } = steps[input.value];
    const note = frames.find(frame => frame.name === label)?.layout?.title?.text;
    value.textContent = plain(label);
    input.setAttribute("aria-valuetext", [plain(label), plain(note)].filter(Boolean).join(": "));
  };
  input.addEventListener("input", () => { tell(); run(box, steps[input.value]); });
  tell();
  return element("div", {}, element("label", {}, element("span", {}, name), input), value);
}

function menu(box, { buttons, active = 0 }) {
  const select = element("select", {}, ...buttons.map(({ label }) => element("option", {}, plain(label))));
  select.selectedIndex = active;
  select.addEventListener("change", () => run(box, buttons[select.selectedIndex]));
  return element("div", {}, element("label", {}, element("span", {}, "Show"), select));
}

/* The layout without Plotly's sliders and menus, and without the room that they took below and above the axes. */
const MENU_HEIGHT = 44;

function withoutControls({ sliders = [], updatemenus = [], width, ...layout }) {
  const { height, margin, legend } = layout;
  const axes = sliders[0]?.pad?.t ?? margin?.b, menus = updatemenus.length && MENU_HEIGHT;
  if (!height || !(margin?.b >= axes) || !(margin?.t > menus)) return layout;
  layout.margin = { ...margin, b: axes, t: margin.t - menus };
  layout.height = height - (margin.b - axes) - menus;
  if (legend?.yref === "container") layout.legend = { ...legend, y: 1 - (1 - legend.y) * height / layout.height };
  return layout;
}

/* Plotly has megabytes. It is loaded once, when the reader comes near to the first figure. */
const FOLDER = document.currentScript.src.replace(/[^/]*$/, "");
let loading = null;

function plotly() {
  return loading ??= new Promise((resolve, reject) => {
    document.head.append(element("script", { src: `${FOLDER}plotly.min.js`, onload: resolve, onerror: reject }));
  });
}

function draw(script) {
  const picture = [...script.closest(".cell_output").querySelectorAll("img")].pop();
  const { data, layout, frames = [], config } = JSON.parse(script.textContent);
  const box = element("div", { className: "plotly-figure" });
  const controls = element("div", { className: "figure-controls" });
  controls.append(...(layout.updatemenus ?? []).map(given => menu(box, given)));
  controls.append(...(layout.sliders ?? []).map(given => slider(box, given, frames)));
  const group = element("div", {}, box, controls);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", picture.alt);
  const shown = { ...withoutControls(layout), autosize: true };
  if (shown.height) box.style.height = `${shown.height}px`;  // Plotly forgets it when the window changes its width
  const options = { ...config, responsive: true, displaylogo: false, typesetMath: false };
  picture.hidden = true;
  script.after(group);
  return Plotly.newPlot(box, { data, layout: shown, frames, config: options });
}

document.addEventListener("DOMContentLoaded", () => {
  const near = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      const script = target.querySelector("script.plotly-data");
      plotly().then(() => draw(script)).catch(error => console.error(error));  // the picture stays
    }
  }, { rootMargin: "800px 0px" });
  for (const script of document.querySelectorAll("script.plotly-data")) near.observe(script.closest(".cell_output"));
});
