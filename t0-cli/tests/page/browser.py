"""Opens pages of `t0 isa --format html` in headless Chromium and uses them as a reader would, with mouse and keyboard.

Usage: browser.py PAGE.html OUT.png [--diff DIFF.html] [--large LARGE.html]. Needs Chromium, chromedriver and Selenium
(Debian: chromium-driver, python3-selenium). PAGE is of a kernel with a launch, a loop and its source; LARGE of two kernels,
the first with 5,000 instructions or more, for which limits of time hold.
"""
import argparse
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Milliseconds until the browser has drawn what follows from an action, on a busy machine with two cores and no graphics card.
LIMITS = {"load": 6000, "hover": 150, "fold": 400, "unfold": 400, "fold all": 800, "search": 400, "jump": 300, "scroll": 200,
          "graph": 2500, "other kernel": 4000}


def browser():
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1800,1100",
                 # Whatever the page wanted from a network would fail.
                 "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(30)
    return driver


def check(what, condition):
    if not condition:
        sys.exit(f"wrong: {what}")
    print(f"fine: {what}")


def css(driver, selector):
    return driver.find_elements(By.CSS_SELECTOR, selector)


def js(driver, text, *args):
    return driver.execute_script(text, *args)


def opened(driver, path):
    start = time.time()
    # A page of its own each time: the same file with another hash would not be loaded again.
    driver.get("about:blank")
    driver.get(Path(path).resolve().as_uri())
    rows = css(driver, "#isa .row")
    print(f"{path}: {len(rows)} rows in {time.time() - start:.2f} s")
    return rows


def errors(driver):
    return [e["message"] for e in driver.get_log("browser") if e["level"] == "SEVERE"]


def press(driver, *keys):
    ActionChains(driver).send_keys(*keys).perform()


def offset(driver):
    """Offset of the instruction that is pinned."""
    return js(driver, "return pinned === null ? null : isa[pinned].offset")


def use(driver, path, picture):
    rows = opened(driver, path)
    count = js(driver, "return isa.length")
    check("a row for every instruction", len(rows) == count > 0)
    check("no error in the page", errors(driver) == [])
    timed = js(driver, "return kernel.timed")
    check("the page has what the cycle model says", timed and len(css(driver, "#isa .stall")) == count)
    heads = [e.text for e in css(driver, "#heads .row > span") if e.text]
    check("the columns have names", heads == ["offset", "cycle", "wait", "VGPRs", "SGPRs", "unit", "instruction"])
    check("the card is shown", "change first" in driver.find_element(By.ID, "card").text)

    # Hover: the Rust line lights up, and the other instructions of it; and back.
    n = js(driver, "return isa.findIndex(i => i.opcode && i.line && i.opcode.startsWith('v_'))")
    ActionChains(driver).scroll_to_element(rows[n]).move_to_element(rows[n].find_element(By.CSS_SELECTOR, ".text")).perform()
    check("hover over an instruction lights its Rust line", len(css(driver, "#source .row.on")) == 1)
    line = css(driver, "#source .row.on")[0]
    ActionChains(driver).scroll_to_element(line).move_to_element(line.find_element(By.CSS_SELECTOR, ".text")).perform()
    lit = len(css(driver, "#isa .row.on"))
    op = rows[n].find_element(By.CSS_SELECTOR, ".op")
    ActionChains(driver).scroll_to_element(rows[n]).move_to_element(op).perform()
    check("hover over an opcode says what it does", js(driver, "return DATA.help[isa[arguments[0]].opcode].what", n) in op.get_attribute("title"))
    same = js(driver, "const k = key(isa[arguments[0]]); return isa.filter(i => key(i) === k).length", n)
    check("hover over a Rust line lights its instructions", lit == same > 0)
    line.click()
    check("a click on a Rust line goes to one of them", js(driver, "return key(isa[pinned]) === key(isa[arguments[0]])", n))

    # Click: help with what it does and the bits, which are the bytes.
    ActionChains(driver).scroll_to_element(rows[n]).perform()
    rows[n].find_element(By.CSS_SELECTOR, ".op").click()
    check("a click pins the instruction", "pin" in rows[n].get_attribute("class"))
    text = driver.find_element(By.ID, "help").text
    check("help says what it does", "does" in text and "encoding" in text)
    check("help has the fields", len(css(driver, "#help .bits span")) > 1)
    wait = js(driver, "return isa.findIndex(i => i.why && i.opcode === 's_waitcnt')")
    check("a wait has a reason", wait >= 0)
    js(driver, "show(arguments[0])", wait)
    check("help says why the wait is there", "why" in driver.find_element(By.ID, "help").text)

    jumps(driver)
    folding(driver)
    pressure(driver)
    columns(driver)
    graph(driver)

    search = driver.find_element(By.ID, "search")
    press(driver, "/")
    check("a slash leads to the search", js(driver, "return document.activeElement.id") == "search")
    search.send_keys("s_waitcnt")
    found = js(driver, "return isa.filter(i => i.text.includes('s_waitcnt')).length")
    check("search finds every instruction", len(css(driver, "#isa .row.found")) == found > 0)
    search.send_keys(Keys.ENTER)
    check("Enter goes to the first", len(css(driver, "#isa .row.pin.found")) == 1)
    first = offset(driver)
    search.send_keys(Keys.ESCAPE)
    press(driver, "n")
    check("n goes to the next", offset(driver) > first and len(css(driver, "#isa .row.pin.found")) == 1)
    driver.find_element(By.ID, "hottest").click()
    hottest = js(driver, "return isa.reduce((b, i) => waited(i) > waited(b) ? i : b).offset")
    check("hottest goes where waves wait longest", offset(driver) == hottest)
    check("no error after all that", errors(driver) == [])
    driver.save_screenshot(picture)
    check("a picture was taken", Path(picture).stat().st_size > 20000)


