import { decodePageAnswer } from '@turnpike/cluster/page-answers';
import { CallRefused, type PrivateClient, UnreachableError } from '@turnpike/cluster/private-client';
import {
  type BrowserHost,
  type ClientsState,
  type DriverAnswer,
  type DriverCall,
  type EndedBrowser,
  HostError,
  isHostErrorCode,
  type OpenedBrowser,
  type OpenRequest,
  type PauseHolder,
  type ProxyExit,
  type SaveResult,
  type SnapshotResult,
  type UpstreamProxy,
} from '@turnpike/contract/host';
import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import { maxPageTimeoutMs } from '@turnpike/contract/page/page-request';
import type { ScriptAnswer, ScriptCall } from '@turnpike/contract/page/script';
import type { TrafficReport } from '@turnpike/contract/traffic';
import { within } from '@turnpike/process/within';

export interface RemoteHostOptions {
  name: string;
  boot: string;
  publicUrl: string;
  privateUrl: string;
  client: PrivateClient;
}

/** How long a browser may take to end and report. */
const closeTimeoutMs = 20_000;
/** How long a host may take to say where a session's bytes went. */
const trafficTimeoutMs = 5000;
/** How long a host may take to wake a session, or to say that it waits. */
const wakeTimeoutMs = 15_000;
/** How long a host may take to pause or resume clients. */
const clientsTimeoutMs = 5000;
/** How long a host may take to check another proxy. */
const changeProxyTimeoutMs = 60_000;
/** How long a command of WebDriver may take. Drivers give up a page's load after five minutes. */
const driverTimeoutMs = 600_000;
/** How long a page call or a script may take. The host keeps to the call's own time. */
const pageTimeoutMs = maxPageTimeoutMs + 30_000;
/** How long a browser may take to quit, and its profile to be packed and sent. */
const saveTimeoutMs = 60_000;

/** One run of a host in another process. Each method calls the host's private side. */
export class RemoteHost implements BrowserHost {
  readonly name: string;
  readonly boot: string;
  readonly publicUrl: string;
  readonly privateUrl: string;
  readonly #client: PrivateClient;

  constructor({ name, boot, publicUrl, privateUrl, client }: RemoteHostOptions) {
    this.name = name;
    this.boot = boot;
    this.publicUrl = publicUrl;
    this.privateUrl = privateUrl;
    this.#client = client;
  }

