// The tree editor: values are dragged, or moved by keys; what is missing in the tree is marked.

import { act, all, ask, at, change, count, element, get, say, tell } from "./studio.js";

const about = get("column").dataset;
const box = get("tree-box");
const ROOT = "*";
let root = null; // { name, children, parent, open }
let here = null;
let held = null;
let values = [];
let counts = new Map();
let rule = "";
let origin = "";
let dirty = false;

// ---- the model

function node(name, children = []) {
  const made = { name, children: [], parent: null, open: true };
  for (const child of children) add(made, node(child.name, child.children));
  return made;
}

function add(parent, child, place = parent.children.length) {
  child.parent = parent;
  parent.children.splice(place, 0, child);
}

function take(child) {
  child.parent.children.splice(child.parent.children.indexOf(child), 1);
  child.parent = null;
}

function* walk(from) {
  yield from;
  for (const child of from.children) yield* walk(child);
}

const names = () => new Set(root ? [...walk(root)].map((each) => each.name) : []);
const isWithin = (inner, outer) => inner === outer || (inner.parent !== null && isWithin(inner.parent, outer));
const isValue = (each) => counts.has(each.name);
const valuesBelow = (each) => {
  const n = [...walk(each)].filter(isValue).length;
  return n === 1 ? "1 value" : `${count.format(n)} values`;
};

