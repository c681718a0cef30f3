"use strict";
// Draws what the page carries: `DATA` is the JSON document of `t0 isa --format json` with sources, help and loops.
const $ = id => document.getElementById(id);
const el = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const key = i => i.file === undefined || i.file === null ? null : i.file + ":" + i.line;
const isa = DATA.instructions, rows = [], sourceRows = new Map(), byOffset = new Map();
let pinned = null;
// Cycles all waves waited at it together.
const waited = i => (i.stall || 0) * (i.issued || 0);

function columns(i, most) {
  const row = el("div", "row" + (i.change ? " " + i.change : ""));
  row.append(el("span", "arrows"), el("span", "fold"), el("span", "off", i.offset.toString(16).padStart(6, "0")));
  if (DATA.timed) {
    row.append(el("span", "num", i.cycle === null || i.cycle === undefined ? "" : String(i.cycle)));
    const stall = el("span", "stall"), bar = el("i"), label = el("b", "", i.stall ? String(i.stall) : "");
    bar.style.width = 100 * (i.stall || 0) / Math.max(1, most.stall) + "%";
    stall.append(bar, label);
    stall.title = (i.stalls || []).map(s => s.why + ": " + s.cycles + " cycles a wave").join("\n");
    row.append(stall);
    if (i.stall > 0 && waited(i) >= most.waited / 2) row.classList.add("hot");
  }
  const live = el("span", "live"), v = el("i"), s = el("i"), text = el("b", "", "v" + i.live_vgpr + " s" + i.live_sgpr);
  v.style.width = 100 * i.live_vgpr / 256 + "%";
  s.style.width = 100 * i.live_sgpr / 106 + "%";
  live.append(v, s, text);
  live.title = i.live_vgpr + " VGPRs and " + i.live_sgpr + " SGPRs are live here";
  row.append(live, el("span", "text", i.text));
  if (i.target !== null && i.target !== undefined) {
    const to = el("span", "jump", " \u2192 " + i.target.toString(16).padStart(6, "0"));
    to.onclick = e => { e.stopPropagation(); show(byOffset.get(i.target)); };
    row.append(to);
  }
  return row;
}

function draw() {
  const most = { stall: Math.max(0, ...isa.map(i => i.stall || 0)), waited: Math.max(0, ...isa.map(waited)) };
  const list = $("isa");
  isa.forEach((i, n) => {
    const row = columns(i, most);
    row.id = "o" + i.offset.toString(16);
    row.onmouseenter = () => light(key(i), n);
    row.onmouseleave = () => light(null, null);
    row.onclick = () => choose(n);
    rows.push(row);
    if (!byOffset.has(i.offset)) byOffset.set(i.offset, n);
    list.append(row);
  });
  for (const file of DATA.sources) drawSource(file);
  for (const loop of DATA.loops) drawFold(loop);
  arrows();
}

function drawSource(file) {
  const pane = $("source");
  pane.append(el("div", "file", file.name));
  file.lines.forEach(line => {
    const row = el("div", "row"), k = file.name + ":" + line.number;
    row.append(el("span", "no", String(line.number)));
    if (DATA.timed) row.append(el("span", "num", line.stall ? String(line.stall) : ""));
    row.append(el("span", "text", line.text));
    row.onmouseenter = () => light(k, null);
    row.onmouseleave = () => light(null, null);
    row.onclick = () => { const n = isa.findIndex(i => key(i) === k); if (n >= 0) show(n); };
    sourceRows.set(k, row);
    pane.append(row);
  });
}

function drawFold(loop) {
  const n = byOffset.get(loop.from), last = byOffset.get(loop.to);
  if (n === undefined || last === undefined) return;
  const mark = rows[n].querySelector(".fold");
  mark.textContent = "\u25be";
  mark.title = "loop of " + (last - n + 1) + " instructions";
  mark.onclick = e => {
    e.stopPropagation();
    const fold = mark.textContent === "\u25be";
    mark.textContent = fold ? "\u25b8" : "\u25be";
    for (let k = n + 1; k <= last; k++) rows[k].classList.toggle("folded", fold);
    arrows();
  };
}

