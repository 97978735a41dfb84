"use strict";
const $ = id => document.getElementById(id);
const base = location.pathname;
const PALETTES = {
  viridis: ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"],
  cividis: ["#00224e", "#434e6c", "#7d7c78", "#bcae6c", "#fee838"],
  "blue to red": ["#2166ac", "#92c5de", "#f0f0f0", "#f4a582", "#b2182b"],
  grey: ["#303030", "#606060", "#909090", "#c0c0c0", "#f0f0f0"],
};
/* Colours that colour-blind people can tell apart (Okabe and Ito 2008); the last one differs from the dead. */
const KINDS = ["#009e73", "#0072b2", "#e69f00", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#5c6068"];
const DEAD = [190, 190, 190];
let scene = null, places = null, frame = null, grid = null, table = new Uint8Array(1024);
let due = false, isCovered = true, region = null, drag = null, killed = null, latency = null, said = 0, lined = "", asked = "";
const history = new Map();

/* Writes what has changed only: the rest costs the browser no layout. */
function put(id, text) { if ($(id).textContent !== `${text}`) $(id).textContent = text; }
/* Sizes of elements as they were laid out last: reading them makes the browser lay out nothing. */
const extents = new WeakMap(), measure = element => [element.clientWidth, element.clientHeight];
const observer = new ResizeObserver(list => {
  for (const { target } of list) extents.set(target, measure(target));
  repaint(); plot();
});
function extent(element) {
  if (!extents.has(element)) { extents.set(element, measure(element)); observer.observe(element); }
  return extents.get(element);
}
/* The style of the page, read once until it changes: colours by name, and the size of a letter. */
const inks = new Map();
function ink(name) {
  if (!inks.has(name)) {
    const style = getComputedStyle(document.documentElement);
    inks.set(name, name === "rem" ? parseFloat(style.fontSize) : style.getPropertyValue(name));
  }
  return inks.get(name);
}

function rgb(hex) { return [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16)); }
function colours() {
  const stops = PALETTES[$("palette").value].map(rgb);
  for (let at = 0; at < 256; at++) {
    let c;
    if (scene && scene.kinds.length) c = rgb(KINDS[at % KINDS.length]);
    else {
      const f = at / 255 * (stops.length - 1), low = Math.min(Math.floor(f), stops.length - 2), part = f - low;
      c = stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * part));
    }
    table.set([...c, 255], at * 4);
  }
}
/* Steps are counted (tick 20), times measured (20 ms). */
const measured = () => ["ms", "ns"].includes(scene.unit), moment = told => measured() ? `${told} ${scene.unit}` : `${scene.unit} ${told}`;
