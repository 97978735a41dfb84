/* The slider below the picture, with marks where something happened: failures above its rail, recoveries below it. */
const marked = { events: [], before: null };
/* How many failures and recoveries there were so far, where the run counts them. */
function tally({ series }, numbers) {
  const at = ["failures", "recoveries"].map(name => series.indexOf(name));
  return at[0] < 0 ? null : at.map(i => numbers[i]);
}
/* Notes what has happened since the picture before. A recording tells at once what happens in it. */
function noted(next) {
  if (scene.replay) return;
  const now = tally(next.stage.scene, next.series), last = past.latest;
  if (last && next.tick < last.tick) { marked.events = []; marked.before = null; }
  const [died, back] = now ? now.map((sum, i) => Math.max(0, sum - (marked.before || now)[i])) : [next.died.length, next.rose.length];
  marked.before = now;
  if (died || back) marked.events = thinned([...marked.events, [next.tick, died, back]]);
}
/* The first picture that shows a moment. */
function spotOf(tick) {
  const at = keptAt(tick);
  return Math.min(past.kept.length - 1, past.kept[at] && past.kept[at].tick < tick ? at + 1 : at);
}
/* What happened, by the picture that shows it; and the number of the last picture, and of the one that is shown. */
function happened() {
  if (scene.replay) return { all: scene.replay.events || [], top: scene.replay.frames - 1, at: frame ? frame.at : 0 };
  const { kept, at } = past, top = Math.max(0, kept.length - 1);
  return { all: marked.events.map(([tick, ...rest]) => [spotOf(tick), ...rest]), top, at: at ? kept.indexOf(at) : top };
}
function drawTimeline() {
  const canvas = $("events-line"), { all, top } = happened();
  const sums = all.reduce(([fell, rose], [, died, back]) => [fell + died, rose + back], [0, 0]);
  put("fell", of(sums[0])); put("rose", of(sums[1]));
  if (canvas.hidden === all.length > 0) canvas.hidden = !all.length;
  if ($("earlier").disabled === all.length > 0) $("earlier").disabled = $("later").disabled = !all.length;
  if (!all.length) return;
  const [w, h] = extent(canvas), scale = devicePixelRatio || 1, ctx = canvas.getContext("2d");
  const wide = Math.round(w * scale), high = Math.round(h * scale), edge = 0.45 * ink("rem");
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  ctx.setTransform(scale, 0, 0, scale, 0, 0); ctx.clearRect(0, 0, w, h);
  /* What falls on one place is one mark: the more, the higher. */
  const marks = new Map();
  for (const [at, died, back] of all) {
    const x = Math.round(edge + at / (top || 1) * (w - 2 * edge)), before = marks.get(x) || [0, 0];
    marks.set(x, [before[0] + died, before[1] + back]);
  }
  const tall = many => Math.min(1, 0.6 + 0.15 * Math.log10(many)) * (h / 2 - 4);
  for (const [x, [died, back]] of marks) {
    ctx.fillStyle = ink("--harm"); if (died) ctx.fillRect(x - 1, h / 2 - 3 - tall(died), 3, tall(died));
    ctx.fillStyle = ink("--accent"); if (back) ctx.fillRect(x - 1, h / 2 + 3, 3, tall(back));
  }
}
/* Goes to the failure or recovery before what is shown, or to the next one; after the last one, to the run as it is. */
function goToEvent(by) {
  const { all, top, at } = happened(), spots = all.map(([spot]) => spot);
  const to = by < 0 ? spots.findLast(spot => spot < at) : spots.find(spot => spot > at);
  if (scene.replay) { if (to !== undefined) order(`seek ${to}`); } else if (past.kept.length) goBack(to === undefined ? by < 0 ? 0 : top : to);
}
$("earlier").onclick = () => goToEvent(-1);
$("later").onclick = () => goToEvent(1);
