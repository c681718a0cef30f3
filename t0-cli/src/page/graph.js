// --- Basic blocks -----------------------------------------------------------------------------------------------
// Blocks stand below what leads to them; edges that go back are drawn around the right side.

const BOX = { width: 150, height: 36, gapX: 26, gapY: 34 };
let boxes = [];

// The row of each block: one more than the longest way to it, edges back left out.
function ranks(blocks) {
  const state = new Uint8Array(blocks.length), post = [], back = new Set();
  for (let root = 0; root < blocks.length; root++) {
    const stack = state[root] ? [] : [[root, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1], [b, k] = top, next = blocks[b].next[k];
      state[b] = 1;
      top[1]++;
      if (next === undefined) { state[b] = 2; post.push(b); stack.pop(); }
      else if (state[next] === 1) back.add(b + ">" + next);
      else if (state[next] === 0) stack.push([next, 0]);
    }
  }
  const rank = new Int32Array(blocks.length);
  for (const b of post.reverse()) {
    for (const n of blocks[b].next) if (!back.has(b + ">" + n)) rank[n] = Math.max(rank[n], rank[b] + 1);
  }
  return { rank, back };
}

function drawGraph() {
  const blocks = kernel.blocks, { rank, back } = ranks(blocks), lines = [];
  blocks.forEach((_, b) => (lines[rank[b]] = lines[rank[b]] || []).push(b));
  const widest = Math.max(1, ...lines.map(l => l.length)), x = [], y = [];
  const before = blocks.map(() => []);
  blocks.forEach((block, b) => block.next.forEach(n => before[n].push(b)));
  lines.forEach((line, r) => {
    const middle = b => { const above = before[b].filter(p => rank[p] < r); return above.reduce((s, p) => s + x[p], 0) / (above.length || 1); };
    line.map(b => [r ? middle(b) : 0, b]).sort((p, q) => p[0] - q[0] || p[1] - q[1]).forEach(([, b], k) => {
      x[b] = (k + (widest - line.length) / 2) * (BOX.width + BOX.gapX) + 50;
      y[b] = r * (BOX.height + BOX.gapY) + 10;
    });
  });
  const picture = svg("svg", { width: widest * (BOX.width + BOX.gapX) + 110, height: lines.length * (BOX.height + BOX.gapY) + 20 });
  blocks.forEach((block, b) => block.next.forEach(n => picture.append(edge(b, n, x, y, back.has(b + ">" + n)))));
  boxes = blocks.map((block, b) => box(block, b, x[b], y[b]));
  picture.append(...boxes);
  $("graph").replaceChildren(picture);
  if (pinned !== null) inGraph(pinned);
}

function edge(b, n, x, y, back) {
  const w = BOX.width, h = BOX.height, bend = Math.min(50, 14 + Math.abs(y[b] - y[n]) / 12);
  let d;
  if (back) {
    const side = Math.max(x[b], x[n]) + w + bend, up = b === n ? 10 : 0;
    d = `M${x[b] + w} ${y[b] + h / 2 + up} C${side} ${y[b] + h / 2 + up} ${side} ${y[n] + h / 2 - up} ${x[n] + w} ${y[n] + h / 2 - up}`;
  } else if (y[n] - y[b] > BOX.height + BOX.gapY && Math.abs(x[n] - x[b]) < w) {
    // Past the boxes between.
    const side = Math.min(x[b], x[n]) - bend;
    d = `M${x[b]} ${y[b] + h / 2} C${side} ${y[b] + h / 2} ${side} ${y[n] + h / 2} ${x[n]} ${y[n] + h / 2}`;
  } else {
    const x0 = x[b] + w / 2, x1 = x[n] + w / 2;
    d = `M${x0} ${y[b] + h} C${x0} ${y[b] + h + 22} ${x1} ${y[n] - 22} ${x1} ${y[n]}`;
  }
  const path = svg("path", { d, class: back ? "back" : n === b + 1 ? "" : "taken" });
  path.dataset.edge = b + ">" + n;
  return path;
}

function box(block, b, x, y) {
  const g = svg("g", { class: "d" + Math.min(2, block.depth), "data-block": b });
  const of = isa.slice(block.first, block.last + 1).filter(i => i.change !== "del"), kinds = {};
  of.forEach(i => { if (i.group) kinds[i.group] = (kinds[i.group] || 0) + 1; });
  const most = Object.entries(kinds).sort((p, q) => q[1] - p[1]).slice(0, 2).map(([k, n]) => n + " " + k).join(" ");
  const all = isa.reduce((s, i) => s + waited(i), 0), share = of.reduce((s, i) => s + waited(i), 0) / (all || 1);
  const text = (at, words) => { const t = svg("text", { x: x + 6, y: y + at }); t.textContent = words; return t; };
  const name = labels.get(block.first);
  g.append(svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 4 }),
    text(14, (name ? name + " " : "") + hex(block.from) + ": " + of.length),
    text(28, most + (kernel.timed && share >= 0.005 ? " " + (100 * share).toFixed(0) + "% wait" : "")));
  const title = svg("title", {});
  title.textContent = `${of.length} instructions, in ${block.depth} loops`;
  g.append(title);
  return g;
}

// Marks the block of an instruction.
function inGraph(n) {
  if ($("graph").hidden) return;
  document.querySelectorAll("#graph .in, #graph .on").forEach(e => e.classList.remove("in", "on"));
  const b = blockOf[n];
  if (b === undefined || !boxes[b]) return;
  boxes[b].classList.add("in");
  document.querySelectorAll("#graph path").forEach(p => { if (p.dataset.edge.split(">").includes(String(b))) p.classList.add("on"); });
  boxes[b].scrollIntoView({ block: "nearest", inline: "nearest" });
}

function toggle(button, pane, wanted) {
  const shown = wanted === undefined ? $(pane).hidden : wanted;
  $(pane).hidden = !shown;
  $(button).setAttribute("aria-pressed", String(shown));
  if (pane === "graph" && shown) drawGraph();
  marksChanged();
}
