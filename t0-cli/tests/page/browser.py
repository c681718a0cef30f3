"""Opens pages of `t0 isa --format html` in headless Chromium and uses them: hover, click, fold, search, screenshot.

Usage: browser.py PAGE.html OUT.png [--diff DIFF.html]. Needs Chromium, chromedriver and Selenium (Debian: chromium-driver, python3-selenium).
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


def browser():
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1800,1100",
                 # Whatever the page wanted from a network would fail.
                 "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def check(what, condition):
    if not condition:
        sys.exit(f"wrong: {what}")
    print(f"fine: {what}")


def css(driver, selector):
    return driver.find_elements(By.CSS_SELECTOR, selector)


def opened(driver, path):
    start = time.time()
    driver.get(Path(path).resolve().as_uri())
    rows = css(driver, "#isa .row")
    print(f"{path}: {len(rows)} rows in {time.time() - start:.2f} s")
    return rows


def errors(driver):
    return [e["message"] for e in driver.get_log("browser") if e["level"] == "SEVERE"]


def use(driver, path, picture):
    rows = opened(driver, path)
    count = driver.execute_script("return DATA.instructions.length")
    check("a row for every instruction", len(rows) == count > 0)
    check("no error in the page", errors(driver) == [])
    timed = driver.execute_script("return DATA.timed")
    check("the page has what the cycle model says", timed and len(css(driver, "#isa .stall")) == count)
    check("the card is shown", "change first" in driver.find_element(By.ID, "card").text)

    # Hover: the Rust line lights up, and the other instructions of it; and back.
    n = driver.execute_script("return DATA.instructions.findIndex(i => i.opcode && i.line && i.opcode.startsWith('v_'))")
    ActionChains(driver).scroll_to_element(rows[n]).move_to_element(rows[n].find_element(By.CSS_SELECTOR, ".text")).perform()
    check("hover over an instruction lights its Rust line", len(css(driver, "#source .row.on")) == 1)
    line = css(driver, "#source .row.on")[0]
    ActionChains(driver).scroll_to_element(line).move_to_element(line.find_element(By.CSS_SELECTOR, ".text")).perform()
    lit = len(css(driver, "#isa .row.on"))
    same = driver.execute_script("const k = key(DATA.instructions[arguments[0]]); return DATA.instructions.filter(i => key(i) === k).length", n)
    check("hover over a Rust line lights its instructions", lit == same > 0)

    # Click: help with what it does and the bits, which are the bytes.
    rows[n].click()
    check("a click pins the instruction", "pin" in rows[n].get_attribute("class"))
    text = driver.find_element(By.ID, "help").text
    check("help says what it does", "does" in text and "encoding" in text)
    check("help has the fields", len(css(driver, "#help .bits span")) > 1)
    wait = driver.execute_script("return DATA.instructions.findIndex(i => i.why && i.opcode === 's_waitcnt')")
    check("a wait has a reason", wait >= 0)
    driver.execute_script("show(arguments[0])", wait)
    check("help says why the wait is there", "why" in driver.find_element(By.ID, "help").text)

    # Jump to a branch's target.
    jump = css(driver, "#isa .jump")
    if jump:
        ActionChains(driver).scroll_to_element(jump[0]).perform()
        driver.execute_script("arguments[0].click()", jump[0])
        check("a click on a branch's target goes there", len(css(driver, "#isa .row.pin")) == 1)
        check("branches have arrows", len(css(driver, "#arrows path")) > 0)

    # Fold the first loop and unfold it.
    folds = [f for f in css(driver, "#isa .fold") if f.text]
    if folds:
        ActionChains(driver).scroll_to_element(folds[0]).perform()
        driver.execute_script("arguments[0].click()", folds[0])
        folded = len(css(driver, "#isa .row.folded"))
        check("a loop folds", folded > 0 and not css(driver, "#isa .row.folded")[0].is_displayed())
        driver.execute_script("arguments[0].click()", folds[0])
        check("and unfolds", len(css(driver, "#isa .row.folded")) == 0)

    search = driver.find_element(By.ID, "search")
    search.send_keys("s_waitcnt")
    found = driver.execute_script("return DATA.instructions.filter(i => i.text.includes('s_waitcnt')).length")
    check("search finds every instruction", len(css(driver, "#isa .row.found")) == found > 0)
    search.send_keys(Keys.ENTER)
    check("Enter goes to the first", len(css(driver, "#isa .row.pin.found")) == 1)
    driver.find_element(By.ID, "hottest").click()
    check("no error after all that", errors(driver) == [])
    driver.save_screenshot(picture)
    check("a picture was taken", Path(picture).stat().st_size > 20000)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("page")
    args.add_argument("picture")
    args.add_argument("--diff")
    args = args.parse_args()
    driver = browser()
    try:
        use(driver, args.page, args.picture)
        if args.diff:
            rows = opened(driver, args.diff)
            marks = [len(css(driver, f"#isa .row.{m}")) for m in ("add", "del")]
            check("the difference is marked", all(marks) and sum(marks) < len(rows))
            check("no error in the page", errors(driver) == [])
    finally:
        driver.quit()


main()
