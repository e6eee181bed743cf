// Recoding: limits on the histogram, by dragging, keys or typing; and steps one after the other.

import { act, all, ask, at, change, count, drawing, get } from "./studio.js";

const column = Number(get("column").dataset.column);
const steps = all("#steps code").map((code) => code.textContent);
const LEFT = 46, TOP = 12, WIDTH = 860, HEIGHT = 240, FLOOR = HEIGHT - 30;

async function keep(wanted) {
  if (await act(() => change(at("recode"), { column, steps: wanted }))) location.reload();
}

for (const button of all("[data-remove]")) {
  button.addEventListener("click", () => keep(steps.filter((_, i) => i !== Number(button.dataset.remove))));
}
const kind = get("step");
const showKind = () => {
  const { example, does } = kind.selectedOptions[0].dataset;
  get("what").placeholder = example;
  get("does").textContent = `${kind.value}: ${does}.`;
};
kind.addEventListener("change", showKind);
showKind();
get("add").addEventListener("submit", (event) => {
  event.preventDefault();
  keep([...steps, `${kind.value}:${get("what").value.trim()}`]);
});

// ---- the histogram

const form = get("limits");
const inputs = { bottom: get("bottom"), top: get("top") };
const tidy = (value, step) => Number(value.toFixed(Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(step))))));

function show(spread) {
  const { edges, counts } = spread;
  const low = edges[0], high = edges[edges.length - 1];
  const step = (high - low) / 200;
  const most = Math.max(...counts, 1);
  // Bins may be narrower at one end: values are placed bin by bin.
  const slot = (WIDTH - LEFT - 10) / counts.length;
  const x = (value) => {
    if (value <= low) return LEFT;
    if (value >= high) return LEFT + slot * counts.length;
    const bin = edges.findIndex((edge, i) => i + 1 < edges.length && value < edges[i + 1]);
    return LEFT + slot * (bin + (value - edges[bin]) / (edges[bin + 1] - edges[bin]));
  };
  const value = (place) => {
    const bin = Math.min(Math.max((place - LEFT) / slot, 0), counts.length);
    const whole = Math.min(Math.floor(bin), counts.length - 1);
    const exact = edges[whole] + (bin - whole) * (edges[whole + 1] - edges[whole]);
    return spread.is_whole ? Math.round(exact) : tidy(exact, (edges[whole + 1] - edges[whole]) / 10);
  };
  const written = (v) => (spread.is_date ? new Date(v * 86400000).toISOString().slice(0, 10) : count.format(v));
  const image = drawing("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "wide-histogram", role: "group", "aria-label": "How the values lie" });
  counts.forEach((n, i) => {
    const height = n ? Math.max(1, (n / most) * (FLOOR - TOP)) : 0;
    const bar = drawing("rect", { class: "area-before", x: LEFT + i * slot + 0.5, y: FLOOR - height, width: Math.max(1, slot - 1), height });
    bar.append(drawing("title", {}, `${written(edges[i])} to ${written(edges[i + 1])}: ${count.format(n)} records`));
    image.append(bar);
  });
  image.append(drawing("line", { class: "base", x1: LEFT, x2: WIDTH - 10, y1: FLOOR, y2: FLOOR }));
  for (let i = 0; i <= counts.length; i += Math.max(1, Math.ceil(counts.length / 8))) {
    image.append(drawing("text", { x: LEFT + i * slot, y: FLOOR + 18, "text-anchor": "middle" }, written(tidy(edges[i], step))));
  }
  get("histogram").replaceChildren(image);
  if (!form) return;

  const atMost = (v, strictly = false) => {
    let i = -1;
    while (i + 1 < spread.places.length && (strictly ? spread.places[i + 1] < v : spread.places[i + 1] <= v)) i += 1;
    return i < 0 ? 0 : spread.below[i];
  };
  const all_ = spread.below[spread.below.length - 1];
  const handles = {};
  const typed = (which) => {
    const text = inputs[which].value.trim();
    return text === "" || text.endsWith("%") || Number.isNaN(Number(text)) ? null : Number(text);
  };

  function place() {
    const told = [];
    for (const which of ["bottom", "top"]) {
      const limit = typed(which);
      const end = which === "bottom" ? low : high;
      const shown = limit === null ? end : Math.min(Math.max(limit, low), high);
      const { line, shade, grip } = handles[which];
      const px = x(shown);
      for (const part of [line]) { part.setAttribute("x1", px); part.setAttribute("x2", px); }
      grip.setAttribute("cx", px);
      shade.setAttribute("x", which === "bottom" ? LEFT : px);
      shade.setAttribute("width", Math.max(0, which === "bottom" ? px - LEFT : LEFT + slot * counts.length - px));
      grip.setAttribute("aria-valuenow", shown);
      grip.setAttribute("aria-valuetext", limit === null ? "no limit" : written(limit));
      if (limit !== null) {
        const n = which === "bottom" ? atMost(limit, true) : all_ - atMost(limit);
        told.push(`about ${count.format(n)} records (${((100 * n) / all_).toFixed(1)}%) are ${which === "bottom" ? "below" : "above"} ${written(limit)}`);
      }
    }
    get("beyond").textContent = told.join("; ");
  }

  function set(which, v) {
    const [bottom, top] = [typed("bottom") ?? low, typed("top") ?? high];
    const held = which === "bottom" ? Math.min(v, top) : Math.max(v, bottom);
    const isEnd = which === "bottom" ? held <= low : held >= high;
    inputs[which].value = isEnd ? "" : String(held);
    place();
  }

  for (const which of ["bottom", "top"]) {
    const shade = drawing("rect", { class: "cut", y: TOP, height: FLOOR - TOP });
    const line = drawing("line", { class: "cut-line", y1: TOP - 6, y2: FLOOR });
    const grip = drawing("circle", {
      class: "knob", cy: TOP, r: 9, tabindex: 0, role: "slider", "aria-label": `${which === "top" ? "Top" : "Bottom"} limit`,
      "aria-valuemin": low, "aria-valuemax": high, "data-which": which,
    });
    handles[which] = { shade, line, grip };
    image.append(shade, line, grip);
    grip.addEventListener("pointerdown", (event) => { grip.setPointerCapture(event.pointerId); event.preventDefault(); grip.focus(); });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const box = image.getBoundingClientRect();
      set(which, value(((event.clientX - box.left) / box.width) * WIDTH));
    });
    grip.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      const now = typed(which) ?? (which === "bottom" ? low : high);
      if (event.key === "Home") set(which, low);
      else if (event.key === "End") set(which, high);
      else if (by) set(which, value(x(now) + (by * (WIDTH - LEFT)) / 200) === now ? now + by * Math.max(step, spread.is_whole ? 1 : 0) : value(x(now) + (by * (WIDTH - LEFT)) / 200));
      else return;
      event.preventDefault();
    });
    inputs[which].addEventListener("input", place);
    const said = steps.find((each) => each.startsWith(`${which}:`));
    if (said) inputs[which].value = said.slice(which.length + 1).trim();
  }
  place();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const others = steps.filter((each) => !/^(top|bottom):/.test(each));
    const limits = ["bottom", "top"].filter((which) => inputs[which].value.trim()).map((which) => `${which}:${inputs[which].value.trim()}`);
    keep([...limits, ...others]);
  });
  get("no-limits").addEventListener("click", () => keep(steps.filter((each) => !/^(top|bottom):/.test(each))));
}

const told = await act(() => ask(`${at("recode/values")}?column=${column}`));
if (told && told.spread && get("histogram")) show(told.spread);
