"use strict";
// Draws what the page carries: the JSON document of `page.rs` in the element `data`, one kernel at a time.
//
// Rows have one height, so where a row stands is known without a layout; whole chunks of rows that are off the screen are
// skipped by the browser (`content-visibility`); arrows and marks are drawn for what is on the screen. That is what
// keeps thousands of instructions quick.
const DATA = JSON.parse(document.getElementById("data").textContent);
const ROW = 19, CHUNK = 64;
const $ = id => document.getElementById(id);
const svg = (tag, attributes) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
};
const el = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const html = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const hex = n => n.toString(16).padStart(6, "0");
const key = i => i.line === undefined ? null : i.file + ":" + i.line;
// Cycles all waves waited at it together.
const waited = i => (i.stall || 0) * (i.issued || 0);

// The kernel that is shown, and what follows from it.
let kernel, isa = [], rows = [], byOffset, byKey, sourceRows, labels, blockOf, comesFrom;
let folds, hiddenBy, place, visible = 0, spans = [], peaks = [], hot = [];
let pinned = null, lit = [], hits = [], hit = -1;

const COLUMNS = [["nth", "number", false], ["off", "offset", true], ["bytes", "encoding", false], ["label", "label", true],
  ["cycle", "first cycle", true], ["stall", "wait", true], ["v", "live VGPRs", true], ["s", "live SGPRs", true],
  ["group", "group", true], ["line", "line", false], ["arrows", "arrows", true]];

// --- The instructions -------------------------------------------------------------------------------------------

// The text with its opcode, registers and constants marked.
function marked(i) {
  const at = i.text.indexOf(" "), op = at < 0 ? i.text : i.text.slice(0, at), rest = at < 0 ? "" : i.text.slice(at);
  const token = /(\b(?:[vs]\[\d+:\d+\]|[vs]\d+|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|m0|null|scc)\b|[vs]\[\d+:\d+\])|(\b0x[0-9a-f]+\b|\b\d+(?:\.\d+)?\b)/g;
  return `<b class="op">${html(op)}</b>` + html(rest).replace(token, (t, r) => r ? `<span class="r">${t}</span>` : `<span class="c">${t}</span>`);
}

function pressureTitle(i) {
  if (i.error) return "no instruction: " + i.error;
  const n = kernel.next_wave, v = i.live_vgpr;
  let t = `${v} of ${kernel.vgprs} VGPRs are live`;
  if (n && v > n.vgprs) t += `\nfree ${v - n.vgprs} here for ${n.from} \u2192 ${n.waves} waves (\u2264 ${n.vgprs})`;
  else if (n) t += `\nno obstacle to ${n.waves} waves (\u2264 ${n.vgprs})`;
  return t;
}

function rowHtml(i, n, most) {
  const cls = ["row", "g-" + (i.group || "control")], out = [];
  if (i.change) cls.push(i.change);
  const b = blockOf[n], lead = b !== undefined && kernel.blocks[b].first === n;
  if (lead && n > 0) cls.push("lead");
  if (most.hot.has(n)) cls.push("hot");
  const span = (c, inner, title) => out.push(`<span class="${c}"${title ? ` title="${html(title)}"` : ""}>${inner}</span>`);
  span("arrows", "");
  const loop = folds.loops.get(n), block = lead && kernel.blocks[b].last > n;
  span("fold", loop ? "\u25be" : "", loop && `loop of ${loop.rows.length} instructions`);
  span("bfold", block ? "\u25be" : "", block && `block of ${kernel.blocks[b].last - n + 1} instructions`);
  span("nth", n);
  span("off", hex(i.offset));
  span("bytes", i.bytes);
  span("label", labels.get(n) || "");
  if (kernel.timed) {
    span("num cycle", i.cycle === undefined ? "" : i.cycle);
    const title = (i.stalls || []).map(s => s.why + ": " + s.cycles + " cycles a wave").join("\n");
    span("stall", `<i style="width:${100 * (i.stall || 0) / Math.max(1, most.stall)}%"></i><b>${i.stall || ""}</b>`, title);
  }
  const over = kernel.next_wave && i.live_vgpr > kernel.next_wave.vgprs, peak = !i.error && i.live_vgpr === most.v && most.v > 0;
  const band = Math.min(7, i.live_vgpr >> 5);
  span("v" + (over ? " over" : "") + (peak ? " peak" : ""),
    i.error ? "<b>N/A</b>" : `<i class="b${band}" style="width:${100 * i.live_vgpr / 256}%"></i><b>${i.live_vgpr}${peak ? "\u25b2" : over ? "\u25c6" : ""}</b>`, pressureTitle(i));
  span("s", i.error ? "<b>N/A</b>" : `<i style="width:${100 * i.live_sgpr / 106}%"></i><b>${i.live_sgpr}</b>`, i.live_sgpr + " SGPRs are live");
  span("group", i.group || "");
  span("line", i.line === undefined ? "" : html(i.file.split("/").pop() + ":" + i.line));
  const to = byOffset.get(i.target);
  const jump = i.target === undefined ? "" : ` <span class="jump">\u2192 ${labels.get(to) || hex(i.target)}</span>`;
  span("text", marked(i) + jump);
  return `<div class="${cls.join(" ")}" data-n="${n}" id="o${i.change === "del" ? "d" : ""}${i.offset.toString(16)}">${out.join("")}</div>`;
}

