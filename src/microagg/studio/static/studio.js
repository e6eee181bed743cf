// What every page of the studio does: ask the server, tell news, undo and redo, follow jobs.

export const body = document.body;
export const project = body.dataset.project || "";
export const at = (path) => `/projects/${project}/${path}`;
export const get = (id) => document.getElementById(id);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const count = new Intl.NumberFormat("en");

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function say(text, bad = false) {
  const news = get("news");
  news.textContent = text;
  news.classList.toggle("bad", bad);
  news.hidden = !text;
  if (bad) news.scrollIntoView({ block: "nearest" });
}

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function answer(response) {
  const content = await response.json().catch(() => ({ message: "The studio gave an answer that is none." }));
  if (response.ok) return content;
  if (response.status === 401) location.reload();
  throw new Refused(content.message, response.status);
}

export async function ask(path) {
  return answer(await fetch(path, { headers: { "X-Studio": "1" } }));
}

export async function tell(path, content) {
  const headers = { "Content-Type": "application/json", "X-Studio": "1" };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(content) }));
}

export const revision = () => Number(body.dataset.revision);

// A change of the project: says which revision was seen, and takes the new one.
export async function change(path, content) {
  const done = await tell(path, { revision: revision(), ...content });
  if (done.revision !== undefined) body.dataset.revision = done.revision;
  return done;
}

const KEPT = "studio-news";

// Say something on the page that is loaded next.
export function sayNext(text, bad = false) {
  sessionStorage.setItem(KEPT, JSON.stringify([text, bad]));
}

// Do something, and tell what went wrong if it did; a page that is out of date is loaded anew.
export async function act(work, button = null) {
  if (button) button.setAttribute("aria-busy", "true");
  try {
    const done = await work();
    if (done && done.go) location.assign(done.go);
    return done;
  } catch (problem) {
    if (problem.status === 409) {
      sayNext(problem.message, true);
      location.reload();
    } else {
      say(problem instanceof Refused ? problem.message : "The studio does not answer. Is it still running?", true);
    }
    return null;
  } finally {
    if (button) button.removeAttribute("aria-busy");
  }
}

export function span(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// ---- sending a file

export function send(file, headers = {}) {
  const bar = get("sent");
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/upload");
    request.setRequestHeader("X-Studio", "1");
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => {
      bar.hidden = false;
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    });
    request.addEventListener("load", () => {
      let content = { message: "The studio gave an answer that is none." };
      try { content = JSON.parse(request.responseText); } catch { /* told below */ }
      bar.hidden = true;
      if (request.status === 200) done(content);
      else failed(new Refused(content.message, request.status));
    });
    request.addEventListener("error", () => { bar.hidden = true; failed(new Error()); });
    request.send(file);
  });
}

// ---- jobs that a page waits for

const PERIOD = 400;
const listeners = [];

// Be told how the jobs of the project stand, while anything runs; returns a function that looks at once.
export function onJobs(listener) {
  listeners.push(listener);
  if (listeners.length === 1) look();
  return look;
}

let timer = 0;

async function look() {
  clearTimeout(timer);
  let busy = true;
  try {
    const told = await ask(at("jobs"));
    for (const listener of listeners) listener(told.jobs, told.revision);
    busy = told.jobs.some((job) => !job.over);
    if (body.dataset.lost) {
      delete body.dataset.lost;
      say("");
    }
  } catch (problem) {
    body.dataset.lost = "1";
    say("The studio does not answer. If it was stopped, start it again: nothing but the running job is lost.", true);
  }
  if (busy) timer = setTimeout(look, document.hidden ? 5 * PERIOD : PERIOD);
}

const waited = get("content").querySelector("[data-wait]");
if (waited) {
  onJobs((jobs) => {
    const job = jobs.find((each) => each.id === waited.dataset.wait);
    if (!job || job.over) { location.reload(); return; }
    if (job.fraction > 0) waited.querySelector("progress").value = job.fraction;
    waited.querySelector("[data-left]").textContent = job.left ? `about ${span(job.left)} left` : `${span(job.seconds)} so far`;
  });
}

for (const button of all("[data-job]")) {
  button.addEventListener("click", () => act(() => tell(at("jobs"), { job: button.dataset.job, do: button.dataset.do }), button));
}

// ---- undo and redo

async function step(by) {
  const done = await act(() => change(at("history"), { by }));
  if (done) location.reload();
}

for (const [id, by] of [["undo", -1], ["redo", 1]]) {
  const button = get(id);
  if (button) button.addEventListener("click", () => step(by));
}

document.addEventListener("keydown", (event) => {
  if (!project || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const writes = event.target.matches("input:not([type=checkbox]):not([type=range]), textarea");
  if (writes || (key !== "z" && key !== "y")) return;
  event.preventDefault();
  const button = get(key === "y" || event.shiftKey ? "redo" : "undo");
  if (!button.disabled) button.click();
});

const kept = sessionStorage.getItem(KEPT);
if (kept) {
  sessionStorage.removeItem(KEPT);
  say(...JSON.parse(kept));
}
