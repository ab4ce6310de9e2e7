import { type Entry, find } from './find.ts';

/** Fills the search field's list of results as the reader types. The index is loaded at the first visit of the field. */
export function startSearch(): void {
  const box = document.querySelector<HTMLElement>('.search');
  const input = document.querySelector<HTMLInputElement>('#search');
  const panel = document.querySelector<HTMLElement>('#found');
  if (!box || !input || !panel) return;
  const status = panel.querySelector('p') as HTMLElement;
  const list = panel.querySelector('ol') as HTMLElement;
  let index: Promise<Entry[]> | undefined;
  const load = () => {
    index ??= loadIndex();
    index.catch(() => {
      index = undefined;
    });
    return index;
  };

  const search = async () => {
    const query = input.value.trim();
    panel.hidden = query === '';
    if (query === '') return;
    const entries = await load().catch(() => undefined);
    if (query !== input.value.trim()) return;
    const found = entries ? find(entries, query) : [];
    list.replaceChildren(...found.map(resultItem));
    status.textContent = entries
      ? resultCount(found.length)
      : 'The search could not be loaded. Check your connection.';
  };

  box.hidden = false;
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', () => void search());
  box.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const go = (to: HTMLElement | undefined) => {
      event.preventDefault();
      to?.focus();
    };
    if (event.key === 'ArrowDown') go(links[at + 1]);
    else if (event.key === 'ArrowUp') go(at > 0 ? links[at - 1] : input);
    else if (event.key === 'Enter' && at === -1) links[0]?.click();
    else if (event.key === 'Escape') {
      panel.hidden = true;
      go(input);
    }
  });
  document.addEventListener('click', ({ target }) => {
    // A result may be a place on the same page.
    const inside = target instanceof Node && box.contains(target);
    if (!inside || (target as Element).closest('a')) panel.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const typing = (event.target as Element).closest('input, textarea, select');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(): Promise<Entry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`the search index: ${response.status}`);
  return await response.json();
}

const resultCount = (count: number): string =>
  count === 0 ? 'No results. Try other words.' : `${count} result${count === 1 ? '' : 's'}`;

function resultItem({ page, heading, url, excerpt }: ReturnType<typeof find>[number]): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const title = document.createElement('b');
  const text = document.createElement('small');
  link.href = url;
  title.textContent = heading ? `${page}: ${heading}` : page;
  text.textContent = excerpt;
  link.append(title, text);
  item.append(link);
  return item;
}
