"""Selenium for Python at the gateway's address, with the key in the capabilities."""

from run_scenarios import (
    becomes,
    equal,
    gateway,
    key,
    large,
    large_bytes,
    letter,
    proxy,
    run_scenarios,
    scenario,
    scratch,
    site,
)
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.wait import WebDriverWait

options = webdriver.ChromeOptions()
options.enable_bidi = True
options.enable_downloads = True
options.set_capability("turnpike:options", {"key": key, "proxy": proxy, "headless": True})
driver = webdriver.Remote(command_executor=gateway, options=options)


def text(selector: str) -> str:
    return driver.find_element(By.CSS_SELECTOR, selector).text


def click_on(selector: str) -> None:
    driver.find_element(By.CSS_SELECTOR, selector).click()


@scenario("navigate")
def navigate() -> None:
    driver.get(f"{site}/second")
    driver.get(f"{site}/")
    driver.back()
    equal(driver.title, "Second")
    driver.forward()
    driver.refresh()
    equal(driver.current_url, f"{site}/")


@scenario("find")
def find() -> None:
    equal(len(driver.find_elements(By.TAG_NAME, "button")), 3)
    equal(driver.find_element(By.XPATH, "//button[1]").text, "Press")


@scenario("click")
def click() -> None:
    click_on("#press")
    equal(text("#press"), "pressed")


@scenario("type")
def type_text() -> None:
    name = driver.find_element(By.ID, "name")
    name.send_keys("Ada")
    equal(name.get_property("value"), "Ada")


@scenario("frames")
def frames() -> None:
    driver.switch_to.frame("frame")
    click_on("#inside")
    equal(text("#inside"), "inner")
    driver.switch_to.default_content()


@scenario("windows")
def windows() -> None:
    first = driver.current_window_handle
    click_on("#second")
    WebDriverWait(driver, 10).until(expected_conditions.number_of_windows_to_be(2))
    (second,) = (handle for handle in driver.window_handles if handle != first)
    driver.switch_to.window(second)
    becomes(lambda: driver.title, "Second")
    driver.close()
    driver.switch_to.window(first)


@scenario("alerts")
def alerts() -> None:
    click_on("#ask")
    prompt = WebDriverWait(driver, 10).until(expected_conditions.alert_is_present())
    prompt.send_keys("Ada")
    prompt.accept()
    equal(text("#out"), "Ada")


@scenario("upload")
def upload() -> None:
    driver.find_element(By.ID, "letter").send_keys(letter)
    becomes(lambda: text("#out"), "letter.txt: dear all")


@scenario("upload 80 MB")
def upload_large() -> None:
    driver.find_element(By.ID, "letter").send_keys(large)
    becomes(lambda: text("#size"), str(large_bytes))


@scenario("download")
def download() -> None:
    click_on("#report")
    becomes(lambda: "report.txt" in driver.get_downloadable_files(), True)
    driver.download_file("report.txt", scratch)
    with open(f"{scratch}/report.txt") as file:
        equal(file.read(), "the report")


@scenario("screenshot")
def screenshot() -> None:
    equal(driver.get_screenshot_as_png()[1:4], b"PNG")


@scenario("PDF")
def pdf() -> None:
    equal(driver.print_page()[:5], "JVBER")  # %PDF, in base64.


@scenario("intercept")
def intercept() -> None:
    handler = driver.network.add_request_handler(
        ["**/made-up"], lambda request: request.provide_response(status=200, body="from the client")
    )
    driver.get(f"{site}/made-up")
    equal(text("body"), "from the client")
    driver.network.remove_request_handler(handler)


@scenario("log")
def log() -> None:
    lines: list[str] = []
    handler = driver.script.add_console_message_handler(lambda entry: lines.append(entry.text))
    driver.get(f"{site}/")
    click_on("#log")
    becomes(lambda: lines, ["a line"])
    driver.script.remove_console_message_handler(handler)


@scenario("cookies")
def cookies() -> None:
    driver.add_cookie({"name": "flavour", "value": "oat"})
    driver.get(f"{site}/cookies")
    equal(text("body"), "flavour=oat")
    equal([cookie["value"] for cookie in driver.get_cookies()], ["oat"])


@scenario("contexts")
def contexts() -> None:
    context = driver.browser.create_user_context()
    driver.switch_to.window(driver.browsing_context.create(type="tab", user_context=context))
    driver.get(f"{site}/cookies")
    equal(text("body"), "")
    driver.browser.remove_user_context(context)


run_scenarios()
driver.quit()
