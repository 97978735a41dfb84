/* The menu of a dot: by the right button, a long touch, or the key m. */
function choices(n) {
  const name = `${scene.dot} ${n}`, all = [[`What is ${name}?`, info]];
  if (!hands()) return all;
  all.push([`Kill ${name}`, kill]);
  if (crew && isJob() && crew.ranks[n]) {
    if (crew.ranks[n].node) all.push(killAll("node", n));
    if (isSharing(crew.ranks[n])) all.push(killProcess(crew.ranks[n].share));
    if (new Set(crew.ranks.map(rank => rank.host)).size > 1) all.push(killAll("host", n));
  }
  all.push([`Kill a tenth of all ${scene.dot}s`, () => order("region 0 0 1 1 10")]);
  return all;
}
/* Kills each rank that is where rank n is. */
function killAll(place, n) {
  const home = crew.ranks[n][place], list = [...crew.ranks.keys()].filter(m => crew.ranks[m][place] === home);
  return [`Kill ${list.length === 1 ? "the only rank" : `all ${list.length} ranks`} of ${place} ${home}`, () => { for (const m of list) order(`kill ${m}`); }];
}
/* Kills a process that ranks share, which is more than to kill each of them. */
function killProcess(share) {
  const count = crew.ranks.filter(rank => rank.share === share).length;
  return [`Kill process ${share} with ${count === 1 ? "its only rank" : `its ${count} ranks`}`, () => order(`kill-process ${share}`)];
}
function openMenu(n, x, y) {
  if (!scene || !frame) return;
  $("node").value = n; over();
  const menu = $("menu"), stage = $("stage").getBoundingClientRect();
  menu.replaceChildren(...choices(n).map(([words, act]) => {
    const item = element("button", /^Kill/.test(words) ? "harm" : "", words);
    item.setAttribute("role", "menuitem"); item.onclick = () => { closeMenu(); act(); };
    return item;
  }));
  menu.hidden = false;
  menu.style.setProperty("left", `${Math.max(0, Math.min(x - stage.left, stage.width - menu.offsetWidth - 4))}px`);
  menu.style.setProperty("top", `${Math.max(0, Math.min(y - stage.top, stage.height - menu.offsetHeight - 4))}px`);
  menu.firstChild.focus({ preventScroll: true });
}
function closeMenu() { if (!$("menu").hidden) { $("menu").hidden = true; $("dots").focus({ preventScroll: true }); } }
/* Beside the chosen dot. */
function menuByKey() {
  if (!places) return;
  const b = picture.box(), r = $("dots").getBoundingClientRect(), n = Math.min(node(), scene.nodes - 1);
  openMenu(n, r.left + (b.left + places[2 * n] * b.side) / b.scale + 12, r.top + (b.top + (1 - places[2 * n + 1]) * b.side) / b.scale);
}
$("stage").oncontextmenu = event => {
  if (!places || onMenu(event)) return;
  event.preventDefault(); drag = null; openMenu(nearest(...where(event)), event.clientX, event.clientY);
};
$("menu").onkeydown = event => {
  const items = [...$("menu").children], at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to !== undefined) items.at(to % items.length).focus();
  else if (event.key === "Escape" || event.key === "Tab") closeMenu();
  else return;
  event.preventDefault(); event.stopPropagation();
};
addEventListener("pointerdown", event => { if (!$("menu").contains(event.target)) $("menu").hidden = true; });

/* What can be done here, in a few sentences: shown at the first visit, and by the key ?. */
function guide() {
  const dots = `Each dot is a ${scene.dot}. Point at one for its state, click it to ask about it.`, all = [dots];
  if (scene.replay) all.push("The slider below the picture goes to any moment of the recording; Go plays it.");
  else if (clocked()) all.push(`Go runs, Step makes one ${scene.unit === "ns" ? "slice of time" : scene.unit}, the slider sets the speed.`);
  if (!scene.replay) all.push("The slider below the picture goes back to what was; the run goes on meanwhile, and Live follows it again.");
  if (hands()) all.push("To see how it survives, press the right button on a dot (or m, or touch it for long) and kill it; "
    + "or drag over a region and kill a part of it.");
  if ($("view").length) all.push(`“Show”, or v, chooses what the ${scene.kinds.length ? "picture shows" : "colours show"}.`);
  if (canTurn()) all.push("“3-D” shows the machine as a body: drag to turn it.");
  if (isJob()) all.push("“Ranks” shows where each is, what its time goes into and how old its checkpoint is; "
    + "“Messages”, who sends to whom.");
  all.push("Plots: point for a value, drag to zoom. All keys are listed at the end of this panel.");
  $("guide-lines").replaceChildren(...all.map(line => element("li", "", line)));
}
const visited = {
  get() { try { return localStorage.getItem("guide"); } catch { return null; } },
  set() { try { localStorage.setItem("guide", "seen"); } catch { /* It is shown again next time. */ } },
};
function showGuide(on) { $("guide").hidden = !on; if (on) guide(); else visited.set(); }
$("guide-done").onclick = () => { showGuide(false); $("dots").focus({ preventScroll: true }); };