def jumps(driver):
    """Branches, going somewhere by name, and back and forward through it."""
    branch = js(driver, "return isa.findIndex(i => i.target !== undefined)")
    check("there is a branch", branch >= 0)
    js(driver, "show(arguments[0])", branch)
    check("branches have arrows", len(css(driver, "#arrows path")) > 0)
    here, there = offset(driver), js(driver, "return isa[arguments[0]].target", branch)
    css(driver, "#isa .row.pin .jump")[0].click()
    check("a click on a branch's target goes there", offset(driver) == there)
    check("the address says where", driver.current_url.endswith(f"&o={there:x}"))
    check("help says what leads there", f"{here:06x}" in driver.find_element(By.ID, "help").text)
    goto, visited = driver.find_element(By.ID, "goto"), [here, there]
    label = js(driver, "return labels.get(byOffset.get(arguments[0]))", there)
    last = js(driver, "return isa[isa.length - 1].offset")
    line = js(driver, "return isa.find(i => i.line !== undefined)")
    for text, expected in ((f"{last:x}", last), (label, there), ("#0", 0), (f"{line['file'].split('/')[-1]}:{line['line']}", line["offset"])):
        press(driver, "g")
        goto.clear()
        goto.send_keys(text, Keys.ENTER)
        check(f"go to {text}", offset(driver) == expected)
        visited += [expected] if visited[-1] != expected else []
    press(driver, "g")
    goto.clear()
    goto.send_keys("L99999", Keys.ENTER)
    check("what is not there is said", "not here" in driver.find_element(By.ID, "hits").text and offset(driver) == line["offset"])
    goto.send_keys(Keys.ESCAPE)
    for expected in visited[-2::-1]:
        driver.back()
        check(f"back to {expected:x}", offset(driver) == expected)
    driver.forward()
    check("and forward", offset(driver) == there)
    js(driver, "show(arguments[0])", branch)
    press(driver, Keys.ENTER)
    check("Enter follows a branch", offset(driver) == there)
    press(driver, "j", Keys.ARROW_DOWN, "k")
    check("j and k go from one to the next", js(driver, "return pinned - byOffset.get(arguments[0])", there) == 1)


def folding(driver):
    """Loops and blocks."""
    n = js(driver, "return [...folds.loops.keys()][0]")
    check("there is a loop", n is not None)
    js(driver, "show(arguments[0])", n)
    mark = css(driver, "#isa .row.pin .fold")[0]
    mark.click()
    folded = css(driver, "#isa .row.folded")
    inside = js(driver, "return folds.loops.get(arguments[0]).rows.length", n)
    check("a loop folds", len(folded) == inside - 1 and not folded[0].is_displayed())
    js(driver, "show(folds.loops.get(arguments[0]).rows[1])", n)
    check("going into it unfolds it", len(css(driver, "#isa .row.folded")) == 0)
    press(driver, "f")
    check("f folds the loop around", len(css(driver, "#isa .row.folded")) > 0)
    press(driver, "F")
    check("F unfolds all", len(css(driver, "#isa .row.folded")) == 0)
    js(driver, "show(kernel.blocks[0].first)")
    css(driver, "#isa .row.pin .bfold")[0].click()
    check("a block folds", len(css(driver, "#isa .row.folded")) == js(driver, "return kernel.blocks[0].last"))
    css(driver, "#isa .row.pin .bfold")[0].click()
    check("and unfolds", len(css(driver, "#isa .row.folded")) == 0)


