// The candidates: start them, follow them, steer them; the map fills while they are made, and its edges are limits.

import { act, all, ask, at, change, count, drawing, element, get, onJobs, say, span, tell } from "./studio.js";

const pages = all("nav.steps a").map((link) => link.getAttribute("href").split("/").pop());
const canCompare = pages.includes("compare");
const OF = { risk: ["left", "right"], loss: ["bottom", "top"] };
let state = null;
let finished = "";

// A drawing of the server: parsed as SVG, so that nothing in it is taken for HTML.
function drawn(text) {
  const parsed = new DOMParser().parseFromString(text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, title]) => new Option(title, value, false, value === chosen)));
}

// ---- the map and its limits

const place = (frame, axis, value) => {
  const [from, to] = OF[axis].map((edge) => frame[edge]);
  const [low, high] = frame[axis];
  return from + ((value - low) / (high - low)) * (to - from);
};
const valueAt = (frame, axis, position) => {
  const [from, to] = OF[axis].map((edge) => frame[edge]);
  const [low, high] = frame[axis];
  return low + ((position - from) / (to - from)) * (high - low);
};

function round(value, [low, high]) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 100));
  return Number((Math.round(value / step) * step).toPrecision(6));
}

function addGrip(svg, frame, axis) {
  const limit = state.limits[axis];
  const edge = frame[axis][1];
  const at = place(frame, axis, limit === null ? edge : Math.min(limit, edge));
  const across = axis === "risk";
  const ends = (p) => (across ? { x1: p, x2: p, y1: frame.top, y2: frame.bottom } : { x1: frame.left, x2: frame.right, y1: p, y2: p });
  const grip = drawing("line", { class: `grip ${axis}${limit === null ? " unset" : ""}`, ...ends(at) });
  const knob = drawing("circle", { class: `knob ${axis}`, r: 7, ...(across ? { cx: at, cy: frame.bottom - 9 } : { cx: frame.left + 9, cy: at }) });
  svg.append(grip, knob);
  const value = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const [low, high] = frame[axis];
    return Math.min(Math.max(valueAt(frame, axis, across ? point.x : point.y), low), high);
  };
  const drag = (event) => {
    const now = value(event);
    const p = place(frame, axis, now);
    for (const [key, amount] of Object.entries(ends(p))) grip.setAttribute(key, amount);
    knob.setAttribute(across ? "cx" : "cy", p);
    get(`limit-${axis}`).value = now >= frame[axis][1] ? "" : round(now, frame[axis]);
  };
  for (const handle of [grip, knob]) {
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      grip.classList.add("held");
      handle.addEventListener("pointermove", drag);
    });
    handle.addEventListener("pointerup", () => {
      handle.removeEventListener("pointermove", drag);
      grip.classList.remove("held");
      see();
    });
  }
}

function showMap(id, text, frame) {
  const figure = get(id);
  if (!text) { figure.replaceChildren(); return; }
  const svg = drawn(text);
  for (const axis of ["risk", "loss"]) addGrip(svg, frame, axis);
  for (const mark of svg.querySelectorAll("[data-key]")) {
    mark.classList.add("pointed");
    mark.addEventListener("click", () => open(mark.dataset.key));
  }
  figure.replaceChildren(svg);
}

function open(key) {
  if (canCompare) {
    location.assign(`${at("compare")}?candidate=${key}`);
    return;
  }
  const row = document.querySelector(`#rows tr[data-key="${key}"]`);
  if (!row) return;
  row.scrollIntoView({ block: "center" });
  row.querySelector("button, a").focus();
}

function see() {
  const [risk, loss] = [get("risk").value, get("loss").value];
  const limits = ["risk", "loss"].filter((axis) => get(`limit-${axis}`).value !== "")
    .map((axis) => `${axis === "risk" ? risk : loss}<=${get(`limit-${axis}`).value}`);
  latest(act(() => tell(at("candidates/map"), { risk, loss, limits })));
}

// Of several answers on their way, the one that was asked for last is shown.
let turn = 0;

async function latest(answer) {
  const own = ++turn;
  const told = await answer;
  // What is held by the pointer is not drawn anew under it; letting go asks again.
  if (told && own === turn && !document.querySelector(".grip.held")) show(told);
}

// ---- the table

function button(words, label, work) {
  const made = element("button", { type: "button", class: "plain small", "aria-label": label }, words);
  made.addEventListener("click", () => work(made));
  return made;
}

async function choose(key, pressed) {
  const done = await act(() => change(at("candidates/choose"), { key }), pressed);
  if (!done) return;
  get("undo").disabled = false;
  get("redo").disabled = true;
  say("This is what will be released. It can be undone.");
  latest(ask(at("candidates/map")));
}

function rowOf(row) {
  const last = element("td", { class: "acts" });
  if (canCompare) last.append(element("a", { class: "button plain small", href: `${at("compare")}?candidate=${row.key}`, "aria-label": `Compare ${row.label} with the original` }, "Compare"));
  last.append(row.standing ? element("span", { class: "badge" }, "stands") : button("Choose", `Choose ${row.label}`, (pressed) => choose(row.key, pressed)));
  const cell = (text) => element("td", { class: "number" }, text);
  return element("tr", { "data-key": row.key, class: row.chosen ? "chosen" : null },
    element("th", { scope: "row" }, row.label), cell(row.groups), cell(row.sizes), cell(row.loss), cell(row.risk), cell(row.seconds),
    element("td", {}, row.remark), last);
}

