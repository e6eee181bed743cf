// The data of a project: read the file in another way, or give it back.

import { act, all, at, change, get, project, say, send } from "./studio.js";

const form = get("reading");
if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reading = {};
    for (const field of all("select, input", form)) {
      if (field.value === "") continue;
      const type = field.dataset.type;
      reading[field.name] = type === "truth" ? field.value === "true" : type === "number" ? Number(field.value) : field.value;
    }
    act(() => change(at("data"), { reading }));
  });
}

const file = get("file");
if (file) {
  file.addEventListener("change", () => {
    say(`${file.files[0].name} is being sent.`);
    act(() => send(file.files[0], { "X-Project": project }));
  });
}