def pressure(driver):
    """Live registers and what the next wave needs."""
    most = js(driver, "return Math.max(...isa.map(i => i.live_vgpr))")
    press(driver, "p")
    check("p goes to a peak of registers", js(driver, "return isa[pinned].live_vgpr") == most)
    check("peaks are marked", js(driver, "return peaks.every(n => rows[n].querySelector('.v.peak'))"))
    step = js(driver, "return kernel.next_wave || null")
    if step:
        over = js(driver, "return isa.filter(i => i.live_vgpr > kernel.next_wave.vgprs).length")
        check("what keeps it from one more wave is marked", len(css(driver, "#isa .v.over")) == over)
        check("and counted", str(step["vgprs"]) in driver.find_element(By.ID, "pressure").text)
    groups = js(driver, "return new Set(isa.map(i => i.group)).size")
    check("functional groups have their own colours", groups > 4 and js(driver, """
        const colour = g => { const r = document.querySelector('#isa .g-' + g + ' .group'); return r && getComputedStyle(r).color; };
        return colour('wmma') !== colour('valu') && colour('valu') !== colour('salu') && colour('vmem') !== colour('lds')"""))
    register = js(driver, "return [...document.querySelectorAll('#isa .r')].find(t => /^v\\d+$/.test(t.textContent))")
    js(driver, "show(+arguments[0].closest('.row').dataset.n)", register)
    register.click()
    name = register.text
    check(f"a click on {name} marks its other uses", 1 < len(css(driver, "#isa .r.same"))
          and js(driver, "return [...document.querySelectorAll('#isa .r.same')].every(t => registers(t.textContent).includes(arguments[0]))", name))
    register.click()
    check("another click takes the marks away", len(css(driver, "#isa .r.same")) == 0)


def columns(driver):
    """Columns that are chosen, and kept."""
    def shown(name):
        return js(driver, "return getComputedStyle(document.querySelector('#isa .row > .' + arguments[0])).display !== 'none'", name)
    check("the encoding is hidden at first", not shown("bytes") and shown("group"))
    driver.find_element(By.CSS_SELECTOR, "#columns summary").click()
    for name in ("bytes", "group"):
        driver.find_element(By.CSS_SELECTOR, f"#columns input[data-column={name}]").click()
    check("columns are chosen", shown("bytes") and not shown("group"))
    press(driver, Keys.ESCAPE)
    driver.refresh()
    check("and kept", shown("bytes") and not shown("group"))
    js(driver, "localStorage.clear()")
    driver.refresh()


def graph(driver):
    """The basic blocks."""
    check("the graph is hidden at first", not driver.find_element(By.ID, "graph").is_displayed())
    press(driver, "b")
    boxes = css(driver, "#graph g")
    check("a box for every block", len(boxes) == js(driver, "return kernel.blocks.length") > 1)
    edges = js(driver, "return kernel.blocks.reduce((n, b) => n + b.next.length, 0)")
    check("a line for every edge", len(css(driver, "#graph path")) == edges)
    check("loops have edges that go back", len(css(driver, "#graph path.back")) == js(driver, "return kernel.loops.length"))
    overlap = js(driver, """
        const r = [...document.querySelectorAll('#graph rect')].map(e => e.getBBox());
        return r.some((a, i) => r.some((b, j) => i < j && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height))""")
    check("no box covers another", not overlap)
    last = len(boxes) - 1
    ActionChains(driver).scroll_to_element(boxes[last]).move_to_element(boxes[last]).click().perform()
    check("a click on a block goes to it", offset(driver) == js(driver, "return kernel.blocks[arguments[0]].from", last))
    check("and marks it", js(driver, "return boxes[arguments[0]].classList.contains('in')", last))
    press(driver, "[")
    check("[ goes a block back", offset(driver) == js(driver, "return kernel.blocks[arguments[0]].from", last - 1))
    press(driver, "b")
    check("b hides the graph", not driver.find_element(By.ID, "graph").is_displayed())


