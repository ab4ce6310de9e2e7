import type { GuideGroup } from './guide-library.ts';
import { type Html, html } from './html.ts';

export interface LayoutOptions {
  title: string;
  /** The page's own URL. */
  url: string;
  groups: readonly GuideGroup[];
  content: Html;
  /** The page's own entries, below its entry in the navigation. */
  entries?: Html;
}

/** Entries that are no guides. */
const ownPages = [
  { url: '/docs', title: 'Overview' },
  { url: '/docs/try', title: 'Try it' },
  { url: '/docs/reference', title: 'API reference' },
];

/**
 * Puts a page into the frame that all have: search, navigation, values for samples. Everything but these works without
 * scripts. What needs one is hidden until it runs (page/main.ts).
 */
export function layout({ title, url, groups, content, entries }: LayoutOptions): string {
  const link = (entry: { url: string; title: string }) => html`<li>
    <a href="${entry.url}"${entry.url === url && html` aria-current="page"`}>${entry.title}</a>
    ${entry.url === url && entries}
  </li>`;
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Turnpike</title>
    <link rel="icon" href="/favicon.svg" />
    <link rel="stylesheet" href="/docs/style.css" />
    <script src="/docs/page/theme.ts"></script>
    <script type="module" src="/docs/page/main.ts"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="top">
      <button type="button" class="menu" popovertarget="contents" aria-label="Menu">☰</button>
      <a class="brand" href="/docs">Turnpike</a>
      <div class="search" role="search" hidden>
        <input type="search" id="search" aria-label="Search" placeholder="Search guides and API" autocomplete="off" />
        <div id="found" class="found panel" hidden><p role="status"></p><ol></ol></div>
      </div>
      <a class="button primary" href="/docs/try">Try it</a>
      <button type="button" id="use-my-key" popovertarget="values" hidden>Use my key</button>
      <button type="button" id="theme" aria-label="Dark mode" aria-pressed="false" hidden>◐</button>
    </header>
    <nav id="contents" class="contents" popover aria-label="Guides">
      <ul>${ownPages.map(link)}<li><a href="/">Dashboard</a></li></ul>
      ${groups.map((group) => html`<h2>${group.title}</h2><ul>${group.entries.map(link)}</ul>`)}
    </nav>
    <main id="content" tabindex="-1">
${content}
    </main>
    ${valuesForm}
  </body>
</html>
`;
  return page.text;
}

/** See page/values.ts. */
const valuesForm = html`<div id="values" class="values panel" popover role="dialog" aria-labelledby="values-title">
      <form>
        <h2 id="values-title">Use my key in samples</h2>
        <p>
          Samples then have your values when you copy them. The values stay in this tab until you close it. They are
          sent to this service only.
        </p>
        <p>Address of the service: <code id="own-address"></code></p>
        <label for="api-key">API key</label>
        <input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="tp_live_…" aria-describedby="api-key-help" />
        <p class="hint" id="api-key-help">
          The service stores only a hash of your key, so it cannot fill it in for you. If you lost the key, rotate it in
          <a href="/keys">Keys</a>.
        </p>
        <label for="own-proxy">Proxy</label>
        <input id="own-proxy" type="password" autocomplete="off" spellcheck="false" placeholder="http://user:password@proxy.example:3128" />
        <p class="actions"><button type="button" data-fill="own-proxy" hidden>Fill in my Turnpike proxy</button></p>
        <p class="problem" role="alert"></p>
        <p class="actions">
          <button type="submit" class="primary">Use them</button>
          <button type="button" id="forget">Forget them</button>
          <button type="button" popovertarget="values" popovertargetaction="hide">Close</button>
        </p>
      </form>
    </div>`;
