import type { SessionDetail } from '@turnpike/contract/dashboard/account-pages';
import type { CloseResult, CreatedSession } from '@turnpike/contract/session';
import { callGateway, offerOwnProxy, Refusal, signedIn } from './dashboard-api.ts';
import { showValues } from './samples.ts';

/** The tab remembers its session, so that a reload shows it again. */
const storageKey = 'turnpike-try';

const element = <E extends HTMLElement>(selector: string) => document.querySelector(selector) as E;

/** Runs the page that opens a session, by the API, with the cookie of whoever is signed in. */
export async function startTry(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('#try-form');
  if (!form) return;
  const problem = element('#try-form .problem');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await busy(form, 'Opening…', problem, async () => {
      show(await callGateway<CreatedSession>('/api/browser/create', bodyOf(new FormData(form))));
      element('#try-session-title').focus();
    });
  });
  element('#try-close').addEventListener('click', () =>
    busy(element('#try-session'), 'Closing…', element('#try-session .problem'), async () => {
      const browserId = sessionStorage.getItem(storageKey);
      showEnd(await callGateway<CloseResult>('/api/browser/close', { browserId }));
    }),
  );
  try {
    await greet(form, problem);
  } catch (error) {
    tell((error as Error).message);
  }
}

/** Shows the form, or what to do first. */
async function greet(form: HTMLFormElement, problem: HTMLElement): Promise<void> {
  const person = await signedIn();
  if (!person) return tell('to open a session.', { text: 'Sign in', href: '/sign-in?next=/docs/try' });
  if (person.role === 'operator') {
    return tell(
      'You are signed in as an operator. Sessions belong to accounts: sign in as the user of an account.',
    );
  }
  form.hidden = false;
  offerOwnProxy(
    element<HTMLButtonElement>('[data-fill=try-proxy]'),
    element<HTMLInputElement>('#try-proxy'),
    problem,
  );
  const id = sessionStorage.getItem(storageKey);
  if (!id) return;
  const session = await callGateway<SessionDetail>(`/dashboard/api/sessions/${encodeURIComponent(id)}`).catch(
    (error) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    },
  );
  if (session?.status === 'ACTIVE') show(session);
  else sessionStorage.removeItem(storageKey);
}

function tell(text: string, link?: { text: string; href: string }): void {
  const place = element('#sign-in-first');
  const anchor = document.createElement('a');
  if (link) Object.assign(anchor, { textContent: link.text, href: link.href });
  place.replaceChildren(...(link ? [anchor, ` ${text}`] : [text]));
  place.hidden = false;
}

/** The body of the create. What is not a number is sent as typed: the API refuses it in its own words. */
function bodyOf(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lifetime = text('maxLifetime');
  return {
    proxy: text('proxy'),
    os: text('os'),
    ...(lifetime && { maxLifetime: /^\d+$/.test(lifetime) ? Number(lifetime) : lifetime }),
    ...(form.has('vnc') ? { vnc: true } : { headless: true }),
  };
}

function show({ browserId, cdpUrl, webdriverUrl, vncUrl, expiresAt }: SessionDetail | CreatedSession): void {
  sessionStorage.setItem(storageKey, browserId);
  showValues({
    CDP_URL: cdpUrl ?? undefined,
    WEBDRIVER_URL: webdriverUrl ?? undefined,
    SESSION_ID: browserId,
  });
  const id = element<HTMLAnchorElement>('#try-id');
  const view = element<HTMLAnchorElement>('#try-view');
  id.textContent = browserId;
  id.href = `/sessions/${browserId}`;
  element('#try-ends').textContent = new Date(expiresAt).toLocaleTimeString();
  view.href = vncUrl ?? '';
  view.textContent = vncUrl ? 'Watch and use it' : 'None: this session is headless.';
  if (!vncUrl) view.removeAttribute('href');
  element('#try-ended').textContent = '';
  element('#try-session').hidden = false;
  element('#try-form').hidden = true;
}

function showEnd({ browserId, status }: CloseResult): void {
  sessionStorage.removeItem(storageKey);
  element('#try-ended').textContent = `Session ${browserId} has ended: ${status}.`;
  element('#try-session').hidden = true;
  element('#try-form').hidden = false;
}

/** Runs a call while its buttons wait, and shows how it was refused. */
async function busy(
  part: HTMLElement,
  words: string,
  problem: HTMLElement,
  call: () => Promise<void>,
): Promise<void> {
  const button = part.querySelector<HTMLButtonElement>('.primary, .danger') as HTMLButtonElement;
  const label = button.textContent;
  problem.textContent = '';
  button.disabled = true;
  button.textContent = words;
  try {
    await call();
  } catch (error) {
    problem.textContent = (error as Error).message;
    const { field } = error as Refusal;
    if (field) part.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`)?.focus();
  } finally {
    button.disabled = false;
    button.textContent = label;
  }
}
