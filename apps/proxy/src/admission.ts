import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { parseProxyUser } from '@turnpike/contract/proxy-user';
import type { MeteredConnection } from './meter.ts';
import { Refusal } from './refusal.ts';
import type { RouteOut } from './route.ts';
import type { RoutesOut } from './routes-out.ts';

/** A rotated password or a suspension takes effect within this time. */
const keptMs = 1000;
const maxKept = 10_000;

export interface Credentials {
  user: string;
  password: string;
}

interface Known {
  at: number;
  account: Promise<{ accountId: string } | undefined>;
}

/** Who may use the proxy, by which way, and on whose account. */
export class Admission {
  readonly #backend: MeterBackend;
  readonly #routes: RoutesOut;
  readonly #known = new Map<string, Known>();

  constructor(backend: MeterBackend, routes: RoutesOut) {
    this.#backend = backend;
    this.#routes = routes;
  }

  /** The way out for a client; from here on its connection's bytes are its account's. */
  async admit(credentials: Credentials | undefined, connection: MeteredConnection): Promise<RouteOut> {
    if (!credentials) throw new Refusal(407, 'the proxy needs a user name and a password');
    const parsed = parseProxyUser(credentials.user);
    if (!parsed.ok) throw new Refusal(407, parsed.rule);
    const { user, product, country } = parsed.value;
    const account = await this.#authenticate(user, credentials.password);
    if (!account) throw new Refusal(407, 'wrong user name or password, or the account is suspended');
    const route = this.#routes.choose(product, country);
    connection.assign({ accountId: account.accountId, product, country: country ?? route.country });
    return route;
  }

  #authenticate(user: string, password: string): Known['account'] {
    const id = `${user}:${password}`;
    const known = this.#known.get(id);
    if (known && performance.now() - known.at < keptMs) return known.account;
    if (this.#known.size >= maxKept) this.#known.clear();
    const account = this.#backend.authenticate(user, password);
    this.#known.set(id, { at: performance.now(), account });
    account.catch(() => this.#known.delete(id));
    return account;
  }
}
