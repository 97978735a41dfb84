
const of = v => Number.isInteger(v) ? v.toLocaleString("en") : v.toPrecision(4);
/* Numbers at an axis: few digits, k and M for thousands and millions. */
function brief(v) {
  const a = Math.abs(v);
  if (a >= 1e9 || a > 0 && a < 1e-3) return v.toExponential(0).replace("e+", "e");
  for (const [least, unit] of [[1e6, "M"], [1e4, "k"]])
    if (a >= least) return `${+(v / (least === 1e6 ? 1e6 : 1e3)).toPrecision(3)}${unit}`;
  return `${+v.toPrecision(3)}`;
}
/* Round numbers from low to high, about as many as wanted. */
function ticks(low, high, wanted, isWhole) {
  const rough = (high - low || 1) / wanted, ten = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].find(by => by * ten >= rough * 0.999) * ten;
  if (isWhole) step = Math.max(1, Math.round(step));
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) all.push(+(i * step).toPrecision(12));
  return all;
}

/* What all plots share: the part of the time that is shown (null: all of it), and the moment that is looked at. */
const sight = { span: null, at: null };
/* The points of a plot that are in sight, and how it is drawn: from time and value to pixels. */
function layout(canvas) {
  const points = history.get(canvas.dataset.name) || [], all = [...history.values()].filter(list => list.length);
  const begin = Math.min(...all.map(list => list[0][0])), end = Math.max(...all.map(list => list[list.length - 1][0]));
  const [first, last] = sight.span || [begin, end];
  const seen = points.filter(([t]) => t >= first && t <= last);
  /* Nothing is exaggerated: an axis of amounts begins at zero. */
  let low = 0, high = 0;
  for (const [, v] of seen) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low === high) high = low + 1;
  const marks = ticks(low, high, 3, points.every(([, v]) => Number.isInteger(v)));
  const step = marks.length > 1 ? marks[1] - marks[0] : high - low;
  if (marks.length && marks[marks.length - 1] < high) { high = marks[marks.length - 1] + step; marks.push(high); }
  if (marks.length && marks[0] > low) { low = marks[0] - step; marks.unshift(low); }
  const rem = ink("rem") / 14;
  const edge = { left: 40 * rem, right: 10 * rem, top: 8 * rem, bottom: 18 * rem };
  const [w, h] = extent(canvas), wide = w - edge.left - edge.right, tall = h - edge.top - edge.bottom;
  const x = t => edge.left + (t - first) / (last - first || 1) * wide, y = v => edge.top + (high - v) / (high - low) * tall;
  const time = px => first + Math.max(0, Math.min(1, (px - edge.left) / wide)) * (last - first);
  return { points, seen, first, last, marks, rem, edge, w, h, wide, x, y, time };
}
/* The point at a moment, or the last one before it. */
function pointAt(points, t) {
  let low = 0, high = points.length;
  while (low < high) { const half = low + high >> 1; if (points[half][0] <= t) low = half + 1; else high = half; }
  return points[Math.max(0, low - 1)];
}

