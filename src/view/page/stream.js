/* The places come last: if they belong to a newer scene, its frames fetch all of this again. */
async function prepare() {
  const next = await (await fetch(base + "scene")).json();
  const spots = new Float32Array(await (await fetch(base + "places")).arrayBuffer());
  stage = { scene: next, places: spots };
  if (past.at === null) enter(stage);
}
/* The scene and places that are shown: those of the stream, or of an earlier picture. */
let stage = null;
function enter(shown) {
  const was = space.on;
  if (was) stand(false);
  scene = shown.scene; places = shown.places; frame = null; isCovered = true; ripples.clear();
  space.on = false; space.flat = null; dress(); picture.load();
  if (was) stand(true);
}

const text = new TextDecoder();
const length = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0, true);
/* A frame; its buffers are reused as long as the scene stays. */
let room = null;
function take(bytes) {
  const words = length(bytes, 0), told = JSON.parse(text.decode(bytes.subarray(4, 4 + words)));
  const n = told.nodes, start = 4 + words, bits = bytes.subarray(start + n);
  if (!room || room.scene !== told.scene || room.colours.length !== n) {
    room = { scene: told.scene, colours: new Uint8Array(n), alive: new Uint8Array(n), bits: new Uint8Array(bits.length),
      count: 0 };
  }
  const { colours, alive } = room;
  const died = [], rose = [], before = room.marks && heals() ? { colours: colours.slice(), marks: room.marks } : null;
  colours.set(bytes.subarray(start, start + n));
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === room.bits[i]) continue;
    room.bits[i] = bits[i];
    for (let dot = 8 * i; dot < Math.min(n, 8 * i + 8); dot++) {
      const lives = bits[i] >> (dot & 7) & 1;
      if (lives !== alive[dot]) (lives ? rose : died).push(dot);
      room.count += lives - alive[dot]; alive[dot] = lives;
    }
  }
  if (before) rose.push(...healed(before, { ...told, colours }));
  const next = { ...told, colours, alive, count: room.count, died, rose: room.marks ? rose : [] };
  room.marks = told.marks;
  return next;
}

/* Drops every other entry when there are many. */
const thinned = list => list.length > 2000 ? list.filter((_, at) => at % 2) : list;

/* Fetches plotted numbers of the ticks between two pictures, too, if the run provides them. */
const rows = { scene: -1, count: 0, busy: false };
async function fetchRows() {
  if (rows.busy || scene.replay) return;
  rows.busy = true;
  const before = current();
  try {
    const { scene: now, series } = stage.scene, from = rows.scene === now ? rows.count : 0;
    const all = new Float64Array(await (await fetch(`${base}points/${from}`)).arrayBuffer()), wide = 1 + series.length;
    if (all[0] === now && stage.scene.scene === now) {
      [rows.scene, rows.count] = all;
      series.forEach((name, i) => {
        const points = new Map(history.get(name) || []);
        for (let at = 2; at + wide <= all.length; at += wide) points.set(all[at], all[at + 1 + i]);
        history.set(name, thinned([...points].sort(([a], [b]) => a - b)));
      });
      another();
    }
  } catch { /* The stream of pictures notices and reports it. */ }
  rows.busy = false;
  /* A picture that came meanwhile found this fetch busy, and may have been the last one. */
  if (current() !== before && lacksRows()) fetchRows();
}
const lacksRows = () => current().points && (current().points > rows.count || current().scene !== rows.scene);

function show(next) {
  if (next.stage.scene !== scene) enter(next.stage);
  rippled(frame, next);
  frame = next; count(); lines(); amounts(); filmed();
  put("tick", next.tick.toLocaleString("en")); put("alive", next.count.toLocaleString("en"));
  put("mood", past.at ? "looking back" : next.state);
  why();
  if (next.said < said) { $("events").replaceChildren(); said = 0; }
  for (const words of next.words.slice(Math.max(0, next.words.length - (next.said - said)))) {
    const item = document.createElement("li"); item.textContent = words; $("events").prepend(item);
    while ($("events").childElementCount > 200) $("events").lastElementChild.remove();
  }
  said = next.said;
  another();
}
/* Adds the numbers of a picture to what is plotted. */
function plotted(next) {
  stage.scene.series.forEach((name, i) => {
    /* A number that takes long to compute is not in every picture. */
    if (next.series[i] === null) return;
    let list = history.get(name) || [];
    if (list.length && list[list.length - 1][0] > next.tick) list = list.filter(([t]) => t <= next.tick);
    if (!list.length || list[list.length - 1][0] !== next.tick) list.push([next.tick, next.series[i]]);
    else list[list.length - 1][1] = next.series[i];
    history.set(name, thinned(list));
  });
  if (!scene.replay && lacksRows()) fetchRows();
}

/* Why the run stands still, if it does. */
function why() {
  const { state } = current();
  put("go", moves() ? "Halt" : "Go");
  $("go").disabled = rests() || state === "ended";
  $("step").disabled = state === "ended";
  const other = scene.setup.length ? "; start another run below" : "";
  const words = !clocked() ? "" : state === "halted" ? "Halted. Press Go, or Step."
    : rests() ? `Go is off: the run is ${state}, nothing is left to do${other}.` : "";
  put("why", words);
  /* The answer to Go is no longer true. */
  if (!moves() && asked === "go" && $("word").textContent === "running") $("word").textContent = "";
}
/* No more pictures come: buttons that ask the run are off, with the reason. */
function finish() {
  $("mood").textContent = "ended"; $("why").textContent = "The run has ended; this is its last picture.";
  for (const id of ["go", "step", "end", "kill", "region", "info", "back", "again"]) if ($(id)) $(id).disabled = true;
}

async function follow() {
  for (;;) {
    try {
      await prepare();
      const reader = (await fetch(base + "frames")).body.getReader();
      let held = new Uint8Array(1 << 20), from = 0, end = 0;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (end + value.length > held.length) {
          const before = held.subarray(from, end);
          if (before.length + value.length > held.length) held = new Uint8Array(2 * (before.length + value.length));
          held.set(before); end = before.length; from = 0;
        }
        held.set(value, end); end += value.length;
        let latest = null;
        while (end - from >= 4 && end - from - 4 >= length(held, from)) {
          const size = length(held, from);
          if (size) latest = held.subarray(from + 4, from + 4 + size);
          from += 4 + size;
        }
        if (!latest) continue;
        latest = take(latest);
        if (latest.scene !== stage.scene.scene) await prepare();
        if (latest.scene === stage.scene.scene) arrive(latest);
      }
      finish(); return;
    } catch (why) { $("mood").textContent = "cannot be reached"; await new Promise(go => setTimeout(go, 1000)); }
  }
}
