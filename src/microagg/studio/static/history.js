// The history: go to any step.

import { act, all, at, change } from "./studio.js";

for (const button of all("[data-to]")) {
  button.addEventListener("click", async () => {
    const done = await act(() => change(at("history"), { to: Number(button.dataset.to) }), button);
    if (done) location.reload();
  });
}