// What is looked up again and again.
function index() {
  isa = kernel.instructions;
  byOffset = new Map();
  byKey = new Map();
  labels = new Map();
  comesFrom = new Map();
  isa.forEach((i, n) => {
    if (i.change !== "del") byOffset.set(i.offset, n);
    const k = key(i);
    if (k === null) return;
    if (!byKey.has(k)) byKey.set(k, []);
    byKey.get(k).push(n);
  });
  isa.forEach((i, n) => {
    const to = byOffset.get(i.target);
    if (to === undefined) return;
    if (!comesFrom.has(to)) comesFrom.set(to, []);
    comesFrom.get(to).push(n);
  });
  // Labels in the order of their places, as `llvm-objdump --symbolize-operands` has them.
  [...comesFrom.keys()].sort((a, b) => a - b).forEach((n, k) => labels.set(n, "L" + k));
  blockOf = [];
  kernel.blocks.forEach((b, k) => {
    b.first = byOffset.get(b.from);
    b.last = byOffset.get(b.to);
    for (let n = b.first; n <= b.last; n++) if (isa[n].change !== "del") blockOf[n] = k;
  });
  folds = { loops: new Map(), blocks: new Map(), folded: new Set() };
  for (const loop of kernel.loops) {
    const of = [];
    for (const [from, to] of loop.spans) for (let n = byOffset.get(from); n <= byOffset.get(to); n++) of.push(n);
    folds.loops.set(byOffset.get(loop.from), { rows: of, depth: loop.depth });
  }
  hiddenBy = new Uint16Array(isa.length);
}

// What the columns are, above them.
function drawHeads() {
  const row = el("div", "row");
  const head = (cls, text, title) => {
    const e = el("span", cls, text);
    e.title = title;
    row.append(e);
  };
  head("arrows", "", "");
  head("fold", "", "");
  head("bfold", "", "");
  head("nth", "#", "number of the instruction");
  head("off", "offset", "bytes from the kernel's first instruction, in hexadecimal digits");
  head("bytes", "encoding", "");
  head("label", "", "");
  if (kernel.timed) {
    head("num cycle", "cycle", "when the first wave issued it first, in cycles from its launch");
    head("stall", "wait", "cycles a wave waits at it each time; the bar compares it with the longest");
  }
  head("v", "VGPRs", "live VGPRs; \u25b2 where most are, \u25c6 where they keep one more wave away; the bar is a share of 256");
  head("s", "SGPRs", "live SGPRs; the bar is a share of 106");
  head("group", "unit", "");
  head("line", "line", "");
  head("text", "instruction", "");
  $("heads").replaceChildren(row);
}

function drawInstructions() {
  const max = f => isa.reduce((m, i) => Math.max(m, f(i) || 0), 0);
  const most = { stall: max(i => i.stall), waited: max(waited), v: max(i => i.live_vgpr) };
  peaks = isa.flatMap((i, n) => most.v > 0 && i.live_vgpr === most.v && i.change !== "del" ? [n] : []);
  hot = kernel.timed ? isa.flatMap((i, n) => i.stall > 0 && waited(i) >= most.waited / 2 ? [n] : []) : [];
  most.hot = new Set(hot);
  const parts = [];
  for (let c = 0; c < isa.length; c += CHUNK) {
    parts.push(`<div class="chunk">`);
    for (let n = c; n < Math.min(isa.length, c + CHUNK); n++) parts.push(rowHtml(isa[n], n, most));
    parts.push("</div>");
  }
  const list = $("isa");
  list.innerHTML = `<div id="arrows"></div>` + parts.join("");
  rows = [...list.querySelectorAll(".row")];
  settle();
}