/* Plots that are scrolled out of sight are told in words, and drawn once they are in sight. */
const onScreen = new IntersectionObserver(list => {
  for (const { target, isIntersecting } of list) { target.unseen = !isIntersecting; if (isIntersecting) plotOne(target); }
});
function plot() { for (const canvas of document.querySelectorAll(".plot")) plotOne(canvas); }
function plotOne(canvas) {
  const told = layout(canvas), { points, first, last } = told;
  const shown = !points.length ? null : sight.at === null ? points[points.length - 1] : pointAt(points, sight.at);
  const value = canvas.previousElementSibling.lastElementChild;
  const words = !shown ? "–" : (sight.at === null ? "" : `${moment(of(shown[0]))}: `) + of(shown[1]);
  if (value.textContent !== words) value.textContent = words;
  if (shown) {
    const says = { valuemin: first, valuemax: last, valuenow: shown[0],
      valuetext: `${canvas.dataset.name} ${of(shown[1])} at ${moment(of(shown[0]))}` };
    for (const [what, told] of Object.entries(says)) canvas.setAttribute(`aria-${what}`, told);
  }
  if (!canvas.unseen) drawPlot(canvas, told, shown);
}
function drawPlot(canvas, told, shown) {
  const { points, seen, first, last, rem, edge, w, h, x, y } = told, ctx = canvas.getContext("2d"), scale = devicePixelRatio || 1;
  const wide = Math.round(w * scale), high = Math.round(h * scale);
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  ctx.setTransform(scale, 0, 0, scale, 0, 0); ctx.clearRect(0, 0, w, h);
  ctx.font = `${11 * rem}px system-ui, sans-serif`; ctx.fillStyle = ink("--soft"); ctx.textBaseline = "middle";
  if (!shown) {
    ctx.textAlign = "center"; ctx.fillText("no values yet: press Go", w / 2, h / 2); return;
  }
  ctx.lineWidth = 1; ctx.textAlign = "right";
  for (const mark of told.marks) {
    ctx.strokeStyle = ink(mark === 0 ? "--soft" : "--line");
    ctx.beginPath(); ctx.moveTo(edge.left, Math.round(y(mark)) + 0.5); ctx.lineTo(w - edge.right, Math.round(y(mark)) + 0.5); ctx.stroke();
    ctx.fillText(brief(mark), edge.left - 5 * rem, y(mark));
  }
  ctx.textBaseline = "alphabetic";
  const moments = last > first ? ticks(first, last, 4, true) : [first];
  moments.forEach((t, i) => {
    const text = i === moments.length - 1 ? `${brief(t)} ${scene.unit}` : brief(t), half = ctx.measureText(text).width / 2;
    ctx.textAlign = "center";
    ctx.fillText(text, Math.max(edge.left + half - 4, Math.min(w - half - 1, x(t))), h - 5 * rem);
  });
  ctx.save(); ctx.beginPath(); ctx.rect(edge.left - 3, 0, told.wide + 6, h); ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = ink("--accent"); ctx.lineWidth = 1.6; ctx.lineJoin = "round"; ctx.beginPath();
  /* From the point before to the point after what is in sight. */
  points.forEach(([t, v], i) => {
    if (i + 1 < points.length && points[i + 1][0] < first || i > 0 && points[i - 1][0] > last) return;
    ctx.lineTo(x(t), y(v));
  });
  ctx.stroke();
  /* Few points are told from the lines between them. */
  if (seen.length <= 30) for (const [t, v] of seen) { ctx.beginPath(); ctx.arc(x(t), y(v), 2.5 * rem, 0, 7); ctx.fill(); }
  ctx.restore();
  if (sight.at !== null && shown[0] >= first && shown[0] <= last) {
    ctx.strokeStyle = ctx.fillStyle = ink("--ink"); ctx.lineWidth = 1;
    ctx.beginPath(); ctx.moveTo(x(shown[0]), edge.top); ctx.lineTo(x(shown[0]), h - edge.bottom); ctx.stroke();
    ctx.beginPath(); ctx.arc(x(shown[0]), y(shown[1]), 3.5 * rem, 0, 7); ctx.fill();
  }
  if (canvas.swept) {
    const [from, to] = canvas.swept.map(x);
    ctx.globalAlpha = 0.2; ctx.fillStyle = ink("--accent"); ctx.fillRect(from, edge.top, to - from, h - edge.top - edge.bottom);
    ctx.globalAlpha = 1;
  }
}
function zoom(span) {
  const wide = span && span[1] > span[0];
  sight.span = wide ? span : null; $("whole").hidden = !wide; plot();
}
/* Half or twice of what is shown, around the moment that is looked at. */
function zoomBy(canvas, by) {
  const { first, last, points } = layout(canvas);
  if (!points.length) return;
  const at = Math.max(first, Math.min(last, sight.at === null ? last : sight.at)), far = (last - first) * by;
  const [begin, end] = [points[0][0], points[points.length - 1][0]];
  if (far >= end - begin) return zoom(null);
  const from = Math.max(begin, Math.min(end - far, at - (at - first) * by));
  zoom([from, from + far]);
}
/* A plot as the user handles it: the pointer and arrows look at a moment; a drag, + and - zoom; escape shows all again. */
function plotFor(name) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { className: "plot", tabIndex: 0, swept: null });
  canvas.dataset.name = name; canvas.setAttribute("role", "slider"); canvas.setAttribute("aria-label", `plot of ${name}`);
  canvas.setAttribute("aria-valuenow", 0); canvas.title = "drag: zoom; double click: all of it; keys: ← → + − esc";
  const time = event => layout(canvas).time(event.clientX - canvas.getBoundingClientRect().left);
  canvas.onpointerdown = event => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    canvas.from = time(event); canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = event => {
    sight.at = time(event);
    canvas.swept = canvas.from === undefined ? null : [canvas.from, sight.at].sort((a, b) => a - b);
    plot();
  };
  canvas.onpointerup = event => {
    const { swept } = canvas;
    canvas.swept = null; canvas.from = undefined;
    const { x } = layout(canvas);
    if (swept && x(swept[1]) - x(swept[0]) > 5) zoom(swept); else { sight.at = time(event); plot(); }
  };
  canvas.onpointercancel = canvas.onlostpointercapture = () => { canvas.swept = null; canvas.from = undefined; };
  canvas.onpointerleave = () => { if (document.activeElement !== canvas) { sight.at = null; plot(); } };
  canvas.onblur = () => { sight.at = null; plot(); };
  canvas.ondblclick = () => zoom(null);
  canvas.onkeydown = event => {
    const { points, first, last } = layout(canvas), shown = points.filter(([t]) => t >= first && t <= last);
    if (!shown.length || !plotTakes(event.key)) return;
    const at = shown.indexOf(pointAt(shown, sight.at === null ? last : sight.at));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 20, PageDown: at + 20, Home: 0, End: shown.length - 1 }[event.key];
    event.preventDefault();
    if (to !== undefined) { sight.at = shown[Math.max(0, Math.min(shown.length - 1, to))][0]; plot(); }
    else if (event.key === "Escape") { sight.at = null; zoom(null); }
    else zoomBy(canvas, event.key === "-" ? 2 : 0.5);
  };
  onScreen.observe(canvas);
  return canvas;
}
const plotTakes = key => /^(ArrowLeft|ArrowRight|Home|End|PageUp|PageDown|Escape|[-+])$/.test(key);