function free(base) {
  const known = names();
  if (!known.has(base)) return base;
  let number = 2;
  while (known.has(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}

const missing = () => {
  const known = names();
  return values.filter((value) => !known.has(value));
};

// ---- the drawing

function item(each, level) {
  const has = each.children.length > 0;
  const li = element("li", {
    role: "treeitem", "aria-level": level, "aria-selected": String(each === here), tabindex: each === here ? 0 : -1,
    "aria-expanded": has ? String(each.open) : null, draggable: each.parent ? "true" : null,
    class: [isValue(each) ? "value" : "node", each === held ? "held" : ""].join(" ").trim(),
  });
  const n = isValue(each) ? count.format(counts.get(each.name)) : has ? valuesBelow(each) : "";
  const label = element("span", { class: "label" }, each.name);
  const row = element("div", { class: "row" }, element("span", { class: "twist", "aria-hidden": "true" }, has ? (each.open ? "▾" : "▸") : "·"), label, element("span", { class: "n" }, n));
  if (!has && !isValue(each) && each.parent) row.append(element("span", { class: "mark-note" }, "not in the data"));
  li.append(row);
  li.node = each;
  if (has && each.open) li.append(element("ul", { role: "group" }, ...each.children.map((child) => item(child, level + 1))));
  return li;
}

function show(focus = false) {
  get("editor").hidden = !root;
  get("save-tree").disabled = !root || root.children.length === 0;
  get("export").hidden = !root;
  if (!root) return;
  if (!here || !isWithin(here, root)) here = root;
  get("tree").replaceChildren(item(root, 1));
  const left = missing();
  get("n-missing").textContent = left.length ? count.format(left.length) : "";
  get("n-missing").hidden = !left.length;
  const words = left.length === 1 ? "One value is missing in it." : left.length ? `${count.format(left.length)} values are missing in it.` : "Every value has a place.";
  get("tree-note").textContent = [origin, words].filter(Boolean).join(" ");
  const chosen = new Set(all('[aria-selected="true"]', get("pool")).map((each) => each.value_));
  get("pool").replaceChildren(...left.slice(0, 1000).map((value, i) => {
    const li = element("li", { role: "option", draggable: "true", id: `pool-${i}`, "aria-selected": String(chosen.has(value)) }, element("span", { class: "label" }, value), element("span", { class: "n" }, count.format(counts.get(value))));
    li.value_ = value;
    return li;
  }));
  if (!left.length) get("pool").replaceChildren(element("li", { class: "none", role: "option", "aria-selected": "false", "aria-disabled": "true" }, "Nothing: every value has a place."));
  if (focus) {
    const li = find(here);
    if (li) li.focus();
  }
}

const find = (each) => all('[role="treeitem"]', get("tree")).find((li) => li.node === each);

function changed(next = here, focus = true) {
  dirty = true;
  rule = "";
  get("use-rule").hidden = true;
  here = next;
  show(focus);
}

function begin(tree, note = "") {
  root = node(tree.name, tree.children);
  here = root;
  origin = note;
  show();
}

// ---- acts

function move(child, parent, place) {
  if (!child || !parent || child === root || isWithin(parent, child)) return false;
  take(child);
  parent.open = true;
  add(parent, child, place ?? parent.children.length);
  changed(child);
  return true;
}

function put(which) {
  const target = here && !(isValue(here) && here.children.length === 0 && here.parent) ? here : here.parent;
  for (const value of which) add(target, node(value));
  target.open = true;
  changed(target, false);
}

function rename(each) {
  const li = find(each);
  if (!li || isValue(each)) {
    if (each && isValue(each)) say("Values of the data keep their names.", true);
    return;
  }
  const input = element("input", { type: "text", value: each.name, "aria-label": "Name of the node", class: "rename" });
  li.querySelector(".label").replaceWith(input);
  input.focus();
  input.select();
  let over = false;
  const done = (keep) => {
    if (over) return;
    over = true;
    const name = input.value.trim();
    if (keep && name && name !== each.name) {
      if (names().has(name)) say("There is a node of this name already.", true);
      else { each.name = name; changed(each); return; }
    }
    show(true);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") done(true);
    if (event.key === "Escape") done(false);
  });
  input.addEventListener("blur", () => done(true));
}

const ACTS = {
  add() {
    const target = isValue(here) && here.parent && !here.children.length ? here.parent : here;
    const made = node(free("new node"));
    add(target, made, 0);
    target.open = true;
    changed(made);
    rename(made);
  },
  rename: () => rename(here),
  cut() {
    held = here === root ? null : here;
    show(true);
  },
  paste() {
    const child = held;
    held = null;
    if (child && !move(child, here)) show(true);
  },
  remove() {
    if (here === root) return;
    const parent = here.parent;
    const place = parent.children.indexOf(here);
    const below = [...here.children];
    take(here);
    below.forEach((child, i) => add(parent, child, place + i));
    changed(parent);
  },
};

function carry(key) {
  const parent = here.parent;
  if (!parent) return;
  const place = parent.children.indexOf(here);
  if (key === "ArrowUp" && place > 0) move(here, parent, place - 1);
  if (key === "ArrowDown" && place < parent.children.length - 1) move(here, parent, place + 1);
  if (key === "ArrowRight" && place > 0) move(here, parent.children[place - 1]);
  if (key === "ArrowLeft" && parent.parent) move(here, parent.parent, parent.parent.children.indexOf(parent) + 1);
}

function step(key) {
  const shown = all('[role="treeitem"]', get("tree")).map((li) => li.node);
  const place = shown.indexOf(here);
  if (key === "ArrowDown") here = shown[Math.min(place + 1, shown.length - 1)];
  if (key === "ArrowUp") here = shown[Math.max(place - 1, 0)];
  if (key === "Home") here = shown[0];
  if (key === "End") here = shown[shown.length - 1];
  if (key === "ArrowRight") {
    if (here.children.length && !here.open) here.open = true;
    else if (here.children.length) here = here.children[0];
  }
  if (key === "ArrowLeft") {
    if (here.children.length && here.open) here.open = false;
    else if (here.parent) here = here.parent;
  }
  show(true);
}

if (box) {
  const tree = get("tree");
  tree.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey;
    if (event.key.startsWith("Arrow") && event.altKey) carry(event.key);
    else if ((event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") && !control) step(event.key);
    else if (control && event.key.toLowerCase() === "x") ACTS.cut();
    else if (control && event.key.toLowerCase() === "v") ACTS.paste();
    else if (event.key === "F2" || event.key === "Enter") ACTS.rename();
    else if (event.key === "Delete") ACTS.remove();
    else if (event.key.toLowerCase() === "n" && !control && !event.altKey) ACTS.add();
    else return;
    event.preventDefault();
  });
  tree.addEventListener("click", (event) => {
    const li = event.target.closest('[role="treeitem"]');
    if (!li || event.target.matches("input")) return;
    if (event.target.matches(".twist")) li.node.open = !li.node.open;
    here = li.node;
    show(true);
  });
  tree.addEventListener("dblclick", (event) => {
    const li = event.target.closest('[role="treeitem"]');
    if (li && event.target.matches(".label")) rename(li.node);
  });
  for (const button of all("[data-tree]")) button.addEventListener("click", () => ACTS[button.dataset.tree]());

  // What is dragged: a node of the tree, or values from the pool.
  let dragged = null;
  box.addEventListener("dragstart", (event) => {
    const li = event.target.closest('[draggable="true"]');
    if (!li) return;
    event.stopPropagation();
    if (li.node) dragged = { node: li.node };
    else {
      const chosen = all('[aria-selected="true"]', get("pool")).map((each) => each.value_);
      dragged = { values: chosen.includes(li.value_) ? chosen : [li.value_] };
    }
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
  });
  const over = (event) => (dragged ? event.target.closest('[role="treeitem"]') : null);
  tree.addEventListener("dragover", (event) => {
    const li = over(event);
    if (!li) return;
    event.preventDefault();
    for (const other of all(".over", tree)) if (other !== li) other.classList.remove("over");
    li.classList.add("over");
  });
  tree.addEventListener("drop", (event) => {
    const li = over(event);
    if (!li) return;
    event.preventDefault();
    if (dragged.node) { if (!move(dragged.node, li.node)) show(); } else { here = li.node; put(dragged.values); }
    dragged = null;
  });
  box.addEventListener("dragend", () => { dragged = null; for (const each of all(".over", tree)) each.classList.remove("over"); });
  const pool = get("pool");
  pool.addEventListener("dragover", (event) => { if (dragged && dragged.node) event.preventDefault(); });
  pool.addEventListener("drop", (event) => {
    event.preventDefault();
    if (dragged && dragged.node && dragged.node !== root) {
      const parent = dragged.node.parent;
      take(dragged.node);
      changed(parent, false);
    }
    dragged = null;
  });

  let last = 0;
  const mark = (place) => {
    const items = all('[role="option"]:not(.none)', pool);
    if (!items.length) return;
    last = Math.min(Math.max(place, 0), items.length - 1);
    for (const each of all(".active", pool)) each.classList.remove("active");
    items[last].classList.add("active");
    pool.setAttribute("aria-activedescendant", items[last].id);
    items[last].scrollIntoView({ block: "nearest" });
  };
  const turn = (li) => li.setAttribute("aria-selected", String(li.getAttribute("aria-selected") !== "true"));
  pool.addEventListener("click", (event) => {
    const li = event.target.closest('[role="option"]:not(.none)');
    if (!li) return;
    turn(li);
    mark(all('[role="option"]', pool).indexOf(li));
  });
  pool.addEventListener("keydown", (event) => {
    const items = all('[role="option"]:not(.none)', pool);
    if (event.key === "ArrowDown") mark(last + 1);
    else if (event.key === "ArrowUp") mark(last - 1);
    else if (event.key === " " && items[last]) turn(items[last]);
    else if (event.key === "Enter") get("put").click();
    else return;
    event.preventDefault();
  });
  get("put").addEventListener("click", () => {
    const chosen = all('[aria-selected="true"]', pool).map((each) => each.value_);
    if (chosen.length) put(chosen);
    else say("Choose values first: click them, or press the space bar.", true);
  });
  get("put-all").addEventListener("click", () => put(missing()));

  get("begin").addEventListener("click", () => {
    begin({ name: ROOT, children: values.map((name) => ({ name, children: [] })) });
    changed(root, false);
  });
  get("tree-file").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (!file) return;
    const done = await act(async () => tell(at("recode/import"), { name: file.name, text: await file.text() }));
    if (!done) return;
    begin(done.tree, `Read from ${file.name}.`);
    changed(root, false);
  });
  const kind = get("rule");
  const showRule = () => { get("levels").placeholder = kind.selectedOptions[0].dataset.example; };
  kind.addEventListener("change", showRule);
  showRule();
  get("rule-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = `${kind.value}:${get("levels").value.trim()}`;
    const done = await act(() => tell(at("recode/generate"), { column: Number(about.column), rule: asked }), event.submitter);
    if (!done) return;
    begin(done.tree, `By the rule ${asked}.`);
    rule = asked;
    dirty = true;
    get("use-rule").hidden = false;
  });

  const edges = () => [...walk(root)].filter((each) => each.parent).map((each) => [each.name, each.parent.name]);
  const keep = async (content, button) => {
    if (await act(() => change(at("recode/tree"), { column: Number(about.column), ...content }), button)) {
      dirty = false;
      location.reload();
    }
  };
  get("save-tree").addEventListener("click", (event) => keep({ edges: edges() }, event.target));
  get("use-rule").addEventListener("click", (event) => keep({ rule }, event.target));
  get("no-tree").addEventListener("click", (event) => keep({}, event.target));
  get("export").addEventListener("click", () => {
    const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const text = ["child,parent", ...edges().map((pair) => pair.map(cell).join(","))].join("\n");
    get("export").href = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" }));
  });
  window.addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });

  const told = await act(() => ask(`${at("recode/values")}?column=${about.column}`));
  if (told) {
    values = told.values;
    counts = new Map(told.values.map((value, i) => [value, told.counts[i]]));
    if (told.tree) begin(told.tree);
    else if (told.problem) get("tree-note").textContent = told.problem;
    else get("tree-note").textContent = told.more > 0 ? `${count.format(told.more + values.length)} different values are too many to be arranged by hand: import a tree, or use a rule.` : about.kind === "numeric" ? "No hierarchy: a group gets the mean of its numbers." : "No hierarchy yet: a group gets its most frequent value.";
    get("begin").disabled = told.more > 0;
  }
}
