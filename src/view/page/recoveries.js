/* Each recovery as a bar of its steps. A bar can be dragged through, by finger and by key, too: the picture goes along. */
const inspected = { title: "", after: 0 }, stories = new Map();
/* What there is to tell: of a run, the latest; of a recording, all that it has shown so far. */
function toldLines() {
  if (!scene.replay) return current().lines;
  for (const line of frame.lines) {
    const known = stories.get(line.title);
    if (!known || known.steps.length < line.steps.length) stories.set(line.title, line);
  }
  return [...stories.values()];
}
function lines() {
  const list = toldLines(), now = JSON.stringify(list);
  /* A bar under a finger stays. */
  if (now === lined || document.querySelector(".line .swept")) return;
  lined = now;
  const held = document.activeElement.dataset.title;
  $("lines").replaceChildren(...[...list].reverse().map(lineOf));
  if (held !== undefined) [...document.querySelectorAll(".line .bar")].find(bar => bar.dataset.title === held)?.focus({ preventScroll: true });
  if (list.length) {
    const head = element("h2", "", "Recoveries, in milliseconds");
    $("lines").prepend(head, element("p", "soft", "Drag through a bar: the picture goes to that moment."));
  }
}
function lineOf({ title, steps }) {
  const first = steps[0][1], whole = steps[steps.length - 1][1] - first;
  const bar = element("div", "bar"), total = element("b", ""), told = element("ul", "steps soft");
  steps.slice(1).forEach(([what, at], i) => {
    const part = element("span", ""), colour = KINDS[i % KINDS.length], sign = element("i", "");
    part.style.setProperty("flex", `${(at - steps[i][1]) / (whole || 1)} 0 0`);
    part.style.setProperty("background", colour); sign.style.setProperty("background", colour);
    bar.append(part); told.append(element("li", "", sign, `${what} +${(at - first).toFixed(3)}`));
  });
  told.prepend(element("li", "", `died at ${(first / 1000).toFixed(3)} s`));
  bar.dataset.title = title; bar.tabIndex = 0; bar.setAttribute("role", "slider");
  bar.setAttribute("aria-label", `recovery of ${title}`);
  bar.setAttribute("aria-valuemin", 0); bar.setAttribute("aria-valuemax", whole.toFixed(3));
  const cursor = element("em", ""); bar.append(cursor);
  const tell = () => {
    const at = inspected.title === title ? Math.min(whole, inspected.after) : null;
    /* A step that this moment is, or else the next one. */
    const step = at === null ? null : steps.slice(1).find(([, t]) => t - first >= at - 1e-6) || steps[steps.length - 1];
    const isIt = step && Math.abs(step[1] - first - at) < 1e-6;
    const words = at === null ? `${whole.toFixed(3)} ms` : `+${at.toFixed(3)} ms: ${isIt ? step[0] : `until ${step[0]}`}`;
    total.textContent = words; cursor.hidden = at === null;
    cursor.style.setProperty("left", `${100 * (at || 0) / (whole || 1)}%`);
    bar.setAttribute("aria-valuenow", (at || 0).toFixed(3)); bar.setAttribute("aria-valuetext", words);
  };
  bar.tell = tell; bar.steps = steps.slice(1).map(([, at]) => at - first); bar.first = first; bar.whole = whole; tell();
  handle(bar);
  return element("div", "line", element("header", "", title, total), bar, told);
}
/* Looks at a moment of a recovery: so long after the death. */
function inspect(bar, after) {
  Object.assign(inspected, { title: bar.dataset.title, after: Math.max(0, Math.min(bar.whole, after)) });
  const [, rank] = /^rank (\d+)/.exec(bar.dataset.title) || [];
  if (rank !== undefined) $("node").value = rank;
  tellBars(); goTo(bar.first + inspected.after); over();
}
function tellBars() { for (const bar of document.querySelectorAll(".line .bar")) bar.tell(); }
function leaveBars() { if (inspected.title) { inspected.title = ""; tellBars(); } }
function handle(bar) {
  const at = event => {
    const { left, width } = bar.getBoundingClientRect();
    inspect(bar, (event.clientX - left) / width * bar.whole);
  };
  bar.onpointerdown = event => {
    if (event.button !== 0) return;
    bar.classList.add("swept"); bar.setPointerCapture(event.pointerId); at(event);
  };
  bar.onpointermove = event => { if (bar.classList.contains("swept")) at(event); };
  bar.onpointerup = bar.onpointercancel = bar.onlostpointercapture = () => bar.classList.remove("swept");
  bar.onkeydown = event => {
    if (!barTakes(event.key)) return;
    event.preventDefault();
    const now = inspected.title === bar.dataset.title ? inspected.after : -1, near = 1e-6;
    const to = { Home: 0, End: bar.whole, ArrowRight: bar.steps.find(t => t > now + near) ?? bar.whole,
      ArrowLeft: bar.steps.findLast(t => t < now - near) ?? 0 }[event.key];
    if (to === undefined) { leaveBars(); if (past.at) lookBack(null); } else inspect(bar, to);
  };
}
const barTakes = key => /^(ArrowLeft|ArrowRight|Home|End|Escape)$/.test(key);
