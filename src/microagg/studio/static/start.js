// The first page: complete paths, send files, open examples and projects.

import { act, all, element, get, say, send, tell } from "./studio.js";

const path = get("path");
const choices = get("choices");
let entries = [];
let chosen = -1;
let asked = 0;

function show() {
  choices.replaceChildren(...entries.map((entry, i) =>
    element("li", { role: "option", id: `choice-${i}`, "aria-selected": String(i === chosen), class: entry.folder ? "folder" : "file" }, entry.name)));
  choices.hidden = !entries.length;
  path.setAttribute("aria-expanded", String(!choices.hidden));
  if (chosen >= 0) {
    path.setAttribute("aria-activedescendant", `choice-${chosen}`);
    choices.children[chosen].scrollIntoView({ block: "nearest" });
  } else path.removeAttribute("aria-activedescendant");
}

async function complete() {
  const turn = ++asked;
  const told = await act(() => tell("/complete", { path: path.value }));
  if (!told || turn !== asked) return;
  // What a quick hand has chosen from an earlier answer stays chosen.
  const kept = chosen >= 0 ? entries[chosen].path : null;
  entries = told.entries;
  chosen = entries.findIndex((entry) => entry.path === kept);
  show();
}

function take(i) {
  const taken = entries[i];
  path.value = taken.path;
  [entries, chosen] = [[], -1];
  show();
  if (taken.folder) complete();
  else path.form.requestSubmit();
}

path.addEventListener("input", complete);
path.addEventListener("focus", complete);
path.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { entries = []; chosen = -1; show(); return; }
  if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); take(chosen); return; }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !entries.length) return;
  event.preventDefault();
  chosen = (chosen + by + entries.length) % entries.length;
  show();
});
choices.addEventListener("pointerdown", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  event.preventDefault();
  take([...choices.children].indexOf(item));
});
path.addEventListener("blur", () => { entries = []; chosen = -1; show(); });
path.form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (path.value.trim()) act(() => tell("/open", { path: path.value }));
});

function takeFile(file) {
  if (!file) return;
  say(`${file.name} is being sent.`);
  act(() => send(file));
}

get("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
const drop = get("drop");
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); takeFile(event.dataTransfer.files[0]); });

for (const button of all("[data-example]")) {
  button.addEventListener("click", () => act(() => tell("/example", { name: button.dataset.example }), button));
}
for (const button of all("[data-open]")) {
  button.addEventListener("click", () => act(() => tell("/project", { name: button.dataset.open }), button));
}
for (const button of all("[data-delete]")) {
  button.addEventListener("click", async () => {
    if (button.dataset.sure !== "1") {
      button.dataset.sure = "1";
      button.textContent = "Really delete?";
      return;
    }
    if (await act(() => tell("/delete", { name: button.dataset.delete }), button)) button.closest("li").remove();
  });
}
