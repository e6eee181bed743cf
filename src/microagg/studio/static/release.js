// The release: make it, confirm what must be confirmed, write it to a folder.

import { act, all, at, get, say, tell } from "./studio.js";

const form = get("make");
if (form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = { name: form.elements.name.value, suffix: form.elements.suffix.value };
    if (await act(() => tell(at("release"), asked), event.submitter)) location.reload();
  });
}

const made = get("made");

function showLeft(left) {
  made.dataset.left = left;
  const words = get("left");
  if (words) words.textContent = left ? `${left} left. Nothing is published before each is confirmed.` : "All confirmed.";
  get("warnings-box").classList.toggle("alarm", left > 0);
  for (const each of all("[data-needs-all]")) {
    if (each.tagName === "BUTTON") each.disabled = left > 0;
    else if (left > 0) each.setAttribute("aria-disabled", "true");
    else each.removeAttribute("aria-disabled");
  }
}

async function write(target, replace, button) {
  const { folder, reports } = target.elements;
  const asked = { job: made.dataset.release, folder: folder.value, replace, reports: reports.value };
  const done = await act(() => tell(at("release/publish"), asked), button);
  if (!done) return;
  say(done.message, Boolean(done.exists));
  button.textContent = done.exists ? "Replace what is there" : "Write to this folder";
  target.dataset.replace = done.exists ? "1" : "";
}

if (made) {
  showLeft(Number(made.dataset.left));
  for (const box of all(".confirm")) {
    box.addEventListener("change", async () => {
      const said = { job: made.dataset.release, warning: Number(box.dataset.warning), yes: box.checked };
      const done = await act(() => tell(at("release/confirm"), said));
      if (!done) { box.checked = !box.checked; return; }
      box.closest("li").classList.toggle("done", box.checked);
      showLeft(done.left);
    });
  }
  for (const link of all("a[data-needs-all]")) {
    link.addEventListener("click", (event) => {
      if (link.getAttribute("aria-disabled")) {
        event.preventDefault();
        say("Confirm every warning first.", true);
      }
    });
  }
  const target = get("target");
  if (target) {
    target.addEventListener("input", () => { target.dataset.replace = ""; });
    target.addEventListener("submit", (event) => {
      event.preventDefault();
      write(target, target.dataset.replace === "1", event.submitter);
    });
  }
  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
      button.textContent = "Copied";
    });
  }
}
