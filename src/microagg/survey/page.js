"use strict";
(() => {
  const PERIOD = 2000;
  const WORTH_SAYING = 1.5;
  const WORDS = {
    open: "Open", closing: "Grouping", closed: "Closed", released: "Released",
    waiting: "Waiting", running: "Running", done: "Done", failed: "Failed", skipped: "Skipped",
    base: "Base stage", rest: "Second stage",
  };
  const get = (id) => document.getElementById(id);
  const count = new Intl.NumberFormat("en");
  let token = "";
  let name = "";
  let last = null;
  let timer = 0;

  // The token comes from the fragment, which no server ever sees, or from the form; it stays in this tab.
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.get("token")) {
    sessionStorage.setItem("token", fragment.get("token"));
    history.replaceState(null, "", location.pathname);
  }
  token = sessionStorage.getItem("token") || "";
  name = fragment.get("survey") || "";

  const word = (key) => WORDS[key] || String(key);

  const moment = (date) => {
    const sameDay = date.toDateString() === new Date().toDateString();
    const day = sameDay ? {} : { month: "short", day: "numeric" };
    return date.toLocaleString("en-GB", { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit" });
  };

  const span = (seconds) => {
    if (seconds < 1) return `${Math.max(seconds, 0).toFixed(1)} s`;
    if (seconds < 120) return `${Math.round(seconds)} s`;
    if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
    if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
    return `${(seconds / 86400).toFixed(1)} days`;
  };

  const until = (date) => {
    const seconds = (date - Date.now()) / 1000;
    return seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
  };

  const time = (value) => {
    const date = value === null || value === undefined ? null : new Date(value);
    return date && !Number.isNaN(date.getTime()) ? date : null;
  };

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function drawing(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const say = (text, bad = false) => {
    const news = get("news");
    if (news.textContent !== text) news.textContent = text;
    news.classList.toggle("bad", bad);
  };

  async function ask(path, options = {}) {
    const response = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    const words = [problem.wrong, problem.do].filter(Boolean).join(" ");
    const error = new Error(words || `The service answered ${response.status}.`);
    error.status = response.status;
    throw error;
  }

  // ---- drawings

  const WIDE = 900;

  function width() {
    // On a phone the drawing gets fewer units, so that its words stay legible.
    return Math.max(340, Math.min(WIDE, get("arrivals").clientWidth || WIDE));
  }

  function steps(most) {
    const rough = Math.max(most, 1) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough));
    const ticks = [];
    for (let tick = 0; tick <= most + step * 0.999; tick += step) ticks.push(tick);
    return ticks;
  }

  function timeTicks(begin, end, n) {
    return Array.from({ length: n + 1 }, (_, i) => new Date(+begin + ((end - begin) * i) / n));
  }

  function axisWord(date, begin, end) {
    if (end - begin > 2 * 86400000) return date.toLocaleDateString("en-GB", { month: "short", day: "numeric" });
    const seconds = end - begin < 600000 ? { second: "2-digit" } : {};
    return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...seconds });
  }

  function arrivalsChart(points) {
    const w = width();
    const [h, left, right, top, bottom] = [240, 58, 16, 14, 28];
    const begin = points[0][0];
    const end = new Date(Math.max(+points[points.length - 1][0], +begin + 1000));
    const ticks = steps(points[points.length - 1][1]);
    const most = ticks[ticks.length - 1];
    const x = (date) => left + ((date - begin) / (end - begin)) * (w - left - right);
    const y = (value) => h - bottom - (value / most) * (h - top - bottom);
    const svg = drawing("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": get("arrivals-text").textContent });
    for (const tick of ticks) {
      svg.append(drawing("line", { class: "grid", x1: left, x2: w - right, y1: y(tick), y2: y(tick) }));
      svg.append(drawing("text", { x: left - 10, y: y(tick) + 4, "text-anchor": "end" }, count.format(tick)));
    }
    const n = w < 600 ? 2 : 4;
    timeTicks(begin, end, n).forEach((date, i) => {
      const anchor = i === 0 ? "start" : i === n ? "end" : "middle";
      svg.append(drawing("text", { x: x(date), y: h - 6, "text-anchor": anchor }, axisWord(date, begin, end)));
    });
    const line = points.map(([date, value]) => `${x(date).toFixed(1)},${y(value).toFixed(1)}`).join(" L");
    const [lastDate, lastValue] = points[points.length - 1];
    svg.append(drawing("path", { class: "fill", d: `M${x(begin)},${y(0)} L${line} L${x(lastDate)},${y(0)} Z` }));
    svg.append(drawing("path", { class: "line-after", d: `M${line}` }));
    svg.append(drawing("circle", { class: "dot", cx: x(lastDate), cy: y(lastValue), r: 4 }));
    return svg;
  }

  function timelineChart(rows, marks) {
    const w = width();
    const narrow = w < 600;
    const left = narrow ? 8 : 128;
    const right = 16;
    const rowHeight = narrow ? 46 : 34;
    const top = 26;
    const h = top + rows.length * rowHeight + 30;
    const dates = [...rows.flatMap((row) => [row.begin, row.end]), ...marks.map((mark) => mark.date)];
    const begin = new Date(Math.min(...dates));
    const end = new Date(Math.max(...dates, +begin + 1000));
    const x = (date) => left + ((date - begin) / (end - begin)) * (w - left - right);
    const svg = drawing("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": get("plan-text").textContent });
    rows.forEach((row, i) => {
      const y = top + i * rowHeight + (narrow ? 22 : 8);
      const label = narrow ? { x: left, y: y - 5 } : { x: left - 14, y: y + 13, "text-anchor": "end" };
      svg.append(drawing("text", { class: "value", ...label }, row.label));
      svg.append(drawing("rect", { class: row.kind, x: x(row.begin), y, width: Math.max(3, x(row.end) - x(row.begin)), height: 18, rx: 4 }));
    });
    for (const mark of marks) {
      const at = x(mark.date);
      const anchor = at < left + 40 ? "start" : at > w - right - 60 ? "end" : "middle";
      svg.append(drawing("line", { class: mark.kind, x1: at, x2: at, y1: top - 6, y2: h - 24 }));
      svg.append(drawing("text", { class: `${mark.kind}-label`, x: at, y: top - 12, "text-anchor": anchor }, mark.label));
    }
    const n = narrow ? 2 : 4;
    timeTicks(begin, end, n).forEach((date, i) => {
      const anchor = i === 0 ? "start" : i === n ? "end" : "middle";
      svg.append(drawing("text", { x: x(date), y: h - 6, "text-anchor": anchor }, axisWord(date, begin, end)));
    });
    return svg;
  }

  // ---- what the page says

  function showArrivals(status, points) {
    if (points.length < 2) {
      get("arrivals-text").textContent = status.received
        ? `${count.format(status.received)} answers so far; the curve appears with the next ones.`
        : "No answers yet.";
      get("arrivals").replaceChildren();
    } else {
      const [first, newest] = [points[0][0], points[points.length - 1][0]];
      get("arrivals-text").textContent =
        `${count.format(status.received)} answers from ${moment(first)} to ${moment(newest)}, counted up over time.`;
      get("arrivals").replaceChildren(arrivalsChart(points));
    }
    get("arrivals-rows").replaceChildren(
      ...points.slice(-12).reverse().map(([date, value]) =>
        element("tr", {}, element("td", {}, moment(date)), element("td", { class: "number" }, count.format(value)))),
    );
  }

  function showPlan(status, points) {
    const plan = status.plan;
    const dates = plan && { start: time(plan.start), base: time(plan.base_ends), closes: time(plan.closes), ready: time(plan.ready) };
    const complete = dates && dates.start && dates.base && dates.closes && dates.ready;
    get("moments").hidden = !complete;
    if (!complete) {
      get("plan-text").textContent = status.state === "open"
        ? "There is no forecast yet: it needs a closing time and some answers, or the number of answers expected."
        : "There is no forecast for this survey.";
      get("timeline").replaceChildren();
      return;
    }
    const twoStages = plan.n_rest > 0;
    const wait = (dates.ready - dates.closes) / 1000;
    const instead = plan.one_run > WORTH_SAYING * wait ? `, instead of ${span(plan.one_run)} in one run` : "";
    get("plan-text").textContent = (status.state === "open" ? "" : "As it was planned: ") + (twoStages
      ? `the base stage starts at ${moment(dates.start)} with ${count.format(plan.n_base)} records, the survey closes at ` +
        `${moment(dates.closes)}, and the release is expected ${span(wait)} after closing${instead}.`
      : `the survey closes at ${moment(dates.closes)}, everything is grouped in one run, and the release is expected ` +
        `${span(wait)} after closing.`).replace(/^t/, status.state === "open" ? "T" : "t") + (plan.note ? ` Note: ${plan.note}.` : "");
    const opened = time(status.opened) || points[0][0];
    const second = new Date(Math.max(dates.base, dates.closes));
    const rows = [
      { label: "Answers arrive", kind: "bar-arrive", begin: opened, end: dates.closes },
      { label: "Base stage", kind: "bar-base", begin: dates.start, end: dates.base },
    ];
    if (twoStages) rows.push({ label: "Second stage", kind: "bar-rest", begin: second, end: dates.ready });
    const marks = [{ label: "closes", kind: "mark", date: dates.closes }];
    const now = new Date();
    const whole = dates.ready - opened;
    // Long after the plan, the mark would press everything else together.
    if (now - opened < 1.2 * whole) {
      if (Math.abs(now - dates.closes) < 0.12 * whole) marks.pop();
      marks.push({ label: "now", kind: "now", date: now });
    }
    get("timeline").replaceChildren(timelineChart(rows, marks));
    const line = (what, date, records) =>
      element("tr", {}, element("th", { scope: "row" }, what), element("td", {}, `${moment(date)} (${until(date)})`), element("td", {}, records));
    get("plan-rows").replaceChildren(
      line("Base stage starts", dates.start, count.format(plan.n_base)),
      line("Base stage ends", dates.base, ""),
      line("Survey closes", dates.closes, ""),
      line("Release expected", dates.ready, twoStages ? `${count.format(plan.n_rest)} in the second stage` : ""),
    );
  }

  function showStages(status) {
    get("stage-rows").replaceChildren(...status.stages.map((stage) => {
      const [started, ended] = [time(stage.started), time(stage.ended)];
      const state = element("td", {}, element("span", { class: `badge ${stage.state}` }, word(stage.state)));
      if (stage.state === "running") {
        const bar = element("progress", { "aria-label": `${word(stage.name)}, progress` });
        const expected = status.plan && stage.name === "base"
          ? (time(status.plan.base_ends) - time(status.plan.start)) / 1000 : null;
        const share = typeof stage.progress === "number" ? stage.progress
          : expected > 0 && started ? Math.min(0.99, (Date.now() - started) / 1000 / expected) : null;
        if (share !== null) { bar.max = 1; bar.value = share; }
        state.append(bar);
      }
      if (stage.message) state.append(element("p", { class: "note" }, stage.message));
      const took = started ? span(((ended || new Date()) - started) / 1000) : "";
      const loss = typeof stage.loss === "number" ? stage.loss.toFixed(2) : "";
      const records = typeof stage.n_records === "number" ? count.format(stage.n_records) : "";
      return element("tr", {}, element("th", { scope: "row" }, word(stage.name)), state,
        element("td", { class: "number" }, records), element("td", {}, started ? moment(started) : ""),
        element("td", { class: "number" }, took), element("td", { class: "number" }, loss));
    }));
  }

  function show(status) {
    last = status;
    const points = status.arrivals.map(([date, value]) => [time(date), value]);
    const opened = time(status.opened);
    if (points.length && opened && opened < points[0][0]) points.unshift([opened, 0]);
    const plan = status.plan || {};
    const [closes, ready] = [time(status.closed || plan.closes || status.closes), time(plan.ready)];
    document.title = `${status.name}: ${word(status.state).toLowerCase()}`;
    get("title").textContent = status.name;
    const aside = status.set_aside.length ? ` (${count.format(status.set_aside.length)} set aside)` : "";
    get("received").textContent = count.format(status.received) + aside;
    get("state").textContent = word(status.state);
    get("closing-label").textContent = status.state === "open" ? "Closes" : "Closed";
    get("closing").textContent = closes ? moment(closes) : status.state === "open" ? "When you say so" : "–";
    const expected = status.state === "open" || status.state === "closing" ? ready && moment(ready) : { closed: "Ready", released: "Published" }[status.state];
    get("expected").textContent = expected || "–";
    showArrivals(status, points);
    showPlan(status, points);
    showStages(status);
    const open = status.state === "open";
    const done = status.state === "closed" || status.state === "released";
    get("close").disabled = !open;
    get("release").disabled = !done;
    get("report").disabled = !done;
    get("actions-text").textContent = open
      ? "Closing ends the survey for everybody: no answer is taken afterwards, and it cannot be opened again."
      : done ? "The release is ready. It is published once; every download gives the same file."
        : status.state === "failed" ? "The survey is closed, and there can be no release. The answers are kept."
          : "The survey is closed. The release can be downloaded here when the stages are done.";
    say(status.message, status.state === "failed");
    get("survey").hidden = false;
  }

  // ---- the loop

  async function refresh() {
    clearTimeout(timer);
    if (!token) { knock(""); return; }
    try {
      const names = (await (await ask("surveys")).json()).surveys.map((survey) => survey.name);
      get("door").hidden = true;
      choose(names);
      if (!names.length) {
        say("There is no survey in this store yet. Make one with: microagg survey create.");
      } else {
        show(await (await ask(`surveys/${encodeURIComponent(name)}/status`)).json());
      }
    } catch (problem) {
      if (problem.status === 401) { knock("This token is not the one of the service. Give the right one."); return; }
      say(problem.status ? problem.message : "The service does not answer. Trying again.", true);
    }
    timer = setTimeout(refresh, document.hidden ? 5 * PERIOD : PERIOD);
  }

  function knock(text) {
    token = "";
    sessionStorage.removeItem("token");
    get("door").hidden = false;
    get("choice").hidden = true;
    get("survey").hidden = true;
    say(text, Boolean(text));
    get("token").focus();
  }

  function choose(names) {
    const list = get("names");
    if (!names.includes(name)) name = names[0] || "";
    if ([...list.options].map((option) => option.value).join() !== names.join()) {
      list.replaceChildren(...names.map((each) => element("option", { value: each }, each)));
    }
    list.value = name;
    if (name) history.replaceState(null, "", `#survey=${encodeURIComponent(name)}`);
    get("choice").hidden = names.length < 2;
    if (!name) get("survey").hidden = true;
  }

  async function act(button, work) {
    button.setAttribute("aria-busy", "true");
    button.disabled = true;
    try {
      await work();
      button.removeAttribute("aria-busy");
      refresh();
    } catch (problem) {
      button.removeAttribute("aria-busy");
      button.disabled = false;
      say(problem.message, true);
    }
  }

  async function download(kind, fallback) {
    const response = await ask(`surveys/${encodeURIComponent(name)}/${kind}`);
    const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") || "");
    const address = URL.createObjectURL(await response.blob());
    const link = element("a", { href: address, download: named ? named[1] : fallback });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  get("door").addEventListener("submit", (event) => {
    event.preventDefault();
    token = get("token").value.trim();
    get("token").value = "";
    sessionStorage.setItem("token", token);
    say("");
    refresh();
  });
  get("names").addEventListener("change", () => { name = get("names").value; refresh(); });
  get("close").addEventListener("click", () => {
    get("sure-text").textContent =
      `'${name}' has ${count.format(last.received)} answers. No answer is taken after closing, and it cannot be opened again.`;
    get("sure").showModal();
    get("sure-no").focus();
  });
  get("sure-no").addEventListener("click", () => get("sure").close());
  get("sure-yes").addEventListener("click", () => {
    get("sure").close();
    act(get("close"), () => ask(`surveys/${encodeURIComponent(name)}/close`, { method: "POST" }));
  });
  get("release").addEventListener("click", () => act(get("release"), () => download("release", `${name}.csv`)));
  get("report").addEventListener("click", () => act(get("report"), () => download("report", `${name}.html`)));
  addEventListener("resize", () => { if (last) show(last); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  refresh();
})();
