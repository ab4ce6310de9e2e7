import type { Guide, GuideLibrary } from './guide-library.ts';
import { type Html, html } from './html.ts';
import type { Section } from './markdown.ts';
import { layout } from './page-layout.ts';

/** A guide with its place in the navigation. */
export async function guidePage(library: GuideLibrary, guide: Guide): Promise<string> {
  const { title, content, sections } = await library.render(guide);
  const whole = html`<div class="guide">
      ${onThisPage(sections)}
      <article>
        ${content}
        ${guide.url === '/docs/decisions' && decisions(library)}
      </article>
      ${previousAndNext(library, guide)}
    </div>`;
  return layout({ title, url: guide.url, groups: library.groups, content: whole });
}

function onThisPage(sections: readonly Section[]): Html | false {
  const found = sections.filter(({ level }) => level === 2);
  return (
    found.length > 1 &&
    html`<nav class="on-this-page" aria-label="On this page">
        <h2>On this page</h2>
        <ul>${found.map(({ heading, anchor }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}</ul>
      </nav>`
  );
}

function decisions(library: GuideLibrary): Html {
  const found = library.guides.filter(({ file }) => /^docs\/decisions\/\d/.test(file));
  return html`<ul>${found.map(({ url, title }) => html`<li><a href="${url}">${title}</a></li>`)}</ul>`;
}

function previousAndNext({ groups }: GuideLibrary, { url }: Guide): Html | false {
  const all = groups.flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.url === url);
  const [before, after] = [all[at - 1], all[at + 1]];
  return (
    at !== -1 &&
    html`<nav class="previous-next" aria-label="Previous and next guide">
        ${before && html`<a rel="prev" href="${before.url}"><small>Previous</small>${before.title}</a>`}
        ${after && html`<a rel="next" href="${after.url}"><small>Next</small>${after.title}</a>`}
      </nav>`
  );
}

export const missingPage = (library: GuideLibrary): string =>
  layout({
    title: 'Page not found',
    url: '',
    groups: library.groups,
    content: html`<h1>Page not found</h1>
      <p>There is no page at this address. Search for it, or go to the <a href="/docs">overview</a>.</p>`,
  });
