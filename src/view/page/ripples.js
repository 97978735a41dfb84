/* Failures are seen: a dot that dies flashes, and so does each dot that lives again or has recovered, one after another
   as the recovery spreads. */
const ripples = new Map();
/* In milliseconds. */
let rippleTime = 1200;
const still = matchMedia("(prefers-reduced-motion: reduce)");
function ripple(n, name) {
  if (ripples.size < 500 || ripples.has(n)) ripples.set(n, { name, at: performance.now() });
}
/* What has changed between two pictures of one run; a jump in time is no event. */
function rippled(before, next) {
  if (!before || before.scene !== next.scene || next.tick < before.tick) return;
  for (const n of next.died) ripple(n, "died");
  for (const n of next.rose) ripple(n, "back");
}
/* Changes that colours and rings tell: ranks that were recovering, ranks that are in a new life. */
const heals = () => !!scene && scene.kinds.includes("recovers");
function healed(before, next) {
  const recovers = scene.kinds.indexOf("recovers"), marked = new Set(before.marks);
  return [...next.marks.filter(n => !marked.has(n)),
    ...[...before.colours.keys()].filter(n => before.colours[n] === recovers && next.colours[n] !== recovers)];
}
function drawRipples(ctx, b, spot) {
  const now = performance.now();
  for (const [n, { name, at }] of ripples) {
    const part = (now - at) / rippleTime;
    if (part >= 1 || 2 * n >= places.length) { ripples.delete(n); continue; }
    const [x, y] = spot(places[2 * n], places[2 * n + 1]), far = still.matches ? 8 : 4 + 26 * part;
    ctx.globalAlpha = still.matches ? 1 : 1 - part * part;
    ctx.strokeStyle = ink(name === "died" ? "--harm" : "--accent"); ctx.lineWidth = 3 * unit(b);
    ctx.beginPath(); ctx.arc(x, y, dot(b) / 2 + far * unit(b), 0, 7); ctx.stroke();
  }
  ctx.globalAlpha = 1;
}
