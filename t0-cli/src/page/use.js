// --- Using the page ---------------------------------------------------------------------------------------------

// Columns that are hidden, kept by the browser where it lets a file keep something.
function columns() {
  const list = $("columns").querySelector("div");
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem("t0-columns")) || {}; } catch { /* nothing is kept, then */ }
  const style = el("style");
  document.head.append(style);
  const apply = () => {
    const hidden = COLUMNS.filter(([name, , shown]) => !(name in kept ? kept[name] : shown)).map(([name]) => "#pane .row > ." + name);
    style.textContent = (hidden.length ? hidden.join(", ") + " { display:none; }" : "")
      + (hidden.includes("#pane .row > .arrows") ? " #arrows { display:none; }" : "");
  };
  for (const [name, words, shown] of COLUMNS) {
    const label = el("label"), box = el("input");
    box.type = "checkbox";
    box.dataset.column = name;
    box.checked = name in kept ? kept[name] : shown;
    box.onchange = () => {
      kept[name] = box.checked;
      try { localStorage.setItem("t0-columns", JSON.stringify(kept)); } catch { /* as above */ }
      apply();
    };
    label.append(box, " " + words);
    list.append(label);
  }
  apply();
}

const KEYS = [["j, \u2193 / k, \u2191", "next, previous instruction"], ["Enter", "to where the branch leads"], ["Alt+\u2190 / Alt+\u2192", "back and forward through the jumps"],
  ["/", "search; Enter and Shift+Enter go on"], ["n / N", "next, previous found"], ["g", "go to an offset, label, number or line"],
  ["p, F4 / P", "next, previous peak of VGPRs"], ["s", "where waves wait longest"], ["f / F", "fold this loop / all loops"],
  ["[ / ]", "previous, next block"], ["b", "graph of the blocks"], ["r", "source"], ["c", "copy the instruction"], ["Esc", "leave a field"]];

function move(by) {
  let n = pinned === null ? (by > 0 ? -1 : isa.length) : pinned;
  do n += by; while (n >= 0 && n < isa.length && hiddenBy[n] > 0);
  if (n >= 0 && n < isa.length) show(n);
}

function foldHere() {
  if (pinned === null) return;
  // The innermost loop around it.
  const around = [...folds.loops].filter(([, l]) => l.rows.includes(pinned)).sort((a, b) => a[1].depth - b[1].depth).pop();
  if (!around) return;
  fold(around[0], "loop");
  settle();
  show(around[0]);
}

function press(e) {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName);
  if (e.key === "Escape") { document.activeElement.blur(); document.querySelectorAll("details[open]").forEach(d => { d.open = false; }); return; }
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  const leads = kernel.blocks.map(b => b.first);
  const actions = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    Enter: () => { if (pinned !== null) go(byOffset.get(isa[pinned].target)); },
    "/": () => $("search").select(), g: () => $("goto").select(), n: () => nextHit(1), N: () => nextHit(-1),
    p: () => step(peaks, 1), F4: () => step(peaks, 1), P: () => step(peaks, -1), s: hottest, f: foldHere, F: foldAll,
    "[": () => step(leads, -1), "]": () => step(leads, 1), b: () => toggle("showgraph", "graph"), r: () => toggle("showsource", "source"),
    c: () => { if (pinned !== null && navigator.clipboard) navigator.clipboard.writeText(isa[pinned].text); },
  };
  if (!actions[e.key]) return;
  e.preventDefault();
  actions[e.key]();
}

