import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import { Html, html } from './html.ts';

for (const [name, language] of Object.entries({ bash, go, javascript, json, python, sql })) {
  highlighter.registerLanguage(name, language);
}

/**
 * Renders a block of code. The first word of `info` is its language. A script adds the copy button and the reader's
 * own values, see page/samples.ts. What a sample prints (`text output`) has neither.
 */
export function sample(code: string, info = ''): Html {
  const [language = '', mark] = info.trim().split(/\s+/);
  const text = code.replace(/\n$/, '');
  const shown = highlighter.getLanguage(language)
    ? new Html(highlighter.highlight(text, { language }).value)
    : text;
  // `tabindex`: who uses the keyboard can scroll what is wider than the page.
  if (mark === 'output') return html`<pre class="output" tabindex="0">${shown}</pre>`;
  return html`<div class="sample" data-language="${language}"><pre tabindex="0"><code>${shown}</code></pre></div>`;
}
