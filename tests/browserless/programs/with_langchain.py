"""LangChain's loader for Browserless. Its address is fixed in it, so requests to that host go to another one."""

import json
import os
from urllib.parse import urlsplit

import requests

gateway = os.environ["BROWSERLESS_HTTP"]
sent_by = requests.Session.send


def send_to_gateway(self, request, **options):
    fixed = urlsplit(request.url)
    base = urlsplit(gateway)
    query = "&".join(part for part in (fixed.query, base.query) if part)
    request.url = fixed._replace(scheme=base.scheme, netloc=base.netloc, query=query).geturl()
    return sent_by(self, request, **options)


requests.Session.send = send_to_gateway

from langchain_community.document_loaders import BrowserlessLoader  # noqa: E402

key, page = os.environ["TOKEN"], os.environ["PAGE"]
text = BrowserlessLoader(api_token=key, urls=[page]).load()[0].page_content
html = BrowserlessLoader(api_token=key, urls=[page], text_content=False).load()[0].page_content
print(json.dumps({"text": text, "html": html}))
