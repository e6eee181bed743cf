// The columns: search, choose many, set roles and kinds by mouse or keys.

import { act, all, at, change, count, get } from "./studio.js";

const table = get("table");
const rows = table ? all("tbody tr", table) : [];
const KEYS = { q: "quasi", x: "identifiers", c: "confidential", k: "keep", s: "suggested", u: "" };

const number = (row) => Number(row.dataset.at);
const words = new Map(rows.map((row) => [row, row.querySelector("th").textContent.toLowerCase()]));
const isShown = (row) => !row.hidden;
const picked = () => rows.filter((row) => row.querySelector(".pick").checked);

function sift() {
  const asked = get("search").value.trim().toLowerCase();
  const role = get("filter").value;
  let n = 0;
  for (const row of rows) {
    const alarms = !row.querySelector(".alarm-note").hidden;
    const fits = role === "*" || (role === "!" ? alarms : row.dataset.role === role);
    row.hidden = !(fits && (!asked || words.get(row).includes(asked)));
    n += !row.hidden;
  }
  get("no-match").hidden = n > 0;
}

function showPicked() {
  const n = picked().length;
  get("many").hidden = n === 0;
  get("n-chosen").textContent = count.format(n);
  const shown = rows.filter(isShown);
  const box = get("all");
  box.checked = n > 0 && shown.every((row) => row.querySelector(".pick").checked);
  box.indeterminate = n > 0 && !box.checked;
}

function showState(told) {
  for (const state of told.columns) {
    const row = rows[state.at];
    if (row.dataset.role !== state.role) {
      row.dataset.role = state.role;
      row.classList.toggle("undecided", !state.role);
      row.querySelector(".suggestion").hidden = Boolean(state.role);
    }
    row.querySelector(".role").value = state.role;
    const kind = row.querySelector(".kind");
    kind.disabled = state.role !== "quasi";
    if (![...kind.options].some((option) => option.value === state.kind)) kind.add(new Option(state.kind, state.kind));
    kind.value = state.kind;
    const alarm = row.querySelector(".alarm-note");
    alarm.textContent = state.alarm;
    alarm.hidden = !state.alarm;
  }
  for (const tag of all("[data-count]", get("tally"))) {
    const n = told.counts[tag.dataset.count];
    tag.hidden = !n;
    tag.querySelector("b").textContent = count.format(n);
  }
  const open = told.counts[""];
  const mark = document.querySelector('.mark-note[data-page="columns"]');
  mark.hidden = !open;
  mark.textContent = open ? `${count.format(open)} to decide` : "";
  get("accept").hidden = !open;
  get("undo").disabled = false;
  get("redo").disabled = true;
}

async function decide(which, what) {
  if (!which.length) return;
  const told = await act(() => change(at("columns"), { columns: which.map(number), ...what }));
  if (told) showState(told);
  else sift();
}

function move(from, by) {
  const shown = rows.filter(isShown);
  const next = shown[Math.min(Math.max(shown.indexOf(from) + by, 0), shown.length - 1)];
  if (next) next.querySelector(".pick").focus();
}

if (table) {
  get("search").addEventListener("input", sift);
  get("filter").addEventListener("change", sift);
  get("accept").addEventListener("click", () => decide(rows.filter((row) => !row.dataset.role), { role: "suggested" }));
  get("all").addEventListener("change", (event) => {
    for (const row of rows.filter(isShown)) row.querySelector(".pick").checked = event.target.checked;
    showPicked();
  });
  get("none").addEventListener("click", () => {
    for (const row of picked()) row.querySelector(".pick").checked = false;
    showPicked();
  });
  for (const [id, what] of [["many-role", "role"], ["many-kind", "kind"]]) {
    get(id).addEventListener("change", (event) => {
      decide(picked(), { [what]: event.target.value });
      event.target.value = "-";
    });
  }
  let last = null;
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    if (event.target.matches(".suggestion")) decide([row], { role: "suggested" });
    if (event.target.matches(".pick")) {
      if (event.shiftKey && last) {
        const shown = rows.filter(isShown);
        const [a, b] = [shown.indexOf(last), shown.indexOf(row)].sort((x, y) => x - y);
        for (const each of shown.slice(a, b + 1)) each.querySelector(".pick").checked = event.target.checked;
      }
      last = row;
      showPicked();
    }
  });
  table.addEventListener("change", (event) => {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    if (event.target.matches(".role")) decide([row], { role: event.target.value });
    if (event.target.matches(".kind")) decide([row], { kind: event.target.value });
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const writes = event.target.matches("input:not([type=checkbox]), select, textarea");
    if (event.key === "/" && !writes) {
      event.preventDefault();
      get("search").focus();
      return;
    }
    if (event.target === get("search") && event.key === "ArrowDown") {
      event.preventDefault();
      move(null, 1);
      return;
    }
    const row = event.target.closest("tbody tr");
    if (!row || writes) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(row, event.key === "ArrowDown" ? 1 : -1);
    } else if (KEYS[event.key] !== undefined) {
      event.preventDefault();
      const chosen = picked();
      decide(chosen.length ? chosen : [row], { role: KEYS[event.key] });
    }
  });
}
