"""Reads one JSON object a line, {"id", "file"}, and writes one with the text that Trafilatura finds in the file."""

import json
import sys

import trafilatura

print(json.dumps({"version": trafilatura.__version__}), flush=True)
for line in sys.stdin:
    page = json.loads(line)
    with open(page["file"], "rb") as file:
        html = file.read().decode("utf-8", "replace")
    texts = []
    for comments in (True, False):
        try:
            texts.append(trafilatura.extract(html, include_comments=comments) or "")
        except Exception as error:
            print(page["id"], error, file=sys.stderr)
            texts.append("")
    print(json.dumps({"id": page["id"], "withComments": texts[0], "withoutComments": texts[1]}), flush=True)
