/* Orders are sent one at a time, each after the last answer; of a slider's waiting orders only the last one is kept. */
const waiting = [];
let asking = false;
function order(words) {
  asked = words;
  return new Promise(done => {
    const kind = words.replace(/ \S*$/, ""), last = waiting[waiting.length - 1];
    if (last && last.kind === kind && /^(border|seek|moment|speed)/.test(kind)) { last.done(false); waiting.pop(); }
    waiting.push({ kind, words, done });
    if (!asking) ask();
  });
}
async function ask() {
  asking = true;
  while (waiting.length) {
    const { words, done } = waiting.shift();
    let text;
    try {
      text = await (await fetch(base + "order", { method: "POST", body: words })).text();
      $("word").textContent = text.startsWith("ok") ? text.slice(3) : text.slice(3) || "refused";
    } catch { $("word").textContent = "The run has ended, or cannot be reached."; }
    done(!!text && text.startsWith("ok"));
  }
  asking = false;
}
