// Which releases are compared: another choice is another address.

import { get } from "./studio.js";

const form = get("choose");
if (form) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const asked = new URLSearchParams();
    for (const name of ["candidate", "beside"]) if (form.elements[name].value) asked.set(name, form.elements[name].value);
    if (form.elements.exact.checked) asked.set("exact", "true");
    location.search = asked.toString();
  });
}
