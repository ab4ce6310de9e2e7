"""django-browserless: PDFs of a Django site's pages."""

import json
import os

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django_browserless"],
    BROWSERLESS={"API_TOKEN": os.environ["TOKEN"], "PDF_URL": os.environ["PDF_URL"]},
)
django.setup()

from django_browserless import pdf  # noqa: E402

made = pdf.from_url(os.environ["PAGE"], browserless_options={"options": {"format": "A5"}})
print(json.dumps({"pdf": made[:4].decode()}))
