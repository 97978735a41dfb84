let drawn = 0, since = performance.now(), plotting = false;
/* How long a flash waits for the next picture of the run before it is drawn by itself, in milliseconds. */
const pulse = 60;
let pulsing;
function paint() {
  due = false;
  if (!frame || !places || places.length !== 2 * frame.colours.length) return;
  if (space.on) drawSolid(); else picture.draw();
  /* The layer above the dots changes seldom. */
  const covers = frame.marks.length + (frame.arrows || []).length + ripples.size > 0;
  if (isCovered || covers) over();
  isCovered = covers;
  clearTimeout(pulsing);
  if (ripples.size) pulsing = setTimeout(another, pulse);
  if (!plotting) { plotting = true; setTimeout(() => { plotting = false; plot(); drawTimeline(); }, 200); }
  drawn++;
  const now = performance.now();
  if (killed && !frame.alive[killed.node]) { latency = now - killed.at; killed = null; }
  if (now - since > 1000) {
    const speed = Math.round(drawn * 1000 / (now - since));
    $("speedometer").textContent = `${picture.name}, ${speed} pictures a second`
      + (latency === null ? "" : `, ${latency.toFixed(0)} ms from a kill to its picture`);
    drawn = 0; since = now;
  }
}
/* What the legend says. */
let counted = [];
/* The number of dots of each colour, if each colour has a meaning. */
function count() {
  if (!scene.kinds.length) return;
  const counts = new Array(scene.kinds.length + mortal()).fill(0);
  frame.colours.forEach((colour, n) => counts[frame.alive[n] ? colour : scene.kinds.length]++);
  counts.forEach((many, i) => {
    if (counted[i] !== many) $("legend").children[i].lastElementChild.textContent = many.toLocaleString("en");
  });
  counted = counts;
}

/* The legend of a logarithmic scale, up to its highest value. */
function amounts() {
  const { top } = frame, has = top !== undefined && !scene.kinds.length;
  if ($("amounts").hidden === has) $("amounts").hidden = !has;
  if (!has || $("amounts").dataset.top === `${top}`) return;
  $("amounts").dataset.top = top;
  $("amounts").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map(part => {
    const span = document.createElement("span"), exact = (1 + top) ** part - 1;
    span.textContent = part === 1 ? of(top) : (+exact.toPrecision(2)).toLocaleString("en"); return span;
  }));
}

/* Requests another frame; after larger changes, a full repaint. */
function repaint() { isCovered = true; another(); }
function another() { if (!due) { due = true; requestAnimationFrame(paint); } }
