/* Whether dots can die, and whether the user can kill them. */
const mortal = () => scene.deaths !== false, hands = () => mortal() && !scene.replay;
/* Whether the run can be halted. */
const clocked = () => scene.clock || !!scene.replay;

/* Rebuilds only what has changed: a slider that is being moved stays, and so does typed text. */
const worn = {};
function wear(what, clothes, put) {
  const now = JSON.stringify(clothes);
  if (worn[what] !== now) { worn[what] = now; put(); }
}
function dress() {
  const { scene: _, vacant: __, view, kinds, scale, series, sliders, setup, back, ...all } = scene;
  wear("all", all, dressAll);
  wear("plots", [series, scene.unit], dressPlots);
  wear("sliders", [sliders, scene.replay], dressSliders);
  wear("setup", [setup, scene.replay], dressForm);
  $("back").hidden = !back || !!scene.replay;
  wear("colours", [view, kinds, scale, mortal(), scene.mark, scene.arrow, scene.vacant], () => {
    if (scene.views) $("view").selectedIndex = view;
    legend();
  });
}

function dressAll() {
  region = null;
  const views = scene.replay ? [] : scene.views || [];
  $("title").textContent = scene.title; document.title = `${scene.title} · ftmpi-rs`;
  if (scene.unit === "ms") $("plots-title").textContent = "The job over time";
  $("nodes").textContent = scene.nodes.toLocaleString("en");
  $("unit").textContent = measured() ? "" : scene.unit; $("measure").textContent = measured() ? ` ${scene.unit}` : ""; $("node").placeholder = scene.dot; $("node").ariaLabel = scene.dot;
  $("dots").ariaLabel = `one dot for each ${scene.dot}`;
  $("film").hidden = false; $("live").hidden = $("live-key").hidden = !!scene.replay; $("kill").hidden = !hands(); $("life").hidden = !mortal();
  $("one").textContent = hands() ? "Failures" : `One ${scene.dot}`;
  $("node-name").textContent = scene.dot;
  $("end").hidden = !clocked();
  for (const row of document.querySelectorAll(".hands")) row.hidden = !hands();
  $("views").hidden = $("view-key").hidden = !views.length;
  $("view").replaceChildren(...views.map(name => new Option(name)));
  if (scene.replay) $("moment").max = scene.replay.frames - 1;
  $("clock").hidden = $("clock-keys").hidden = !clocked(); $("node").max = scene.nodes - 1;
  $("crew").hidden = $("matrix").hidden = !isJob();
  $("solid").hidden = !canTurn();
  $("happened").hidden = $("earlier").hidden = $("later").hidden = !mortal();
  $("returns").hidden = !scene.series.includes("recoveries");
  for (const key of document.querySelectorAll(".mortal-key")) key.hidden = !mortal();
  if (!canTurn() && $("stage").classList.contains("solid")) stand(false);
  for (const key of document.querySelectorAll(".solid-key")) key.hidden = !canTurn();
  if (!visited.get()) showGuide(true);
  $("size").value = Math.max(1, Math.min(36, Math.round(500 / Math.sqrt(scene.nodes))));
}

function dressPlots() {
  for (const name of history.keys()) if (!scene.series.includes(name)) history.delete(name);
  sight.span = sight.at = null;
  $("plots").replaceChildren(...scene.series.map(name => {
    const figure = document.createElement("figure"), head = document.createElement("figcaption");
    head.append(name, document.createElement("b")); figure.append(head, plotFor(name));
    return figure;
  }));
  $("whole").hidden = true;
}