// Where every row stands, after a fold.
function settle() {
  place = new Int32Array(isa.length);
  visible = 0;
  for (let n = 0; n < isa.length; n++) {
    place[n] = visible * ROW;
    if (hiddenBy[n] === 0) visible++;
  }
  const chunks = [...$("isa").getElementsByClassName("chunk")];
  let at = 0;
  chunks.forEach((chunk, c) => {
    let shown = 0;
    for (let n = c * CHUNK; n < Math.min(isa.length, (c + 1) * CHUNK); n++) shown += hiddenBy[n] === 0;
    // Browsers remember how high a chunk was when they last drew it, which a fold has changed.
    chunk.style.height = shown * ROW + "px";
    // What was on the screen while it was folded would all be laid out once more before it is found to be far away.
    const far = at > view.top + 2 * view.height || at + shown * ROW < view.top - view.height;
    chunk.style.contentVisibility = far ? "hidden" : "";
    at += shown * ROW;
  });
  // Once a picture was drawn without them, the browser knows by itself which are far away.
  const again = () => chunks.forEach(chunk => { chunk.style.contentVisibility = ""; });
  requestAnimationFrame(() => requestAnimationFrame(again));
  lanes();
  marksChanged();
}

// Branches as spans of rows, each in the innermost lane that is free along it.
function lanes() {
  spans = [];
  isa.forEach((i, n) => {
    const to = byOffset.get(i.target);
    if (to === undefined || hiddenBy[n] || hiddenBy[to]) return;
    spans.push({ n, to, top: Math.min(place[n], place[to]), bottom: Math.max(place[n], place[to]), lane: 0 });
  });
  spans.sort((x, y) => x.bottom - x.top - (y.bottom - y.top));
  const taken = Array.from({ length: 8 }, () => []);
  for (const s of spans) {
    s.lane = taken.findIndex(l => l.every(o => o.bottom < s.top || o.top > s.bottom));
    if (s.lane < 0) s.lane = 7;
    taken[s.lane].push(s);
  }
}

let waiting = false, stale = true;
function soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    arrows();
    if (stale) marks();
    stale = false;
  });
}

function marksChanged() {
  stale = true;
  soon();
}

// What is on the screen, as of the last picture: asking the browser after a change would make it lay out everything.
const view = { top: 0, height: 1000 };

function arrows() {
  const pane = $("isa"), top = pane.scrollTop, height = pane.clientHeight;
  view.top = top;
  view.height = height;
  const canvas = svg("svg", { width: 70, height });
  for (const s of spans) {
    if (s.bottom < top - ROW || s.top > top + height) continue;
    const x = 62 - 7 * s.lane, mid = ROW / 2 - top;
    // Ends far outside of the picture are cut, as browsers stumble over them.
    const cut = y => Math.max(-100, Math.min(height + 100, y + mid));
    const path = svg("path", { d: `M68 ${cut(place[s.n])} H${x} V${cut(place[s.to])} H68 m-4 -3 l4 3 l-4 3` });
    if (s.n === lit.at || s.to === lit.at || s.n === pinned || s.to === pinned) path.classList.add("on");
    canvas.append(path);
  }
  $("arrows").replaceChildren(canvas);
}

// What was found, where the pressure peaks and where waves wait, over the whole height.
function marks() {
  const canvas = $("marks"), height = canvas.clientHeight;
  canvas.width = 12;
  canvas.height = height;
  const c = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const put = (ns, x, w, name) => {
    c.fillStyle = style.getPropertyValue(name);
    ns.forEach(n => c.fillRect(x, place[n] / (visible * ROW) * height, w, 2));
  };
  put(peaks, 0, 4, "--peak");
  put(hot, 4, 4, "--bar");
  put(hits, 8, 4, "--v");
}

