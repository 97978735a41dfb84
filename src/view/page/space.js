/* A machine of three dimensions as a body that can be turned: a disc for each node, a line for each link. What else is
   drawn or picked uses `places`, which follow the camera. */
const space = { on: false, turn: 0.6, tilt: 0.45, flat: null, depths: null };
const canTurn = () => !!scene && (scene.grid || []).length === 3 && scene.nodes <= 50000;
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
  const by = 0.62 / (1 - near * 0.35);
  return [0.5 + right * by, 0.5 + up * by, near];
}
function look() {
  if (!space.on) return;
  for (let n = 0; n < scene.nodes; n++) [places[2 * n], places[2 * n + 1], space.depths[n]] = seen(solid(n));
  space.order = [...space.depths.keys()].sort((m, n) => space.depths[m] - space.depths[n]);
  repaint();
}
function stand(on) {
  space.on = on && canTurn();
  if (space.on && !space.flat) { space.flat = places.slice(); space.depths = new Float32Array(scene.nodes); }
  if (!space.on && space.flat) { places.set(space.flat); space.flat = null; picture.load(); }
  $("stage").classList.toggle("solid", space.on); $("solid").setAttribute("aria-pressed", space.on);
  $("turns").hidden = !space.on;
  if (space.on) look(); else repaint();
}
function turnBy(turn, tilt) {
  space.turn += turn; space.tilt = Math.max(-1.5, Math.min(1.5, space.tilt + tilt)); look();
}
/* Links lead to the next node in each dimension; those around the torus would hide the rest. Few colours: few strokes. */
function links(ctx, spot) {
  const [wide, high, deep] = scene.grid, paths = new Map();
  const to = [[1, n => n % wide < wide - 1], [wide, n => Math.floor(n / wide) % high < high - 1],
    [wide * high, n => Math.floor(n / wide / high) < deep - 1]];
  for (let n = 0; n < scene.nodes; n++) for (const [step, has] of to) {
    if (!has(n)) continue;
    const colour = Math.max(frame.colours[n], frame.colours[n + step]) & ~15;
    if (!paths.has(colour)) paths.set(colour, new Path2D());
    const path = paths.get(colour);
    path.moveTo(...spot(places[2 * n], places[2 * n + 1])); path.lineTo(...spot(places[2 * (n + step)], places[2 * (n + step) + 1]));
  }
  for (const [colour, path] of paths) {
    ctx.strokeStyle = scene.kinds.length ? "#888" : `rgb(${table.slice(4 * colour, 4 * colour + 3)})`; ctx.stroke(path);
  }
}
/* Far nodes first: near ones cover them. */
function drawSolid() {
  const b = picture.box(), canvas = $("space"), ctx = canvas.getContext("2d");
  if (canvas.width !== $("dots").width || canvas.height !== $("dots").height) {
    canvas.width = $("dots").width; canvas.height = $("dots").height;
  }
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  const spot = (x, y) => [b.left + x * b.side, b.top + (1 - y) * b.side];
  ctx.globalAlpha = 0.45; ctx.lineWidth = b.scale;
  if (scene.nodes <= 6000) links(ctx, spot);
  ctx.globalAlpha = 1;
  const size = Math.min(dot(b), b.side / Math.max(...scene.grid) * 0.4) / 2;
  for (const n of space.order) {
    const [x, y] = spot(places[2 * n], places[2 * n + 1]), c = 4 * frame.colours[n];
    ctx.fillStyle = frame.alive[n] ? `rgb(${table[c]},${table[c + 1]},${table[c + 2]})` : `rgb(${DEAD})`;
    ctx.beginPath(); ctx.arc(x, y, size / (1 - space.depths[n] * 0.35), 0, 7); ctx.fill();
  }
}
$("solid").onclick = () => stand(!space.on);
for (const [id, turn, tilt] of [["turn-left", -0.15, 0], ["turn-right", 0.15, 0], ["tilt-up", 0, 0.15], ["tilt-down", 0, -0.15]])
  $(id).onclick = () => turnBy(turn, tilt);
