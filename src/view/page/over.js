/* The arrows between dots. Short paths: a single path of thousands of lines takes far longer. */
function arrows(ctx, b, spot) {
  const list = frame.arrows || [], half = dot(b) / 2, paths = [], wedges = [];
  const path = of => { if (of.count++ % 128 === 0) of.push(new Path2D()); return of[of.length - 1]; };
  paths.count = wedges.count = 0;
  for (let i = 0; i < list.length; i += 2) {
    const [m, n] = [2 * list[i], 2 * list[i + 1]];
    const [x, y] = spot(places[m], places[m + 1]), [u, v] = spot(places[n], places[n + 1]);
    const far = Math.hypot(u - x, v - y) || 1, [p, q] = [(u - x) / far, (v - y) / far];
    /* From edge to edge, so that the dots stay visible; between close dots, a wedge. */
    const off = Math.min(half, far / 4), [k, l, r, s] = [x + p * off, y + q * off, u - p * off, v - q * off];
    if (far < 24 * unit(b)) {
      const at = path(wedges), wide = Math.min(3 * unit(b), far / 4);
      at.moveTo(k - q * wide, l + p * wide); at.lineTo(r, s); at.lineTo(k + q * wide, l - p * wide);
    } else {
      const at = path(paths), head = 8 * unit(b), [c, d] = [r - p * head, s - q * head];
      at.moveTo(k, l); at.lineTo(r, s);
      at.moveTo(c - q * head / 2, d + p * head / 2); at.lineTo(r, s); at.lineTo(c + q * head / 2, d - p * head / 2);
    }
  }
  ctx.save();
  ctx.fillStyle = ink("--ink");
  for (const path of wedges) ctx.fill(path);
  /* With a rim, to be visible on dots of any colour, as long as there are few. */
  for (const [name, width] of [["--ground", 4], ["--ink", 2]].slice(paths.length > 8 ? 1 : 0)) {
    ctx.strokeStyle = ink(name); ctx.lineWidth = width * unit(b);
    for (const path of paths) ctx.stroke(path);
  }
  ctx.restore();
}

/* Nodes of a machine that hold no dot: a free spare is an empty square, a dead node a cross. */
const vacant = () => scene && scene.vacant || [];
const spotOfVacant = ([x, y, isSpare, node]) => space.on ? [space.spots[3 * node], space.spots[3 * node + 1], isSpare] : [x, y, isSpare];
const spares = () => vacant().filter(([, , isSpare]) => isSpare).length;
function drawVacant(ctx, b, spot) {
  const half = Math.max(2 * unit(b), dot(b) * 0.4);
  for (const [at, up, isSpare] of vacant().map(spotOfVacant)) {
    const [x, y] = spot(at, up);
    ctx.strokeStyle = ink(isSpare ? "--soft" : "--harm"); ctx.lineWidth = (isSpare ? 1.5 : 2.5) * unit(b);
    ctx.beginPath();
    if (isSpare) ctx.rect(x - half, y - half, 2 * half, 2 * half);
    else for (const by of [-1, 1]) { ctx.moveTo(x - half, y - by * half); ctx.lineTo(x + half, y + by * half); }
    ctx.stroke();
  }
  ctx.strokeStyle = ink("--ink"); ctx.lineWidth = 1.5 * unit(b);
}

/* The tiles of a machine of three dimensions are named in the picture. */
let tiled = "";
function tiles(b) {
  const [wide, high, deep] = scene.grid || [], half = dot(b) / 2, has = canTurn() && deep > 1 && !space.on && !!places;
  const now = has ? [scene.scene, b.side, b.left, b.top, b.scale, half].join() : "";
  if (now === tiled) return;
  tiled = now;
  const home = node => {
    const n = (scene.berths || []).length ? scene.berths.indexOf(node) : node;
    return n < 0 ? vacant().find(it => it[3] === node) : [places[2 * n], places[2 * n + 1]];
  };
  const named = has ? [...Array(deep).keys()].map(at => [home(at * wide * high), `z = ${at}`]).filter(([spot]) => spot) : [];
  $("tiles").replaceChildren(...named.map(([[x, y], words]) => {
    const name = element("span", "", words);
    name.style.setProperty("left", `${(b.left + x * b.side - half) / b.scale}px`);
    name.style.setProperty("top", `${(b.top + (1 - y) * b.side - half) / b.scale}px`);
    return name;
  }));
}

/* The layer above the dots: arrows, the region, and the selected node. */
function over() {
  const b = picture.box(), ctx = $("over").getContext("2d"), chosen = $("node").value === "" ? -1 : +$("node").value;
  const numbered = places && scene.nodes <= 150;
  if (scene) tiles(b);
  /* An empty layer would cost each picture as much as a full one. */
  const covers = region || vacant().length || ripples.size || numbered || chosen >= 0 || frame && frame.marks.length + (frame.arrows || []).length > 0;
  $("over").hidden = !covers;
  ctx.clearRect(0, 0, $("over").width, $("over").height);
  ctx.strokeStyle = ink("--ink"); ctx.lineWidth = 1.5 * unit(b);
  const spot = (x, y) => [b.left + x * b.side, b.top + (1 - y) * b.side];
  if (region) {
    const [l, t] = spot(region[0], region[3]), [r, u] = spot(region[2], region[1]);
    ctx.setLineDash([6 * b.scale, 4 * b.scale]); ctx.strokeRect(l, t, r - l, u - t); ctx.setLineDash([]);
  }
  drawVacant(ctx, b, spot);
  if (places && frame) arrows(ctx, b, spot);
  if (places && frame && frame.marks.length) {
    ctx.beginPath();
    for (const n of frame.marks) {
      const [x, y] = spot(places[2 * n], places[2 * n + 1]), far = dot(b) / 2 + 2 * unit(b);
      ctx.moveTo(x + far, y); ctx.arc(x, y, far, 0, 7);
    }
    ctx.stroke();
  }
  if (places && ripples.size) drawRipples(ctx, b, spot);
  ctx.strokeStyle = ink("--ink"); ctx.lineWidth = 1.5 * unit(b);
  /* The numbers of few dots, below them. */
  if (numbered) {
    const far = dot(b) / 2 + 3 * b.scale;
    ctx.save();
    ctx.font = `${0.8 * ink("rem") * b.scale}px system-ui, sans-serif`; ctx.textAlign = "center"; ctx.textBaseline = "top";
    ctx.fillStyle = ink("--soft");
    for (let n = 0; n < scene.nodes; n++) {
      const [x, y] = spot(places[2 * n], places[2 * n + 1]);
      ctx.fillText(n, x, y + far);
    }
    ctx.restore();
  }
  if (places && chosen >= 0 && 2 * chosen < places.length) {
    const [x, y] = spot(places[2 * chosen], places[2 * chosen + 1]);
    ctx.beginPath(); ctx.arc(x, y, dot(b) / 2 + 6 * unit(b), 0, 7); ctx.stroke();
  }
}
