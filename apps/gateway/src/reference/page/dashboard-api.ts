import type { Keys, ProxyCredentials } from '@turnpike/contract/dashboard/account-pages';
import type { Person } from '@turnpike/contract/dashboard/people';

/** A refusal of the gateway, in its own words. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** The parameter that was refused. */
  readonly field: string | undefined;

  constructor(status: number, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** Calls the gateway with the cookie of whoever is signed in: GET, or POST with a body. */
export async function callGateway<T>(path: string, body?: object): Promise<T> {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return await request(path, body ? post : {});
}

export async function request<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, { ...init, cache: 'no-store' }).catch(() => {
    throw new Refusal(0, 'The service does not answer. Check your connection.');
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { error = `The service answered ${response.status}.`, detail, field } = answer;
  throw new Refusal(
    response.status,
    detail && !error.includes(detail) ? `${error} (${detail})` : error,
    field,
  );
}

/** Returns who is signed in to the dashboard; undefined means nobody. */
export async function signedIn(): Promise<Person | undefined> {
  try {
    return await callGateway<Person>('/dashboard/api/me');
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined;
    throw error;
  }
}

/** Returns the URL of the service's own proxy with the login of the account; undefined if the service has none. */
export async function ownProxy(): Promise<string | undefined> {
  const { proxy } = await callGateway<Keys>('/dashboard/api/keys');
  if (!proxy.url) return undefined;
  const { proxyUser, proxyPassword } = await callGateway<ProxyCredentials>(
    '/dashboard/api/keys/proxy/reveal',
    {},
  );
  return proxy.url.replace('://', `://${proxyUser}:${proxyPassword}@`);
}

/** Shows a button that fills in the account's own proxy; for the user of an account. */
export function offerOwnProxy(
  button: HTMLButtonElement,
  input: HTMLInputElement,
  problem: HTMLElement,
): void {
  button.hidden = false;
  button.onclick = async () => {
    problem.textContent = '';
    try {
      const url = await ownProxy();
      if (url) input.value = url;
      else problem.textContent = 'This service has no proxy of its own. Enter the URL of yours.';
    } catch (error) {
      problem.textContent = (error as Error).message;
    }
  };
}
