"""Selenium for Python, which needs nothing but a session's WebDriver URL."""

import json
import os

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.file_detector import LocalFileDetector
from selenium.webdriver.support.ui import WebDriverWait

url, site = os.environ["WEBDRIVER_URL"], os.environ["SITE"]
outcome: dict[str, object] = {}


def connect() -> webdriver.Remote:
    return webdriver.Remote(command_executor=url, options=webdriver.ChromeOptions())


driver = connect()
driver.file_detector = LocalFileDetector()
driver.get(f"{site}/")
driver.find_element(By.ID, "press").click()
driver.find_element(By.ID, "name").send_keys("Ada")
driver.find_element(By.ID, "report").click()
driver.find_element(By.ID, "letter").send_keys(os.environ["LETTER_HERE"])
WebDriverWait(driver, 10).until(lambda found: ":" in found.find_element(By.ID, "out").text)
outcome["uploaded"] = driver.find_element(By.ID, "out").text
outcome["picture"] = driver.get_screenshot_as_png()[1:4].decode()
driver.switch_to.new_window("tab")
driver.get(f"{site}/second")
outcome["second"] = driver.title
driver.quit()

driver = connect()
tabs = 0
for handle in driver.window_handles:
    driver.switch_to.window(handle)
    tabs += driver.current_url.startswith(site)
    if driver.current_url == f"{site}/":
        outcome["pressed"] = driver.find_element(By.ID, "press").text
        outcome["filled"] = driver.find_element(By.ID, "name").get_attribute("value")
outcome["tabs"] = tabs
driver.quit()
print(json.dumps(outcome))