// Folds or unfolds the rows after the first of a loop or a block.
function fold(n, kind, wanted) {
  const all = kind === "loop" ? folds.loops.get(n) && folds.loops.get(n).rows
    : kernel.blocks[blockOf[n]] && Array.from({ length: kernel.blocks[blockOf[n]].last - n + 1 }, (_, k) => n + k);
  if (!all) return;
  const name = kind + n, now = folds.folded.has(name);
  if (wanted === now) return;
  if (now) folds.folded.delete(name); else folds.folded.add(name);
  for (const m of all) {
    if (m === n) continue;
    hiddenBy[m] += now ? -1 : 1;
    rows[m].classList.toggle("folded", hiddenBy[m] > 0);
  }
  rows[n].querySelector(kind === "loop" ? ".fold" : ".bfold").textContent = now ? "\u25be" : "\u25b8";
}

function reveal(n) {
  if (hiddenBy[n] === 0) return;
  for (const name of [...folds.folded]) {
    const kind = name.startsWith("loop") ? "loop" : "block", m = +name.slice(kind.length);
    const inside = kind === "loop" ? folds.loops.get(m).rows.includes(n) : blockOf[m] === blockOf[n];
    if (inside) fold(m, kind, false);
  }
  settle();
}

// --- The source -------------------------------------------------------------------------------------------------

function drawSource() {
  const pane = $("source");
  pane.replaceChildren();
  sourceRows = new Map();
  for (const file of kernel.sources) {
    pane.append(el("div", "file", file.name));
    if (file.remark) pane.append(el("div", "remark", file.remark + ": text left out, line numbers are those of the build"));
    for (const line of file.lines) {
      const row = el("div", "row"), k = file.name + ":" + line.number;
      row.dataset.key = k;
      row.append(el("span", "no", String(line.number)));
      if (kernel.timed) row.append(el("span", "num", line.stall || ""));
      row.append(el("span", "text", line.text));
      sourceRows.set(k, row);
      pane.append(row);
    }
  }
}

function light(k, n) {
  lit.forEach(r => r.classList.remove("on"));
  lit = [];
  lit.at = n;
  if (k !== null) {
    lit = (byKey.get(k) || []).map(m => rows[m]);
    lit.at = n;
    if (sourceRows.has(k)) lit.push(sourceRows.get(k));
    lit.forEach(r => r.classList.add("on"));
  }
  soon();
}

// --- Going somewhere --------------------------------------------------------------------------------------------

// Shows and pins an instruction without a trace in the history.
function show(n) {
  if (n === undefined || n < 0 || n >= isa.length) return;
  reveal(n);
  const pane = $("isa");
  if (place[n] < pane.scrollTop + 2 * ROW || place[n] > pane.scrollTop + pane.clientHeight - 3 * ROW) {
    pane.scrollTop = place[n] - pane.clientHeight / 2;
  }
  choose(n);
}

const hashOf = n => "#k=" + DATA.kernels.indexOf(kernel) + "&o=" + isa[n].offset.toString(16);
// Goes to an instruction; the browser's own back and forward lead from jump to jump.
function go(n) {
  if (n === undefined) return;
  if (pinned !== null && location.hash !== hashOf(pinned)) history.replaceState(null, "", hashOf(pinned));
  if (location.hash !== hashOf(n)) history.pushState(null, "", hashOf(n));
  show(n);
}

function follow() {
  const words = new URLSearchParams(location.hash.slice(1));
  const wanted = DATA.kernels[+words.get("k")] || DATA.kernels[0];
  if (wanted !== kernel) open(wanted);
  const n = words.has("o") ? byOffset.get(parseInt(words.get("o"), 16)) : undefined;
  if (n !== undefined) show(n);
}