function show(told) {
  state = told;
  get("results").hidden = !told.n && !told.jobs.length;
  get("candidates").hidden = !told.n;
  get("verdict").textContent = told.n ? told.verdict : "The map appears with the first candidate.";
  get("legend").replaceChildren(...told.legend.map(([name, mark]) => {
    const svg = drawn(`<svg aria-hidden="true" width="16" height="16" viewBox="-8 -8 16 16">${mark}</svg>`);
    return element("span", {}, svg, name);
  }));
  options(get("risk"), told.axes.risks.length ? told.axes.risks : [[told.axes.risk, told.axes.risk_title]], told.axes.risk);
  options(get("loss"), told.axes.losses.length ? told.axes.losses : [[told.axes.loss, told.axes.loss_title]], told.axes.loss);
  for (const axis of ["risk", "loss"]) {
    get(`limit-${axis}-title`).textContent = told.axes[`${axis}_title`];
    get(`head-${axis}`).textContent = told.axes[`${axis}_title`];
    if (document.activeElement !== get(`limit-${axis}`)) get(`limit-${axis}`).value = told.limits[axis] ?? "";
  }
  showMap("map", told.chart, told.frame);
  showMap("narrow", told.narrow, told.narrow_frame);
  get("rows").replaceChildren(...told.rows.map(rowOf));
  const mark = document.querySelector('.mark-note[data-page="candidates"]');
  mark.hidden = !told.n;
  mark.textContent = count.format(told.n);
}

// ---- what is being made

function jobRow(job) {
  const steer = (words, what) => button(words, `${words}: ${job.title}`, (pressed) => act(() => tell(at("jobs"), { job: job.id, do: what }), pressed).then(look));
  const bar = element("progress", { max: 1, "aria-label": `${job.title}, progress`, value: job.fraction });
  const acts = element("td", { class: "acts" });
  if (job.state === "running") acts.append(steer("Pause", "pause"));
  if (job.state === "paused") acts.append(steer("Go on", "resume"));
  acts.append(steer("Cancel", "cancel"));
  const left = job.state === "running" ? (job.left ? span(job.left) : `${span(job.seconds)} so far`) : job.state;
  return element("tr", { "data-id": job.id, "data-state": job.state }, element("th", { scope: "row" }, job.title), element("td", {}, bar),
    element("td", { class: "number" }, job.loss === null ? "" : `${job.loss.toPrecision(3)}%`), element("td", { class: "number" }, left), acts);
}

function showJobs(jobs) {
  const mine = jobs.filter((job) => job.kind === "candidate");
  const running = mine.filter((job) => !job.over);
  get("running").hidden = !running.length;
  const body = get("jobs");
  const known = new Map(all("tr", body).map((row) => [row.dataset.id, row]));
  // A row is drawn anew only when its buttons change, so that focus and clicks are not lost while it is watched.
  body.replaceChildren(...running.map((job) => {
    const row = known.get(job.id);
    const fresh = jobRow(job);
    if (!row || row.dataset.state !== job.state) return fresh;
    row.querySelector("progress").value = job.fraction;
    [...row.children].forEach((cell, i) => { if (i === 2 || i === 3) cell.textContent = fresh.children[i].textContent; });
    return row;
  }));
  get("pause-all").hidden = !running.some((job) => job.state === "running");
  get("resume-all").hidden = !running.some((job) => job.state === "paused");
  const failed = mine.filter((job) => job.state === "failed");
  get("failures").hidden = !failed.length;
  get("failed").replaceChildren(...failed.flatMap((job) => [element("dt", {}, job.title), element("dd", {}, job.message)]));
  const over = mine.filter((job) => job.over).map((job) => job.id).join();
  if (over !== finished) {
    finished = over;
    latest(ask(at("candidates/map")));
  }
}

let look = () => {};
if (get("state")) {
  const first = JSON.parse(get("state").textContent);
  finished = first.jobs.filter((job) => job.over).map((job) => job.id).join();
  show(first);
  look = onJobs(showJobs);
  for (const id of ["risk", "loss", "limit-risk", "limit-loss"]) get(id).addEventListener("change", see);
  for (const [id, what] of [["pause-all", "pause"], ["resume-all", "resume"], ["cancel-all", "cancel"]]) {
    get(id).addEventListener("click", (event) => act(() => tell(at("jobs"), { job: "*candidate", do: what }), event.target).then(look));
  }
  get("try").addEventListener("submit", async (event) => {
    event.preventDefault();
    const ks = get("ks").value.split(",").map((text) => text.trim()).filter((text) => text).map(Number);
    const methods = all("input[name=method]:checked", get("try")).map((box) => box.value);
    const told = await act(() => change(at("candidates"), { ks, methods, effort: get("effort").value }), get("start"));
    if (!told) return;
    say(told.jobs.some((job) => !job.over) ? "" : "All of these were made already: they are on the map.");
    latest(told);
    look();
  });
  get("promises").addEventListener("submit", async (event) => {
    event.preventDefault();
    const promises = { l: {}, p: {}, t: {} };
    for (const field of all(".promise")) promises[field.dataset.name][field.dataset.at] = field.value;
    const missing = get("missing").value || null;
    if (await act(() => change(at("candidates/promises"), { promises, missing }))) location.reload();
  });
}