def took(driver, name, action):
    """Runs a line of the page's code and waits until two frames have been drawn."""
    ms = driver.execute_async_script(f"""
        const done = arguments[0], start = performance.now();
        {action};
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))""")
    check(f"{name}: {ms:.0f} ms of {LIMITS[name]}", ms <= LIMITS[name])


def large(driver, path):
    """Thousands of instructions: everything a reader does is quick."""
    rows = opened(driver, path)
    check("two kernels, the first with 5,000 instructions or more", js(driver, "return DATA.kernels.length") == 2 and len(rows) >= 5000)
    load = js(driver, "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime")
    check(f"load: {load:.0f} ms of {LIMITS['load']}", load <= LIMITS["load"])
    over = "rows[{n}].querySelector('.text').dispatchEvent(new MouseEvent('mouseover', {{ bubbles: true }}))"
    for n in (10, 20, 30):
        took(driver, "hover", over.format(n=n))
    took(driver, "scroll", "document.getElementById('isa').scrollTop = 50000")
    check("arrows are those of the rows on the screen", 0 < len(css(driver, "#arrows path")) < 200)
    took(driver, "jump", "go(isa.length - 5)")
    check("the row stands where it is taken to stand", js(driver, """
        const p = document.getElementById('isa'), r = rows[isa.length - 5];
        return Math.abs(r.getBoundingClientRect().top - p.getBoundingClientRect().top - (place[isa.length - 5] - p.scrollTop)) < 2"""))
    first = js(driver, "return [...folds.loops.keys()][0]")
    took(driver, "fold", f"fold({first}, 'loop'); settle()")
    took(driver, "unfold", f"fold({first}, 'loop'); settle()")
    took(driver, "fold all", "foldAll()")
    hidden = js(driver, "return hiddenBy.filter(h => h > 0).length")
    check("the loops are folded", hidden > 3000 and len(css(driver, "#isa .row.folded")) == hidden)
    check("the height follows", js(driver, "return Math.abs(document.getElementById('isa').scrollHeight - visible * ROW) < 2 * ROW"))
    took(driver, "fold all", "foldAll()")
    took(driver, "search", "search('v_fma')")
    check("search finds them", len(css(driver, "#isa .row.found")) == js(driver, "return isa.filter(i => i.text.includes('v_fma')).length") > 500)
    took(driver, "graph", "toggle('showgraph', 'graph')")
    check("a box for every block", len(css(driver, "#graph g")) == js(driver, "return kernel.blocks.length") > 200)
    depth = js(driver, "return Math.max(...kernel.loops.map(l => l.depth))")
    check("rare code behind the end makes no loop deeper than two", depth == 1)
    took(driver, "graph", "toggle('showgraph', 'graph')")
    took(driver, "other kernel", "const k = document.getElementById('kernel'); k.selectedIndex = 1; k.onchange({ target: k })")
    check("the other kernel is shown", js(driver, "return kernel.kernel") == "small" and len(css(driver, "#isa .row")) == 3)
    driver.back()
    check("back leads to the first kernel", js(driver, "return kernel.kernel") == "large")
    check("no error in the page", errors(driver) == [])


def main():
    args = argparse.ArgumentParser()
    args.add_argument("page")
    args.add_argument("picture")
    args.add_argument("--diff")
    args.add_argument("--large")
    args = args.parse_args()
    driver = browser()
    try:
        use(driver, args.page, args.picture)
        if args.diff:
            rows = opened(driver, args.diff)
            marks = [len(css(driver, f"#isa .row.{m}")) for m in ("add", "del")]
            check("the difference is marked", all(marks) and sum(marks) < len(rows))
            against = driver.find_element(By.ID, "against").text
            check("the page names the build before", "<64,64,32>" in against)
            before = driver.find_element(By.ID, "before").text
            check("the card of the build before is there", "<64,64,32>" in before and "modelled:" in before)
            check("offsets lead to what is there now", js(driver, "return [...byOffset.values()].every(n => isa[n].change !== 'del')"))
            check("no error in the page", errors(driver) == [])
        if args.large:
            start = time.time()
            large(driver, args.large)
            print(f"{time.time() - start:.1f} s for the large page")
    finally:
        driver.quit()


main()
