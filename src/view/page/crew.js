/* The ranks of a job: where each is and what its time goes into; and who sends how much to whom. Both are asked for only
   while they are shown. */
let crew = null, pairs = null, cell = null;
const isJob = () => !!scene && scene.unit === "ms" && !scene.replay;
/* What an order tells in JSON; unlike other answers it is not shown as a message. */
async function told(words) {
  const text = await (await fetch(base + "order", { method: "POST", body: words })).text();
  if (!text.startsWith("ok ")) throw new Error(text.slice(3));
  return JSON.parse(text.slice(3));
}
const element = (name, className, ...inside) => {
  const it = document.createElement(name); it.className = className; it.append(...inside); return it;
};
const seconds = ms => ms < 10000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
/* Whether it is one of several ranks of a process, of which there are several. */
const isSharing = rank => rank.share !== undefined && rank.share !== null;
/* Where a rank is: the host, the process that ranks share, with the number that the system has for it, and the node. */
function home(rank) {
  const number = rank.share ?? crew.process, process = number === undefined ? "" : `, process ${number}`;
  const at = isSharing(rank) && crew.ranks.find(other => other.share === rank.share && other.process);
  return `Host ${rank.host || crew.host}${process}${at ? ` (${at.process})` : ""}${rank.node === null ? "" : `, node ${rank.node}`}`;
}
/* One rank: its button, its bar, and in words how much of the time it computed, for whom it waited, and how old its
   checkpoint is. */
function crewRow(n) {
  const pick = element("button", "pick", `rank ${n}`);
  pick.onclick = () => { $("node").value = n; info(); };
  return element("li", "rank", pick, element("div", "bar"), element("small", ""));
}
function fillRow(row, rank, n) {
  const all = rank.times.reduce((sum, time) => sum + time, 0), share = time => `${Math.round(100 * time / (all || 1))} %`;
  const [, bar, small] = row.children, parts = [];
  rank.times.forEach((time, kind) => {
    if (!time) return;
    const part = element("span", ""); part.style.setProperty("flex", `${time} 0 0`);
    part.style.setProperty("background", KINDS[kind % KINDS.length]);
    part.title = `${scene.kinds[kind]} ${share(time)}`; parts.push(part);
  });
  bar.replaceChildren(...parts);
  const words = [`computes ${share(rank.times[0])}`];
  if (rank.awaited.length) words.push(`waits for ${rank.awaited.map(([who, time]) => `${who} (${share(time)})`).join(", ")}`);
  if (rank.checkpoint !== null) words.push(`checkpoint ${seconds(rank.checkpoint)} ago`);
  if (rank.life) words.push(`life ${rank.life}`);
  if (rank.process && !isSharing(rank)) words.push(`process ${rank.process}`);
  if (!frame.alive[n]) words.unshift("dead");
  small.textContent = words.join(" · ");
}
/* Grouped by host, by the process that ranks share, and by the node of a machine. A row stays while its rank stays where it
   is, so that what is pressed or has the focus is not exchanged for its like. */
const rowOf = new Map();
let crewShape = "";
function showCrew() {
  const groups = new Map();
  crew.ranks.forEach((rank, n) => {
    const name = home(rank);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(n);
    if (!rowOf.has(n)) rowOf.set(n, crewRow(n));
  });
  const shape = JSON.stringify([...groups]);
  if (shape !== crewShape) {
    const focused = document.activeElement;
    $("crew-rows").replaceChildren(...[...groups].map(([name, list]) => element("section", "",
      element("h3", "", `${name}: ${list.length} ${list.length === 1 ? "rank" : "ranks"}`),
      element("ul", "", ...list.map(n => rowOf.get(n))))));
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    crewShape = shape;
  }
  crew.ranks.forEach((rank, n) => fillRow(rowOf.get(n), rank, n));
}
/* The matrix: a row for each sender, a column for each receiver; few and many differ in colour. */
function showPairs() {
  const canvas = $("pairs"), { ranks: n, pairs: all } = pairs, ctx = canvas.getContext("2d");
  canvas.width = canvas.height = n;
  const top = Math.max(1, ...all.map(([, , count]) => count)), stops = PALETTES.viridis.map(rgb);
  const image = ctx.createImageData(n, n);
  for (const [from, to, count] of all) {
    const f = Math.log1p(count) / Math.log1p(top) * (stops.length - 1), low = Math.min(Math.floor(f), stops.length - 2);
    const c = stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * (f - low)));
    image.data.set([...c, 255], 4 * (from * n + to));
  }
  ctx.putImageData(image, 0, 0);
  const sum = all.reduce((sum, [, , count]) => sum + count, 0);
  cell = cell && cell.map(at => Math.max(0, Math.min(n - 1, at)));
  const count = cell && (all.find(([from, to]) => from === cell[0] && to === cell[1]) || [0, 0, 0])[2];
  $("pairs-told").textContent = cell ? `From rank ${cell[0]} to rank ${cell[1]}: ${of(count)} messages`
    : `${of(sum)} messages between ${of(all.length)} pairs since this was opened; the most: ${of(all.length ? top : 0)}`;
  canvas.setAttribute("aria-label", `matrix of messages. ${$("pairs-told").textContent}`);
}
async function refresh() {
  if (!isJob() || !frame || current().state === "ended") return;
  try {
    if ($("crew").open) { crew = await told("ranks"); showCrew(); }
    if ($("matrix").open) { pairs = await told("pairs"); showPairs(); }
  } catch (why) { $("pairs-told").textContent = why.message; }
}
setInterval(refresh, 1000);
$("crew").ontoggle = $("matrix").ontoggle = refresh;
$("pairs").onpointermove = event => {
  if (!pairs) return;
  const r = $("pairs").getBoundingClientRect(), at = (v, from, side) => Math.floor((v - from) / side * pairs.ranks);
  cell = [at(event.clientY, r.top, r.height), at(event.clientX, r.left, r.width)]; showPairs();
};
$("pairs").onpointerleave = () => { cell = null; if (pairs) showPairs(); };
const pairsTakes = key => /^Arrow/.test(key);
$("pairs").onkeydown = event => {
  if (!pairs || !pairsTakes(event.key)) return;
  event.preventDefault();
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  cell = cell ? [cell[0] + down, cell[1] + right] : [0, 0]; showPairs();
};