function listen() {
  const pane = $("isa"), rowOf = e => e.target.closest && e.target.closest(".row");
  pane.onmouseover = e => {
    const row = rowOf(e), n = row ? +row.dataset.n : null;
    if (n !== lit.at) light(row ? key(isa[n]) : null, n);
    const h = row && e.target.classList.contains("op") && DATA.help[isa[n].opcode];
    if (h) e.target.title = `${h.what}\n${h.unit}`;
  };
  pane.onmouseleave = () => light(null, null);
  pane.onscroll = () => { $("heads").scrollLeft = pane.scrollLeft; soon(); };
  pane.onclick = e => {
    const row = rowOf(e), n = row && +row.dataset.n, is = c => e.target.classList.contains(c);
    if (!row) return;
    if (is("jump")) return go(byOffset.get(isa[n].target));
    if (is("fold") || is("bfold")) {
      if (!e.target.textContent) return;
      fold(n, is("fold") ? "loop" : "block");
      return settle();
    }
    if (is("r")) markRegister(e.target);
    choose(n);
  };
  const source = $("source");
  source.onmouseover = e => { const row = rowOf(e); light(row ? row.dataset.key : null, null); };
  source.onmouseleave = () => light(null, null);
  source.onclick = e => {
    const row = rowOf(e), of = row && byKey.get(row.dataset.key);
    if (!of) return;
    // First where waves wait longest for it, then again and again through the places the line has become.
    const cost = n => kernel.timed ? waited(isa[n]) : 0;
    if (of.includes(pinned)) step(of, 1); else go(of.reduce((best, n) => cost(n) > cost(best) ? n : best, of[0]));
  };
  $("graph").onclick = e => { const g = e.target.closest("g"); if (g) go(kernel.blocks[+g.dataset.block].first); };
  $("help").onclick = e => { if (e.target.dataset.to) go(+e.target.dataset.to); };
  $("marks").onclick = e => { pane.scrollTop = e.offsetY / $("marks").clientHeight * visible * ROW - pane.clientHeight / 2; };
  $("search").oninput = e => search(e.target.value);
  $("search").onkeydown = e => { if (e.key === "Enter") nextHit(e.shiftKey ? -1 : 1); };
  $("goto").onkeydown = e => {
    if (e.key !== "Enter") return;
    const n = find(e.target.value), ok = n !== undefined && n >= 0;
    e.target.setAttribute("aria-invalid", String(!ok));
    $("hits").textContent = ok ? "" : e.target.value + " is not here";
    if (ok) { go(n); e.target.blur(); }
  };
  $("hottest").onclick = hottest;
  $("peaks").onclick = () => step(peaks, 1);
  $("foldall").onclick = foldAll;
  $("showgraph").onclick = () => toggle("showgraph", "graph");
  $("showsource").onclick = () => toggle("showsource", "source");
  $("kernel").onchange = e => { open(DATA.kernels[e.target.selectedIndex]); go(0); };
  document.onkeydown = press;
  window.onresize = marksChanged;
  // A back or forward of the browser changes the hash with both events; the second finds nothing to do.
  window.onpopstate = follow;
  window.onhashchange = follow;
  $("keys").querySelector("div").textContent = KEYS.map(([k, what]) => k.padEnd(16) + what).join("\n");
}

// The lines of a card, each indented where it goes on.
function card(pane, text) {
  pane.replaceChildren(...text.split("\n").map(line => el("div", "", line || " ")));
}

// Shows a kernel.
function open(wanted) {
  kernel = wanted;
  pinned = null;
  lit = [];
  hits = [];
  same = [];
  $("title").textContent = document.title = kernel.title;
  $("summary").textContent = kernel.summary;
  card($("card"), kernel.card);
  const before = kernel.before || null;
  $("against").hidden = !kernel.compared;
  $("before").hidden = before === null;
  if (kernel.compared && before === null) $("against").textContent = "no kernel of this name in the build before";
  if (before !== null) {
    $("against").textContent = kernel.same ? `no difference from ${before}: the same instructions`
      : `green: this build, red: before, ${before}`;
    $("before").querySelector("h2").textContent = "Before: " + before;
    card($("before").querySelector(".card"), kernel.card_before);
  }
  $("help").replaceChildren(el("span", "dim", "Click an instruction for what it does."));
  $("kernel").selectedIndex = DATA.kernels.indexOf(kernel);
  index();
  drawSource();
  drawHeads();
  drawInstructions();
  const n = kernel.next_wave, over = n ? isa.filter(i => i.change !== "del" && i.live_vgpr > n.vgprs).length : 0;
  $("pressure").textContent = !n ? "" : over
    ? `\u25c6 ${over} instructions have more than ${n.vgprs} live VGPRs: free ${Math.max(...isa.map(i => i.live_vgpr)) - n.vgprs} at most for ${n.from} \u2192 ${n.waves} waves`
    : `never more than ${n.vgprs} VGPRs are live: only their numbers keep it from ${n.waves} waves`;
  toggle("showsource", "source", kernel.sources.length > 0);
  if (!$("graph").hidden) drawGraph();
  if ($("search").value) search($("search").value);
  $("isa").scrollTop = 0;
}

DATA.kernels.forEach(k => $("kernel").append(el("option", "", k.kernel)));
$("kernel").hidden = DATA.kernels.length < 2;
columns();
listen();
follow();
