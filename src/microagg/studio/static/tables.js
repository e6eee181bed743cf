// Tables that can be sorted by a click, or a key, on a heading; and work that shall be tried again.

import { act, all, at, element, tell } from "./studio.js";

const value = (row, place) => {
  const cell = row.cells[place];
  const said = cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
  const number = said === "" ? NaN : Number(said.replaceAll(",", "").replace("−", "-").replace(/%$/, ""));
  return { text: said, number };
};

function sort(table, place, down) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, i) => ({ row, i, ...value(row, place) }));
  const numbers = rows.some((each) => !Number.isNaN(each.number));
  rows.sort((a, b) => {
    const missing = Number(numbers ? Number.isNaN(a.number) : !a.text) - Number(numbers ? Number.isNaN(b.number) : !b.text);
    if (missing) return missing; // what is not told stays at the end, whichever way
    const order = numbers ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true });
    return (down ? -order : order) || a.i - b.i;
  });
  body.append(...rows.map((each) => each.row));
}

for (const table of all("table.sortable")) {
  all("thead th", table).forEach((head, place) => {
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, place, down);
    });
  });
}

for (const button of all("[data-again]")) {
  button.addEventListener("click", async () => {
    const asked = { ...button.dataset };
    const content = asked.content ? JSON.parse(asked.content) : {};
    if (await act(() => tell(at(asked.again), content), button)) location.reload();
  });
}