// `1a4` or `0x1a4`: an offset; `L3`: a label; `#120`: a number; `matrix.rs:14` or `:14`: a line.
function find(text) {
  const t = text.trim();
  if (/^L\d+$/i.test(t)) return [...labels].filter(l => l[1] === t.toUpperCase()).map(l => l[0])[0];
  if (/^#\d+$/.test(t)) return +t.slice(1) < isa.length ? +t.slice(1) : undefined;
  const line = /^(.*):(\d+)$/.exec(t);
  if (line) return isa.findIndex(i => i.line === +line[2] && (i.file || "").endsWith(line[1]));
  if (!/^(0x)?[0-9a-f]+$/i.test(t)) return undefined;
  const offset = parseInt(t, 16), at = isa.findIndex(i => i.change !== "del" && i.offset + i.bytes.length / 2 > offset);
  return at;
}

function choose(n) {
  if (pinned !== null && rows[pinned]) rows[pinned].classList.remove("pin");
  pinned = n;
  rows[n].classList.add("pin");
  const source = sourceRows.get(key(isa[n]));
  if (source) source.scrollIntoView({ block: "nearest" });
  help(n);
  inGraph(n);
  soon();
}

function help(n) {
  const i = isa[n], pane = $("help"), h = DATA.help[i.opcode], table = el("table");
  pane.replaceChildren(el("h2", "", i.text));
  const add = (name, value) => {
    if (value === undefined || value === null || value === "") return;
    const tr = el("tr"), td = el("td");
    td.append(value instanceof Node ? value : String(value));
    tr.append(el("td", "dim", name), td);
    table.append(tr);
  };
  add("does", h && h.what);
  add("unit", h && h.unit);
  add("operands", h && h.operands);
  add("why", i.why);
  add("from", key(i));
  add("offset", "0x" + i.offset.toString(16));
  add("registers", pressureTitle(i).replace("\n", "; ") + "; " + i.live_sgpr + " SGPRs");
  const places = ns => {
    const box = el("span");
    ns.forEach(m => { const a = el("span", "jump", hex(isa[m].offset)); a.dataset.to = m; box.append(a, " "); });
    return box;
  };
  if (byOffset.has(i.target)) add("leads to", places([byOffset.get(i.target)]));
  if (comesFrom.has(n)) add("reached from", places(comesFrom.get(n)));
  if (kernel.timed) {
    add("issued", i.issued === undefined ? "" : i.issued + " times");
    (i.stalls || []).forEach(s => add("waits", s.cycles + " cycles a wave: " + s.why));
    add("bank conflicts", i.conflicts || "");
  }
  pane.append(table);
  const bits = el("div", "bits");
  (i.fields || []).forEach(([name, value, at]) => {
    const b = el("span", "", name + " " + value);
    b.title = "bits " + at;
    bits.append(b);
  });
  pane.append(el("div", "dim", "encoding " + i.bytes), bits);
}

// Registers of a token such as `v[4:7]`, as names.
function registers(token) {
  const range = /^([vs])\[(\d+):(\d+)\]$/.exec(token);
  if (!range) return [token];
  return Array.from({ length: range[3] - range[2] + 1 }, (_, k) => range[1] + (+range[2] + k));
}

let same = [];
// Marks every place a register is named, or none if it is marked already.
function markRegister(token) {
  const again = token.classList.contains("same"), wanted = new Set(registers(token.textContent));
  same.forEach(t => t.classList.remove("same"));
  same = again ? [] : [...$("isa").getElementsByClassName("r")].filter(t => registers(t.textContent).some(r => wanted.has(r)));
  same.forEach(t => t.classList.add("same"));
}

function search(text) {
  hits.forEach(n => rows[n].classList.remove("found"));
  hits = text === "" ? [] : isa.flatMap((i, n) => i.text.toLowerCase().includes(text.toLowerCase()) ? [n] : []);
  hits.forEach(n => rows[n].classList.add("found"));
  hit = -1;
  $("hits").textContent = text === "" ? "" : hits.length + " found";
  marksChanged();
}

function step(list, by) {
  if (list.length === 0) return;
  const at = pinned === null ? -1 : pinned;
  const next = by > 0 ? list.find(n => n > at) : list.filter(n => n < at).pop();
  go(next === undefined ? list[by > 0 ? 0 : list.length - 1] : next);
}

function nextHit(by) {
  if (hits.length === 0) return;
  hit = hit < 0 ? (by > 0 ? 0 : hits.length - 1) : (hit + by + hits.length) % hits.length;
  go(hits[hit]);
}

function hottest() {
  const by = kernel.timed ? waited : (i => i.live_vgpr);
  go(isa.reduce((best, i, n) => by(i) > by(isa[best]) ? n : best, 0));
}

function foldAll() {
  const wanted = ![...folds.loops.keys()].some(n => folds.folded.has("loop" + n));
  folds.loops.forEach((_, n) => fold(n, "loop", wanted));
  settle();
}
