import { offerOwnProxy, Refusal, request, signedIn } from './dashboard-api.ts';
import { canFillIn } from './fill-in.ts';
import { showValues } from './samples.ts';

/** What the tab keeps. The dashboard writes it too, when a key was rotated (keys/use-in-guides.tsx). */
interface Stored {
  /** Who was signed in; null: nobody. Values of one person are not shown to the next. */
  person: string | null;
  apiKey?: string;
  proxy?: string;
}

/** In the tab's own storage: no other tab, origin or server can read it, and it goes with the tab. */
const storageKey = 'turnpike-samples';

const element = <E extends HTMLElement>(selector: string) => document.querySelector(selector) as E;

/** Shows samples with the service's address and the values that this tab has, and lets the reader enter them. */
export function startValues(): void {
  showValues({ TURNPIKE_URL: location.origin });
  const panel = element('#values');
  const form = element<HTMLFormElement>('#values form');
  const key = element<HTMLInputElement>('#api-key');
  const proxy = element<HTMLInputElement>('#own-proxy');
  const problem = element('#values .problem');

  // Without an answer samples stay as they are; the next page asks again.
  showStored().catch(() => {});
  element('#own-address').textContent = location.origin;
  element('#use-my-key').hidden = false;
  panel.addEventListener('toggle', async (event) => {
    if ((event as ToggleEvent).newState !== 'open') return;
    const stored = read();
    key.value = stored?.apiKey ?? '';
    proxy.value = stored?.proxy ?? '';
    problem.textContent = '';
    const person = await signedIn().catch(() => undefined);
    if (person?.role === 'account') {
      offerOwnProxy(element<HTMLButtonElement>('[data-fill=own-proxy]'), proxy, problem);
    }
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const entered = { apiKey: key.value.trim(), proxy: proxy.value.trim() };
    try {
      await check(entered);
      const person = (await signedIn())?.id ?? null;
      sessionStorage.setItem(storageKey, JSON.stringify({ person, ...entered } satisfies Stored));
      show(entered);
      panel.hidePopover();
    } catch (error) {
      problem.textContent = (error as Error).message;
    }
  });
  element('#forget').addEventListener('click', () => {
    sessionStorage.removeItem(storageKey);
    show({});
    panel.hidePopover();
  });
}

/** Throws what is wrong with the values. The key is sent in a header, which nothing logs. */
async function check({ apiKey, proxy }: { apiKey: string; proxy: string }): Promise<void> {
  if (proxy && !(canFillIn(proxy) && URL.canParse(proxy))) {
    throw new Error('The proxy must be a URL. Percent-encode special characters in its password.');
  }
  if (!apiKey) return;
  if (!canFillIn(apiKey)) throw new Error('This is not an API key. Keys start with tp_live_.');
  await request('/user/api/me', { headers: { 'x-api-key': apiKey } }).catch((error) => {
    const unknown = error instanceof Refusal && error.status === 401;
    throw unknown ? new Error('The service does not know this key.') : error;
  });
}

function read(): Stored | undefined {
  const text = sessionStorage.getItem(storageKey);
  return text === null ? undefined : JSON.parse(text);
}

/** Shows what the tab has, unless it is of somebody who is no longer signed in. */
async function showStored(): Promise<void> {
  const stored = read();
  if (!stored) return;
  const person = await signedIn();
  if ((person?.id ?? null) === stored.person) show(stored);
  else sessionStorage.removeItem(storageKey);
}

function show({ apiKey, proxy }: Omit<Stored, 'person'>): void {
  showValues({ TURNPIKE_API_KEY: apiKey || undefined, TURNPIKE_PROXY: proxy || undefined });
  element('#use-my-key').classList.toggle('on', Boolean(apiKey || proxy));
}
