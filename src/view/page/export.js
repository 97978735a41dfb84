/* Files made in the page, without a request: the picture, and all that was plotted. */
function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob); link.download = name; link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
function pictureFile() {
  const dots = $("dots"), sheet = document.createElement("canvas"), ctx = sheet.getContext("2d");
  sheet.width = dots.width; sheet.height = dots.height;
  ctx.fillStyle = ink("--sky");
  ctx.fillRect(0, 0, sheet.width, sheet.height);
  ctx.drawImage(space.on ? $("space") : dots, 0, 0); ctx.drawImage($("over"), 0, 0);
  return new Promise(go => sheet.toBlob(go, "image/png"));
}
/* The dots as shapes, 1,000 units wide, which any size shows sharply: with titles, rings, arrows and the legend. */
function drawing() {
  const words = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`), round = v => +v.toFixed(2);
  const size = dot({ side: 1000 }), spot = n => [round(1000 * places[2 * n]), round(1000 * (1 - places[2 * n + 1]))];
  const fill = n => `rgb(${frame.alive[n] ? [...table.slice(4 * frame.colours[n], 4 * frame.colours[n] + 3)] : DEAD})`;
  const line = ink("--ink"), parts = [];
  const order = space.on ? space.order : [...frame.colours.keys()];
  for (const n of order) {
    const [x, y] = spot(n), told = `${scene.dot} ${n}${frame.alive[n] ? meaning(n) : "; dead"}`;
    parts.push(`<circle cx="${x}" cy="${y}" r="${size / 2}" fill="${fill(n)}"><title>${words(told)}</title></circle>`);
  }
  for (const n of frame.marks) {
    const [x, y] = spot(n);
    parts.push(`<circle cx="${x}" cy="${y}" r="${size / 2 + 3}" fill="none" stroke="${line}" stroke-width="2"/>`);
  }
  const list = frame.arrows || [];
  for (let i = 0; i < list.length; i += 2) {
    const [x, y] = spot(list[i]), [u, v] = spot(list[i + 1]);
    parts.push(`<line x1="${x}" y1="${y}" x2="${u}" y2="${v}" stroke="${line}" stroke-width="2" marker-end="url(#head)"/>`);
  }
  const dead = mortal() ? [["dead", `rgb(${DEAD})`]] : [];
  const named = scene.kinds.map((name, i) => [name, KINDS[i % KINDS.length]]).concat(dead);
  named.forEach(([name, colour], i) => parts.push(`<circle cx="10" cy="${1062 + 24 * i}" r="8" fill="${colour}"/>`
    + `<text x="26" y="${1068 + 24 * i}">${words(name)}</text>`));
  const title = `${scene.title}, ${moment(of(frame.tick))}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 1040 ${1080 + 24 * named.length}" font-family="sans-serif"
    font-size="18" fill="${line}"><title>${words(title)}</title><defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4"
    markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
    <rect x="-20" y="-20" width="1040" height="${1080 + 24 * named.length}" fill="${ink("--sky")}"/>
    ${parts.join("\n")}<text x="0" y="1036">${words(title)}</text></svg>`;
}
const numbersFile = () => new Blob([JSON.stringify({
  title: scene.title, unit: scene.unit, tick: frame.tick, state: frame.state, series: Object.fromEntries(history),
  recoveries: frame.lines, colours: [...frame.colours], alive: [...frame.alive], kinds: scene.kinds,
})], { type: "application/json" });
$("png").onclick = async () => save("picture.png", await pictureFile());
$("svg").onclick = () => save("picture.svg", new Blob([drawing()], { type: "image/svg+xml" }));
$("json").onclick = () => save("run.json", numbersFile());
