/* What a run looked like before: the page keeps pictures of a live run, and its slider goes back to them while the run
   goes on. The room is limited: when it is full, every second picture is dropped, so that older ones lie further apart. */
const past = { kept: [], bytes: 0, at: null, latest: null };
const ROOM = 32 << 20, BETWEEN = 100;
/* The picture that orders are about, whatever is looked at. */
const current = () => past.latest || frame;
const weight = it => 2 * it.colours.length + 500;
function remember(next) {
  past.latest = next;
  let last = past.kept[past.kept.length - 1];
  const now = performance.now();
  /* Another run. */
  if (last && next.tick < last.tick) { past.kept = []; past.bytes = 0; past.at = last = null; }
  const isCalm = next.died.length + next.rose.length === 0 && next.state === (last && last.state);
  if (last && now - last.seen < BETWEEN && isCalm) return;
  const it = { ...next, colours: next.colours.slice(), alive: next.alive.slice(), seen: now };
  past.kept.push(it); past.bytes += weight(it);
  if (past.bytes > ROOM) {
    past.kept = past.kept.filter((it, at) => at % 2 || it === past.at);
    past.bytes = past.kept.reduce((sum, it) => sum + weight(it), 0);
  }
}
/* A picture has come: it is shown, unless the user looks at an earlier one. */
function arrive(next) {
  next.stage = stage;
  noted(next);
  if (!scene.replay) remember(next);
  plotted(next);
  if (past.at) { lines(); filmed(); why(); } else show(next);
}
/* Shows a kept picture; none: follows the run again. */
function lookBack(it) {
  past.at = it; sight.at = it ? it.tick : null;
  if (!it) leaveBars();
  show(it || past.latest); plot();
}
function goBack(at) { lookBack(at >= past.kept.length - 1 ? null : past.kept[Math.max(0, at)]); }
/* The last picture up to a moment of the run, as the slider counts; before the first one, that one. */
function keptAt(tick) {
  let low = 0, high = past.kept.length;
  while (low < high) { const half = low + high >> 1; if (past.kept[half].tick <= tick) low = half + 1; else high = half; }
  return Math.max(0, low - 1);
}
/* Shows a moment of the run. */
function goTo(tick) {
  if (scene.replay) order(`moment ${Math.max(0, Math.floor(tick))}`);
  else if (past.kept.length) { const at = keptAt(tick); if (past.kept[at] !== past.at) goBack(at); }
}
/* The slider and the words beside it. */
function filmed() {
  const { kept, at } = past, moved = $("moment");
  if (scene.replay) {
    moved.value = frame.at; put("clockwork", `${frame.at + 1} of ${scene.replay.frames}`); return;
  }
  const top = Math.max(1, kept.length - 1), value = at ? kept.indexOf(at) : top;
  if (+moved.max !== top) moved.max = top;
  if (+moved.value !== value) moved.value = value;
  put("clockwork", at ? `back at ${moment(of(at.tick))}` : "live");
  const told = at ? $("clockwork").textContent : "live, the latest picture";
  if (moved.getAttribute("aria-valuetext") !== told) moved.setAttribute("aria-valuetext", told);
  if ($("live").disabled === !!at) $("live").disabled = !at;
}
$("moment").oninput = () => {
  if (scene.replay) order(`seek ${$("moment").value}`); else goBack(+$("moment").value);
};
$("live").onclick = () => lookBack(null);
