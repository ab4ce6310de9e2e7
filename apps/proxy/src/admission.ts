import { hash } from 'node:crypto';
import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { parseProxyUser } from '@turnpike/contract/proxy-user';
import type { Clients } from './clients.ts';
import { LoginGuard } from './login-guard.ts';
import type { MeteredConnection } from './meter.ts';
import type { ProductRoutes } from './product-routes.ts';
import { Refusal } from './refusal.ts';
import type { RouteOut } from './route.ts';

/** A rotated password or a suspension takes effect within this time. */
const cacheMs = 1000;
const maxCached = 10_000;
const maxAddresses = 100;
const maxUserLength = 100;
/** As many bytes as SOCKS5 has for one. */
const maxPasswordLength = 255;

export interface Credentials {
  user: string;
  password: string;
}

export interface Admitted {
  accountId: string;
  route: RouteOut;
}

type Answer = { accountId: string } | undefined;

interface Known {
  at: number;
  answer: Promise<Answer>;
  /** Addresses at which the password was right when it was last checked. */
  rightAt: Set<string>;
}

/** Authenticates clients, chooses their route, and assigns their bytes to an account. */
export class Admission {
  readonly #backend: MeterBackend;
  readonly #routes: ProductRoutes;
  readonly #clients: Clients;
  readonly #guard = new LoginGuard();
  readonly #known = new Map<string, Known>();

  constructor(backend: MeterBackend, routes: ProductRoutes, clients: Clients) {
    this.#backend = backend;
    this.#routes = routes;
    this.#clients = clients;
  }

  /** Returns a client's account and route. From now on its connection's bytes are counted for that account. */
  async admit(credentials: Credentials | undefined, client: MeteredConnection): Promise<Admitted> {
    if (!credentials) throw new Refusal(407, 'the proxy needs a user name and a password');
    if (credentials.user.length > maxUserLength) throw new Refusal(407, 'the user name is too long');
    if (credentials.password.length > maxPasswordLength) throw new Refusal(407, 'the password is too long');
    const parsed = parseProxyUser(credentials.user);
    if (!parsed.ok) throw new Refusal(407, parsed.rule);
    const { user, product, country } = parsed.value;
    const account = await this.#authenticate(user, credentials.password, client.address);
    if (!account) throw new Refusal(407, 'wrong user name or password, or the account is suspended');
    const route = this.#routes.choose(product, country);
    const { accountId } = account;
    this.#clients.logIn(client, accountId);
    client.assign({ accountId, product, country: country ?? route.country });
    return { accountId, route };
  }

  async #authenticate(user: string, password: string, address: string): Promise<Answer> {
    // Only a hash is cached: passwords are not kept in memory.
    const id = hash('sha256', `${user}\n${password}`, 'base64');
    const known = this.#known.get(id);
    if (known && performance.now() - known.at < cacheMs) return known.answer;
    if (!known?.rightAt.has(address)) this.#guard.check(user, address);
    // The same wrong password again is not a guess: the client does not know of a rotation.
    if (!known) this.#guard.guessed(user, address);
    const answer = this.#backend.authenticate(user, password);
    const asked: Known = { at: performance.now(), answer, rightAt: known?.rightAt ?? new Set() };
    this.#remember(id, asked);
    try {
      const account = await answer;
      if (account && asked.rightAt.size < maxAddresses) asked.rightAt.add(address);
      if (!account) asked.rightAt.clear();
      if (account && !known) this.#guard.takeBack(user, address);
      return account;
    } catch (error) {
      this.#known.delete(id);
      if (!known) this.#guard.takeBack(user, address);
      throw new Refusal(502, 'the login could not be checked; try again', { cause: error });
    }
  }

  #remember(id: string, known: Known): void {
    this.#known.delete(id); // Moves it to the end: the first entry is the oldest.
    this.#known.set(id, known);
    if (this.#known.size > maxCached) this.#known.delete(this.#known.keys().next().value ?? '');
  }
}
