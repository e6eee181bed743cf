// A survey: close it, publish it, and follow it while it is being grouped.

import { act, all, ask, get, span, tell } from "./studio.js";

const about = get("survey").dataset;
const path = (what) => `/surveys/${encodeURIComponent(about.survey)}/${what}`;

for (const form of all("form[data-act]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = form.querySelector("input").value;
    if (await act(() => tell(path(form.dataset.act), { name }), event.submitter)) location.reload();
  });
}
for (const button of all("button[data-act]")) {
  button.addEventListener("click", async () => {
    if (await act(() => tell(path(button.dataset.act), {}), button)) location.reload();
  });
}

const began = Date.now();
async function look() {
  const told = await ask(path("status")).catch(() => null);
  if (told && told.state !== about.state) { location.reload(); return; }
  const box = get("grouping");
  if (told && box) {
    if (told.fraction) box.querySelector("progress").value = told.fraction;
    get("left").textContent = told.message || `${span((Date.now() - began) / 1000)} so far`;
  }
  setTimeout(look, box ? 500 : 5000);
}
if (about.state === "open" || about.state === "closing") setTimeout(look, 500);
