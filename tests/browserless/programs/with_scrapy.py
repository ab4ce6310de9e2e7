"""scrapy-playwright: a spider whose browser is elsewhere."""

import json
import os

import scrapy
from scrapy.crawler import CrawlerProcess

found: dict[str, object] = {}


class Spider(scrapy.Spider):
    name = "spider"

    async def start(self):
        yield scrapy.Request(os.environ["PAGE"], meta={"playwright": True})

    def parse(self, response):
        found["heading"] = response.css("h1::text").get()
        found["made"] = response.css("#made::text").get()


handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
process = CrawlerProcess(
    settings={
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "PLAYWRIGHT_CDP_URL": os.environ["BROWSERLESS_WS"],
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
)
process.crawl(Spider)
process.start()
print(json.dumps(found))