// Branches as arrows in the gutter, longer ones further left.
function arrows() {
  const svg = $("arrows");
  svg.replaceChildren();
  svg.setAttribute("width", 70);
  svg.setAttribute("height", $("isa").scrollHeight);
  const spans = [];
  isa.forEach((i, n) => {
    const to = byOffset.get(i.target);
    if (i.target === null || i.target === undefined || to === undefined) return;
    const a = rows[n], b = rows[to];
    if (a.offsetParent === null || b.offsetParent === null) return;
    spans.push({ n, to, a: a.offsetTop + a.offsetHeight / 2, b: b.offsetTop + b.offsetHeight / 2 });
  });
  spans.sort((x, y) => Math.abs(x.a - x.b) - Math.abs(y.a - y.b));
  spans.forEach((s, depth) => {
    const x = 62 - 7 * Math.min(depth, 8), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", `M68 ${s.a} H${x} V${s.b} H68 m-4 -3 l4 3 l-4 3`);
    path.dataset.from = s.n;
    path.dataset.to = s.to;
    svg.append(path);
  });
}

function light(k, n) {
  document.querySelectorAll(".row.on").forEach(r => r.classList.remove("on"));
  document.querySelectorAll("#arrows .on").forEach(p => p.classList.remove("on"));
  if (n !== null) document.querySelectorAll("#arrows path").forEach(p => {
    if (+p.dataset.from === n || +p.dataset.to === n) p.classList.add("on");
  });
  if (k === null) return;
  isa.forEach((i, m) => { if (key(i) === k) rows[m].classList.add("on"); });
  const s = sourceRows.get(k);
  if (s) s.classList.add("on");
}

function show(n) {
  if (n === undefined) return;
  rows[n].classList.remove("folded");
  rows[n].scrollIntoView({ block: "center" });
  choose(n);
}

function choose(n) {
  if (pinned !== null) rows[pinned].classList.remove("pin");
  pinned = n;
  rows[n].classList.add("pin");
  const i = isa[n], source = sourceRows.get(key(i));
  if (source) source.scrollIntoView({ block: "nearest" });
  help(i);
}

function help(i) {
  const pane = $("help");
  pane.replaceChildren(el("h2", "", i.text));
  const h = DATA.help[i.opcode];
  const table = el("table");
  const add = (name, value) => {
    if (value === undefined || value === null || value === "") return;
    const tr = el("tr");
    tr.append(el("td", "dim", name), el("td", "", String(value)));
    table.append(tr);
  };
  add("does", h && h.what);
  add("unit", h && h.unit);
  add("operands", h && h.operands);
  add("implied", h && h.implied);
  add("why", i.why);
  add("from", key(i));
  add("offset", "0x" + i.offset.toString(16));
  if (DATA.timed) {
    add("issued", i.issued === undefined ? "" : i.issued + " times");
    (i.stalls || []).forEach(s => add("waits", s.cycles + " cycles a wave: " + s.why));
    add("bank conflicts", i.conflicts || "");
  }
  pane.append(table);
  const bits = el("div", "bits");
  (i.fields || []).forEach(f => {
    const b = el("span", "", f.name + " " + f.value);
    b.title = "bits " + f.bits;
    bits.append(b);
  });
  pane.append(el("div", "dim", "encoding " + i.bytes), bits);
}

let hits = [], hit = -1;
function search(text) {
  document.querySelectorAll(".row.found").forEach(r => r.classList.remove("found"));
  hits = text === "" ? [] : isa.map((i, n) => i.text.includes(text) ? n : -1).filter(n => n >= 0);
  hits.forEach(n => rows[n].classList.add("found"));
  hit = -1;
  $("hits").textContent = text === "" ? "" : hits.length + " found";
}

$("search").oninput = e => search(e.target.value);
$("search").onkeydown = e => {
  if (e.key !== "Enter" || hits.length === 0) return;
  hit = (hit + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
  show(hits[hit]);
};
$("hottest").onclick = () => {
  const by = DATA.timed ? waited : (i => i.live_vgpr);
  show(isa.reduce((best, i, n) => by(i) > by(isa[best]) ? n : best, 0));
};
draw();
