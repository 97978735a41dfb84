/* Mouse and touch. */
const where = event => {
  const b = picture.box(), r = $("dots").getBoundingClientRect();
  return [((event.clientX - r.left) * b.scale - b.left) / b.side, 1 - ((event.clientY - r.top) * b.scale - b.top) / b.side];
};
function nearest(x, y) {
  let best = -1, far = Infinity;
  for (let n = 0; 2 * n < places.length; n++) {
    const d = (places[2 * n] - x) ** 2 + (places[2 * n + 1] - y) ** 2;
    if (d < far) { far = d; best = n; }
  }
  return best;
}
const node = () => $("node").value === "" ? 0 : +$("node").value;
/* The nearest dot above or below: only dots that are more above or below than beside it. */
function along(from, by) {
  let best = from, far = Infinity;
  for (let n = 0; 2 * n < places.length; n++) {
    const x = places[2 * n] - places[2 * from], y = by * (places[2 * n + 1] - places[2 * from + 1]);
    if (y > 0 && Math.abs(x) <= y && x * x + y * y < far) { far = x * x + y * y; best = n; }
  }
  return best;
}
/* A recording has colours only. */
const meaning = n => {
  const c = frame.colours[n], { top } = frame;
  if (!frame.alive[n] || c === undefined) return "";
  if (scene.kinds.length) return `; ${scene.kinds[c]}`;
  return top === undefined ? "" : c === 255 ? `; ${of(top)}` : `; about ${of(+((1 + top) ** (c / 255) - 1).toPrecision(2))}`;
};
const info = async () => {
  over();
  if (await order(`info ${node()}`) && scene.replay) $("word").textContent += meaning(node());
};
function kill() { if (!hands()) return info(); killed = { node: node(), at: performance.now() }; order(`kill ${node()}`); }
function killRegion() {
  if (!hands()) return;
  const corner = ["x0", "y0", "x1", "y1"].map(id => $(id).value);
  order(`region ${corner.join(" ")} ${$("percent").value}`);
}
const speed = () => { const v = +$("speed").value; return v >= 100 ? 0 : Math.round(10 ** (v / 25)); };
/* Whether the run advances; and whether it rests: neither running nor halted, it has nothing left to do. */
const moves = () => !!frame && /^(running|as it was)$/.test(current().state), rests = () => !!frame && /^at /.test(current().state);
const go = () => { if (!rests()) order(moves() ? "halt" : "go"); };
/* A finger scrolls and pinches the page, as everywhere, and taps; selecting by finger must be switched on first. */
function select(on) {
  $("stage").classList.toggle("selects", on); $("select").setAttribute("aria-pressed", on);
}
$("select").onclick = () => select(!$("stage").classList.contains("selects"));
/* The dot under the pointer, in words. */
let tipped = false;
function tip(event) {
  if (tipped || !places || !frame || event.pointerType === "touch") return;
  const { clientX, clientY } = event, near = where(event);
  tipped = true;
  requestAnimationFrame(() => {
    tipped = false;
    if (!places || !frame) return;
    const n = nearest(...near), b = picture.box(), stage = $("stage").getBoundingClientRect();
    const far = Math.hypot(places[2 * n] - near[0], places[2 * n + 1] - near[1]) * b.side;
    $("tip").hidden = n < 0 || far > dot(b) + 8 * b.scale || !!drag;
    const empty = vacant().map(spotOfVacant).find(([x, y]) => Math.hypot(x - near[0], y - near[1]) * b.side <= dot(b) / 2 + 4 * b.scale);
    if (empty && !drag) $("tip").hidden = false;
    if ($("tip").hidden) return;
    $("tip").textContent = empty ? empty[2] ? "free spare node" : "dead node"
      : `${scene.dot} ${n}${frame.alive[n] ? meaning(n) : "; dead"}`;
    const x = Math.min(clientX - stage.left + 14, stage.width - $("tip").offsetWidth - 4);
    const y = clientY - stage.top > stage.height - 50 ? clientY - stage.top - 36 : clientY - stage.top + 14;
    $("tip").style.setProperty("left", `${x}px`); $("tip").style.setProperty("top", `${y}px`);
  });
}
/* Two fingers on the body: their distance is that of the camera. */
const pinch = { fingers: new Map(), far: 0 };
function pinched(event) {
  const { fingers } = pinch;
  if (!space.on || !fingers.has(event.pointerId)) return false;
  fingers.set(event.pointerId, event);
  if (fingers.size < 2) return false;
  const [a, b] = fingers.values(), far = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  if (pinch.far && far) approach(far / pinch.far);
  pinch.far = far;
  /* The finger that stays turns from where it is then. */
  if (drag) Object.assign(drag, { moved: true, last: null, from: where(event) });
  return true;
}
function lift(event) { pinch.fingers.delete(event.pointerId); pinch.far = 0; }
$("stage").onpointerleave = () => { $("tip").hidden = true; };
/* The layer above the dots comes and goes: the stage hears the pointer. */
const onMenu = event => $("menu").contains(event.target);
$("stage").onpointerdown = event => {
  if (onMenu(event)) return;
  if (space.on) pinch.fingers.set(event.pointerId, event);
  if (!event.isPrimary || event.button !== 0) return;
  const selects = space.on || event.pointerType !== "touch" || $("stage").classList.contains("selects");
  drag = { id: event.pointerId, from: where(event), before: region, selects, moved: false };
  if (selects) $("stage").setPointerCapture(event.pointerId);
};
$("stage").onpointermove = event => {
  if (pinched(event)) return;
  if (!drag && !onMenu(event)) tip(event);
  if (!drag || drag.id !== event.pointerId) return;
  const [x, y] = where(event), [u, v] = drag.from;
  drag.moved ||= Math.hypot(x - u, y - v) >= 0.01;
  if (space.on && drag.moved) {
    const [r, s] = drag.last || drag.from;
    drag.last = [x, y]; turnBy((x - r) * 3, (s - y) * 3); return;
  }
  if (!drag.moved || !drag.selects) return;
  const within = v => Math.max(0, Math.min(1, v));
  region = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)].map(within);
  over();
};
$("stage").onpointerup = event => {
  lift(event);
  if (!drag || drag.id !== event.pointerId) return;
  const { moved, selects } = drag;
  drag = null;
  if (moved && space.on) return;
  if (moved && selects) {
    ["x0", "y0", "x1", "y1"].forEach((id, i) => $(id).value = region[i].toFixed(3));
    select(false);
  } else if (!moved && places) {
    region = null;
    $("dots").focus({ preventScroll: true });
    $("node").value = nearest(...where(event));
    if (event.shiftKey) kill(); else info();
  }
  over();
};
/* The browser has taken over the gesture: undoes it. */
$("stage").onpointercancel = event => {
  lift(event);
  if (!drag || drag.id !== event.pointerId) return;
  region = drag.before; drag = null; over();
};
/* A rank's state changes all the time, so the answer is renewed. */
setInterval(() => {
  if (scene && scene.unit === "ms" && !scene.replay && /^info/.test(asked) && frame && current().state !== "ended") order(asked);
}, 1000);
/* Ends the run at the second press, unless it has nothing left to do; programs print their report then. */
$("end").onclick = () => {
  if (!rests() && !scene.replay && !$("end").classList.contains("sure")) {
    $("end").classList.add("sure"); $("end").textContent = "Really end it?"; return;
  }
  order("quit");
};
$("end").onblur = () => { $("end").classList.remove("sure"); $("end").textContent = "End"; };
$("whole").onclick = () => { zoom(null); document.querySelector(".plot").focus(); };
$("back").onclick = () => order("border back");
$("go").onclick = go; $("step").onclick = () => order("step");
$("speed").oninput = () => order(`speed ${speed()}`);
$("info").onclick = info; $("kill").onclick = kill; $("region").onclick = killRegion;
$("node").oninput = over; $("size").oninput = repaint;
for (const id of ["x0", "y0", "x1", "y1"])
  $(id).oninput = () => { region = ["x0", "y0", "x1", "y1"].map(i => +$(i).value); over(); };