function dressSliders() {
  for (const side of ["left", "right", "upper", "lower"]) {
    const slider = !scene.replay && scene.sliders.find(s => s.name === side);
    if (!slider) { $(side).replaceChildren(); continue; }
    const input = $("border-" + side) || document.createElement("input");
    const value = input.nextSibling || document.createElement("span");
    /* A slider that is being moved is ahead of the scene. */
    if (document.activeElement === input && !slider.instead) continue;
    Object.assign(input, { type: "range", min: slider.range[0], max: slider.range[1], step: 0.01, value: slider.value });
    input.setAttribute("aria-label", side + " border"); input.id = "border-" + side;
    value.textContent = slider.instead || slider.value;
    if (slider.instead) input.setAttribute("aria-valuetext", slider.instead);
    else input.removeAttribute("aria-valuetext");
    input.oninput = () => {
      value.textContent = input.value; input.removeAttribute("aria-valuetext"); order(`border ${side} ${input.value}`);
    };
    if (!input.isConnected) $(side).replaceChildren(input, value);
  }
}

function dressForm() {
  $("setup").hidden = !scene.setup.length || !!scene.replay;
  $("form").replaceChildren(...scene.setup.map(({ name, value, choices }) => {
    const label = document.createElement("label");
    const field = document.createElement(choices.length ? "select" : "input");
    choices.forEach(choice => field.add(new Option(choice)));
    field.name = name; field.value = value; field.id = "setup-" + name;
    label.append(name, field); return label;
  }), Object.assign(document.createElement("button"), { textContent: "Start this run", className: "chief", id: "again" }));
}

const coarse = matchMedia("(pointer: coarse)");
coarse.addEventListener("change", () => { if (scene) put("sight", sentence()); });
/* In a sentence, what the picture shows and what can be done with it. */
function sentence() {
  const shows = scene.kinds.length ? scene.unit === "ms" ? "what it does" : "its state" : scene.scale[0];
  const ring = scene.mark ? `; a ring: ${scene.mark}` : "", arrow = scene.arrow ? `; an arrow: ${scene.arrow}` : "";
  const lines = space.on && scene.links ? "; a line: what the link carries" : "";
  const [ask, kills] = coarse.matches ? ["Tap", "touch it for long to kill it"]
    : ["Click", "shift and click to kill it; drag to select a region"];
  return `Each dot is a ${scene.dot}, coloured by ${shows}${ring}${arrow}${lines}. ${ask} one to ask about it${hands() ? `; ${kills}` : ""}.`;
}

function legend() {
  colours(); counted = [];
  $("sight").textContent = sentence();
  const dead = mortal() ? [["dead", `rgb(${DEAD})`]] : [], kinds = scene.kinds.map((k, i) => [k, KINDS[i % KINDS.length]]);
  $("legend").replaceChildren(...kinds.concat(dead).map(([name, colour]) => {
    const span = document.createElement("span"), dot = document.createElement("i"), count = document.createElement("b");
    dot.style.setProperty("background", colour); span.append(dot, name, " ", count); return span;
  }));
  if (scene.mark) {
    const span = document.createElement("span"), dot = document.createElement("i");
    dot.className = "mark"; span.append(dot, scene.mark); $("legend").append(span);
  }
  if (scene.vacant && scene.vacant.length) {
    const free = spares(), lost = scene.vacant.length - free;
    for (const [sign, name, many] of [["free", "free spare node", free], ["lost", "dead node", lost]]) {
      const span = element("span", "", element("i", sign), name, " ", element("b", "", of(many)));
      span.id = `${sign}-nodes`; $("legend").append(span);
    }
  }
  if (scene.arrow) {
    const span = document.createElement("span");
    span.append("→ ", scene.arrow); $("legend").append(span);
  }
  $("scale").hidden = kinds.length > 0; $("palette").parentElement.hidden = kinds.length > 0;
  if (!kinds.length) {
    const ctx = $("scale").getContext("2d"); $("scale").width = 256;
    for (let i = 0; i < 256; i++) { ctx.fillStyle = `rgb(${table.slice(4 * i, 4 * i + 3)})`; ctx.fillRect(i, 0, 1, 12); }
    const [of, low, high] = scene.scale;
    $("legend").prepend(`${of}: ${low} to ${high}`);
  }
}