  async open(request: OpenRequest, signal: AbortSignal): Promise<OpenedBrowser> {
    return (await this.#call('open', request, signal)) as OpenedBrowser;
  }

  async close(sessionId: string): Promise<EndedBrowser | undefined> {
    const signal = AbortSignal.timeout(closeTimeoutMs);
    const ended = await this.#call('close', { sessionId }, signal).catch(nothingIfOver);
    return (ended as EndedBrowser | null) ?? undefined;
  }

  async save(sessionId: string): Promise<SaveResult | undefined> {
    const signal = AbortSignal.timeout(saveTimeoutMs);
    try {
      const left = await this.#call('save', { sessionId }, signal).catch(nothingIfOver);
      return (left as SaveResult | null) ?? undefined;
    } catch (error) {
      // A host that cannot save must not keep its session from closing.
      if (error instanceof CallRefused) return { notSaved: 'its host cannot save it' };
      throw error;
    }
  }

  async takeSnapshot(sessionId: string, maxBytes: number): Promise<SnapshotResult | undefined> {
    const signal = AbortSignal.timeout(saveTimeoutMs);
    try {
      const taken = await this.#call('takeSnapshot', { sessionId, maxBytes }, signal).catch(nothingIfOver);
      return (taken as SnapshotResult | null) ?? undefined;
    } catch (error) {
      if (error instanceof CallRefused && error.status === 404)
        return { notSaved: 'its host is of a version that cannot take snapshots' };
      throw error;
    }
  }

  async traffic(sessionId: string): Promise<TrafficReport | undefined> {
    const signal = AbortSignal.timeout(trafficTimeoutMs);
    try {
      const report = await this.#call('traffic', { sessionId }, signal).catch(nothingIfOver);
      return (report as TrafficReport | null) ?? undefined;
    } catch (error) {
      // A host of an earlier version has no such call.
      if (error instanceof CallRefused && error.status === 404) return undefined;
      throw error;
    }
  }

  async changeProxy(
    sessionId: string,
    proxy: UpstreamProxy,
    signal: AbortSignal,
  ): Promise<{ exit?: ProxyExit } | undefined> {
    using bounds = within(changeProxyTimeoutMs, signal);
    const changed = await this.#call('changeProxy', { sessionId, proxy }, bounds.signal).catch(nothingIfOver);
    return (changed as { exit?: ProxyExit } | null) ?? undefined;
  }

  async wake(sessionId: string): Promise<boolean | undefined> {
    const signal = AbortSignal.timeout(wakeTimeoutMs);
    try {
      const isAwake = await this.#call('wake', { sessionId }, signal).catch(nothingIfOver);
      return (isAwake as boolean | null) ?? undefined;
    } catch (error) {
      // A host of an earlier version puts none to sleep.
      if (error instanceof CallRefused && error.status === 404) return true;
      throw error;
    }
  }

  async clients(sessionId: string): Promise<ClientsState | undefined> {
    return this.#clientsCall('clients', { sessionId });
  }

  async pauseClients(sessionId: string, holder: PauseHolder): Promise<ClientsState | undefined> {
    return this.#clientsCall('pauseClients', { sessionId, holder });
  }

  async renewPause(sessionId: string, holderId: string): Promise<ClientsState | undefined> {
    return this.#clientsCall('renewPause', { sessionId, holder: { id: holderId } });
  }

  async resumeClients(sessionId: string, holderId: string): Promise<ClientsState | undefined> {
    return this.#clientsCall('resumeClients', { sessionId, holder: { id: holderId } });
  }

  async callDriver(
    sessionId: string,
    call: DriverCall,
    signal: AbortSignal,
  ): Promise<DriverAnswer | undefined> {
    using bounds = within(driverTimeoutMs, signal);
    const answer = await this.#call('callDriver', { sessionId, call }, bounds.signal).catch(nothingIfOver);
    return (answer as DriverAnswer | null) ?? undefined;
  }

  callPage(sessionId: string, call: PageCall, signal: AbortSignal): Promise<PageAnswer | undefined> {
    return this.#pageCall<PageAnswer>('callPage', { sessionId, call }, signal);
  }

  runScript(sessionId: string, call: ScriptCall, signal: AbortSignal): Promise<ScriptAnswer | undefined> {
    return this.#pageCall<ScriptAnswer>('runScript', { sessionId, call }, signal);
  }

  async #pageCall<Answer extends PageAnswer | ScriptAnswer>(
    method: string,
    what: object,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    using bounds = within(pageTimeoutMs, signal);
    const path = `${this.boot}/${method}`;
    const bytes = await this.#explained(() =>
      this.#client.callForBytes(this.privateUrl, path, what, bounds.signal),
    ).catch(nothingIfOver);
    return bytes && bytes.length > 0 ? decodePageAnswer<Answer>(bytes) : undefined;
  }

  async #clientsCall(method: string, what: object): Promise<ClientsState | undefined> {
    const signal = AbortSignal.timeout(clientsTimeoutMs);
    const state = await this.#call(method, what, signal).catch(nothingIfOver);
    return (state as ClientsState | null) ?? undefined;
  }

  /**
   * Calls a method. The run is part of the path, so that a host that has restarted does not answer for the earlier run.
   */
  async #call(method: string, what: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#explained(() => this.#client.call(this.privateUrl, `${this.boot}/${method}`, what, signal));
  }

  async #explained<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof UnreachableError)
        throw new UnreachableError(`host ${this.name} at ${error.message}`, { cause: error });
      if (!(error instanceof CallRefused)) throw error;
      const { code } = (error.body ?? {}) as { code?: unknown };
      throw isHostErrorCode(code) ? new HostError(code, error.message) : error;
    }
  }
}

/** Treats a run that is over as having nothing left to close. */
function nothingIfOver(error: unknown): undefined {
  if (!(error instanceof CallRefused && error.status === 410)) throw error;
}
