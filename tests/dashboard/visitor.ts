import { type Answer, call } from '../fixtures/gateway/gateway.ts';

/** What a browser would send with a page's own request. */
export const fromOwnPage = (url: string) => ({
  origin: new URL(url).origin,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
});

/** A browser that has the gateway's pages open: it keeps its cookies and sends what browsers send. */
export class Visitor {
  readonly #url: string;
  /** Says who is signed in. */
  cookie = '';
  /** Says that somebody was, in this browser. */
  device = '';

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(await call(this.#url + path, { headers: { cookie: this.#cookies(), ...headers } }));
  }

  async post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await call(this.#url + path, {
      method: 'POST',
      headers: { cookie: this.#cookies(), ...fromOwnPage(this.#url), ...headers },
      body: JSON.stringify(body),
    });
    return this.#keep(answer);
  }

  async delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const { 'content-type': _none, ...own } = fromOwnPage(this.#url);
    const sent = { cookie: this.#cookies(), ...own, ...headers };
    return this.#keep(await call(this.#url + path, { method: 'DELETE', headers: sent }));
  }

  #keep(answer: Answer): Answer {
    for (const set of answer.headers.getSetCookie()) {
      const pair = set.split(';', 1)[0] ?? '';
      if (pair.startsWith('__Host-turnpike-device=')) this.device = pair;
      else this.cookie = pair;
    }
    return answer;
  }

  #cookies(): string {
    return [this.cookie, this.device].filter(Boolean).join('; ');
  }

  signIn(email: string, password: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/dashboard/api/sign-in', { email, password }, headers);
  }

  /** Takes up an invitation or a reset. */
  useLink(url: string, password: string): Promise<Answer> {
    return this.post('/dashboard/api/link/use', { token: tokenOf(url), password });
  }
}

export const tokenOf = (url: string): string => new URL(url).hash.replace('#token=', '');
