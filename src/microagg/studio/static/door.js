// Exchange the token for a key. It comes from the fragment of the address, which no server ever sees, or from the form.

const get = (id) => document.getElementById(id);

function say(text, bad) {
  get("news").textContent = text;
  get("news").classList.toggle("bad", bad);
}

async function enter(token) {
  const headers = { "Content-Type": "application/json", "X-Studio": "1" };
  const response = await fetch("/door", { method: "POST", headers, body: JSON.stringify({ token }) });
  if (response.ok) {
    location.replace(location.pathname);
    return;
  }
  const content = await response.json().catch(() => ({ message: "The studio does not answer." }));
  say(content.message, true);
  get("door").hidden = false;
}

get("form").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(get("token").value.trim());
});

const token = new URLSearchParams(location.hash.slice(1)).get("token");
history.replaceState(null, "", location.pathname);
if (token) enter(token);
else {
  say("", false);
  get("door").hidden = false;
}
