/* A machine of three dimensions as a body that can be turned: a disc for each node, a line for each link. What else is
   drawn or picked uses `places`, which follow the camera. */
const space = { on: false, turn: 0.6, tilt: 0.45, near: 1, flat: null, depths: null, spots: null, heat: null };
const canTurn = () => !!scene && (scene.grid || []).length === 3 && size3() <= 50000;
const size3 = () => scene.grid.reduce((all, extent) => all * extent, 1);
/* The node of a dot. */
const berth = n => scene.berths && scene.berths.length ? scene.berths[n] : n;
/* From the middle of the machine; the longest side is 1. */
function solid(n) {
  const [wide, high, deep] = scene.grid, long = Math.max(wide, high, deep);
  const at = [n % wide, Math.floor(n / wide) % high, Math.floor(n / wide / high)];
  return at.map((x, dim) => (x - (scene.grid[dim] - 1) / 2) / long);
}
/* Where the camera sees a point: right, up, and towards it. */
function seen([x, y, z]) {
  const { turn, tilt } = space, a = Math.cos(turn), b = Math.sin(turn), c = Math.cos(tilt), d = Math.sin(tilt);
  const right = x * a + z * b, away = z * a - x * b, up = y * c - away * d, near = -(y * d + away * c);
  const by = 0.62 * space.near / (1 - near * 0.35);
  return [0.5 + right * by, 0.5 + up * by, near];
}
function look() {
  if (!space.on) return;
  for (let n = 0; n < space.spots.length / 3; n++) space.spots.set(seen(solid(n)), 3 * n);
  for (let n = 0; n < scene.nodes; n++)
    [places[2 * n], places[2 * n + 1], space.depths[n]] = space.spots.subarray(3 * berth(n), 3 * berth(n) + 3);
  space.order = [...space.depths.keys()].sort((m, n) => space.depths[m] - space.depths[n]);
  repaint();
}
function stand(on) {
  space.on = on && canTurn();
  if (space.on && !space.flat) {
    space.flat = places.slice(); space.depths = new Float32Array(scene.nodes);
    space.spots = new Float32Array(3 * size3()); space.heat = null;
  }
  if (!space.on && space.flat) { places.set(space.flat); space.flat = null; picture.load(); }
  $("stage").classList.toggle("solid", space.on); $("solid").setAttribute("aria-pressed", space.on);
  $("turns").hidden = !space.on; put("sight", sentence());
  if (space.on) look(); else repaint();
}
function turnBy(turn, tilt) {
  space.turn += turn; space.tilt = Math.max(-1.5, Math.min(1.5, space.tilt + tilt)); look();
}
function approach(by) { space.near = Math.max(0.5, Math.min(8, space.near * by)); look(); }
/* What each link carries, where the run knows that: asked for while the body is shown, a few times a second. */
let heating = false;
async function askForHeat() {
  if (heating || !scene.links || scene.replay || past.at || space.heat && space.heat.of === frame) return;
  heating = true;
  const of = frame, shown = scene;
  try {
    const { top, links } = await told("links");
    if (shown === scene && space.on) { space.heat = { of, top, links }; another(); }
  } catch { space.heat = null; }
  setTimeout(() => { heating = false; if (space.on && frame !== of) askForHeat(); }, 200);
}
/* Links lead to the next node in each dimension; those around the torus would hide the rest. The more a link carries, the
   brighter and thicker it is; where nothing tells that (a recording), it has the colour of its busier end. */
