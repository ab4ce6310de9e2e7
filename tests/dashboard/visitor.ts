import { type Answer, call } from '../fixtures/gateway.ts';

/** What a browser would send with a page's own request. */
export const fromOwnPage = (url: string) => ({
  origin: new URL(url).origin,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
});

/** A browser that has the gateway's pages open: it keeps the cookie and sends what browsers send. */
export class Visitor {
  readonly #url: string;
  cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(await call(this.#url + path, { headers: { cookie: this.cookie, ...headers } }));
  }

  async post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await call(this.#url + path, {
      method: 'POST',
      headers: { cookie: this.cookie, ...fromOwnPage(this.#url), ...headers },
      body: JSON.stringify(body),
    });
    return this.#keep(answer);
  }

  #keep(answer: Answer): Answer {
    const set = answer.headers.get('set-cookie');
    if (set) this.cookie = set.split(';', 1)[0] ?? '';
    return answer;
  }

  signIn(email: string, password: string): Promise<Answer> {
    return this.post('/dashboard/api/sign-in', { email, password });
  }

  /** Takes up an invitation or a reset. */
  useLink(url: string, password: string): Promise<Answer> {
    return this.post('/dashboard/api/link/use', { token: tokenOf(url), password });
  }
}

export const tokenOf = (url: string): string => new URL(url).hash.replace('#token=', '');