Object.keys(PALETTES).forEach(name => $("palette").add(new Option(name)));
$("palette").onchange = () => { legend(); repaint(); };
$("view").onchange = () => order(`view ${$("view").value}`);
$("form").onsubmit = event => {
  event.preventDefault();
  order("setup " + [...new FormData(event.target)].map(([k, v]) => `${k}=${v}`).join("\t"));
};
/* Whether an element uses a key itself; all other keys belong to the page, wherever the focus is. */
function takes({ tagName, type, className }, key) {
  if (className === "plot") return plotTakes(key);
  if (className === "pairs") return pairsTakes(key);
  if (/^bar\b/.test(className)) return barTakes(key);
  if (tagName === "SUMMARY") return key === " " || key === "Enter";
  if (tagName === "BUTTON") return key === " " || key === "Enter";
  if (tagName === "INPUT" && type === "range") return /^(Arrow|Page|Home|End)/.test(key);
  if (tagName === "INPUT" && type === "number") return /^([-+.,e\d]|Arrow.*)$/i.test(key);
  return (tagName === "INPUT" || tagName === "SELECT") && key !== "Escape";
}
addEventListener("keydown", event => {
  if (!scene || event.ctrlKey || event.altKey || event.metaKey || takes(event.target, event.key)) return;
  const nudge = (id, by, then) => { $(id).value = +$(id).value + by; then(); };
  const clock = clocked() && {
    " ": go, s: () => order("step"),
    "+": () => nudge("speed", 5, $("speed").oninput), "-": () => nudge("speed", -5, $("speed").oninput),
  };
  const keys = {
    ...clock, i: info, m: menuByKey, "?": () => showGuide($("guide").hidden),
    d: () => { if (canTurn()) stand(!space.on); },
    ...space.on && { a: () => turnBy(-0.15, 0), e: () => turnBy(0.15, 0), w: () => turnBy(0, 0.15), x: () => turnBy(0, -0.15),
      z: () => approach(1.25), c: () => approach(0.8) },
    l: () => { if (past.at) lookBack(null); }, ",": () => goToEvent(-1), ".": () => goToEvent(1),
    b: () => { if (!$("back").hidden) order("border back"); }, k: kill, r: killRegion, Escape: () => $("dots").focus(),
    p: () => { const p = $("palette"); p.selectedIndex = (p.selectedIndex + 1) % p.length; p.onchange(); },
    v: () => { const v = $("view"); if (v.length) { v.selectedIndex = (v.selectedIndex + 1) % v.length; v.onchange(); } },
    "]": () => nudge("size", 1, repaint), "[": () => nudge("size", -1, repaint),
    ArrowRight: () => { $("node").value = Math.min(scene.nodes - 1, node() + 1); over(); },
    ArrowLeft: () => { $("node").value = Math.max(0, node() - 1); over(); },
  };
  /* Elsewhere they scroll. */
  if (document.activeElement === $("dots") && places && node() < scene.nodes) {
    keys.ArrowUp = () => { $("node").value = along(node(), 1); over(); };
    keys.ArrowDown = () => { $("node").value = along(node(), -1); over(); };
  }
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
const restyle = () => { inks.clear(); repaint(); plot(); };
addEventListener("resize", restyle);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
colours(); follow();