function links(ctx, b, spot) {
  const [wide, high, deep] = scene.grid, paths = new Map(), { spots, heat } = space, count = spots.length / 3;
  const to = [[1, n => n % wide < wide - 1], [wide, n => Math.floor(n / wide) % high < high - 1],
    [wide * high, n => Math.floor(n / wide / high) < deep - 1]];
  const isPlain = scene.kinds.length > 0 && !heat, hasHeat = heat && !past.at;
  const level = (n, dim, next) => hasHeat ? 255 * Math.log1p(heat.links[3 * n + dim]) / Math.log1p(Math.max(1, heat.top))
    : isPlain || count !== scene.nodes ? 0 : Math.max(frame.colours[n], frame.colours[next]);
  for (let n = 0; n < count; n++) to.forEach(([step, has], dim) => {
    if (!has(n)) return;
    const next = n + step, colour = level(n, dim, next) >> 4;
    if (!paths.has(colour)) paths.set(colour, new Path2D());
    const path = paths.get(colour);
    path.moveTo(...spot(spots[3 * n], spots[3 * n + 1])); path.lineTo(...spot(spots[3 * next], spots[3 * next + 1]));
  });
  for (const [colour, path] of [...paths].sort(([a], [b]) => a - b)) {
    const part = colour / 15;
    ctx.globalAlpha = part ? 0.5 + 0.5 * part : 0.3; ctx.lineWidth = (0.8 + 3.2 * part) * unit(b);
    ctx.strokeStyle = part ? hot(part) : ink("--edge"); ctx.stroke(path);
  }
  ctx.globalAlpha = 1;
}
/* The colour of a part of the scale, whether or not the dots have it. */
function hot(part) {
  const stops = PALETTES[$("palette").value].map(rgb), f = part * (stops.length - 1), low = Math.min(Math.floor(f), stops.length - 2);
  return `rgb(${stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * (f - low)))})`;
}
/* Far nodes first: near ones cover them. */
function drawSolid() {
  const b = picture.box(), canvas = $("space"), ctx = canvas.getContext("2d");
  if (canvas.width !== $("dots").width || canvas.height !== $("dots").height) {
    canvas.width = $("dots").width; canvas.height = $("dots").height;
  }
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  const spot = (x, y) => [b.left + x * b.side, b.top + (1 - y) * b.side];
  if (size3() <= 6000) { askForHeat(); links(ctx, b, spot); }
  axes(ctx, b, spot);
  const size = Math.min(dot(b), b.side / Math.max(...scene.grid) * 0.25) / 2 * space.near;
  for (const n of space.order) {
    const [x, y] = spot(places[2 * n], places[2 * n + 1]), c = 4 * frame.colours[n];
    ctx.fillStyle = frame.alive[n] ? `rgb(${table[c]},${table[c + 1]},${table[c + 2]})` : `rgb(${DEAD})`;
    /* Nodes with little to show leave the links in sight. */
    const part = scene.kinds.length ? 1 : 0.5 + 0.5 * frame.colours[n] / 255;
    ctx.beginPath(); ctx.arc(x, y, size * part / (1 - space.depths[n] * 0.35), 0, 7); ctx.fill();
  }
}
/* The three directions, named at the far ends of the edges that meet in node 0. */
function axes(ctx, b, spot) {
  const [wide, high, deep] = scene.grid, ends = [wide - 1, wide * (high - 1), wide * high * (deep - 1)];
  const from = spot(space.spots[0], space.spots[1]);
  ctx.font = `${ink("rem") * b.scale}px system-ui, sans-serif`; ctx.textAlign = "center"; ctx.textBaseline = "middle";
  ctx.fillStyle = ctx.strokeStyle = ink("--ink"); ctx.lineWidth = 1.2 * b.scale;
  ends.forEach((n, dim) => {
    if (!n) return;
    const [x, y] = spot(space.spots[3 * n], space.spots[3 * n + 1]), far = Math.hypot(x - from[0], y - from[1]) || 1;
    const [p, q] = [(x - from[0]) / far, (y - from[1]) / far], off = 18 * b.scale;
    ctx.beginPath(); ctx.moveTo(...from); ctx.lineTo(x, y); ctx.stroke();
    ctx.fillText("xyz"[dim], x + p * off, y + q * off);
  });
}
$("solid").onclick = () => stand(!space.on);
for (const [id, turn, tilt] of [["turn-left", -0.15, 0], ["turn-right", 0.15, 0], ["tilt-up", 0, 0.15], ["tilt-down", 0, -0.15]])
  $(id).onclick = () => turnBy(turn, tilt);
$("nearer").onclick = () => approach(1.25); $("farther").onclick = () => approach(0.8);
$("stage").addEventListener("wheel", event => {
  if (!space.on || event.ctrlKey) return;
  event.preventDefault(); approach(Math.exp(-event.deltaY / 500));
}, { passive: false });
