import type { ClusterSettings } from '@turnpike/cluster/cluster-settings';
import type { Membership } from '@turnpike/cluster/membership';
import { encodePageAnswer } from '@turnpike/cluster/page-answers';
import { type PrivateAnswer, PrivateServer } from '@turnpike/cluster/private-server';
import { maxSessionPackageBytes } from '@turnpike/contract/extension';
import {
  type DriverCall,
  HostError,
  maxArchiveBytes,
  type PauseHolder,
  type RunningHost,
  type UpstreamProxy,
} from '@turnpike/contract/host';
import { isOpenRequest, isUpstreamProxy, openRequestTrouble } from '@turnpike/contract/host/open-request';
import type { PageCall } from '@turnpike/contract/page/page-call';
import { isScriptKind, maxScriptBytes, type ScriptCall } from '@turnpike/contract/page/script';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { Logger } from 'pino';
import { sharedOpenings } from './shared-openings.ts';

/** The calls that gateways may make, by name: the counterpart of the gateway's `RemoteHost`. */
type Calls = Record<string, (what: unknown, signal: AbortSignal) => Promise<unknown>>;

function callsOf(host: RunningHost, membership: Membership): Calls {
  const openShared = sharedOpenings(host);
  return {
    async open(request, signal) {
      if (!isOpenRequest(request))
        throw new HostError('START_FAILED', `The call is malformed: ${openRequestTrouble(request)}`);
      if (!membership.takesWork) throw new HostError('NO_SEAT', 'The host takes no new sessions');
      return openShared(request, signal);
    },
    async close(what) {
      const sessionId = sessionIdIn(what);
      return (await host.close(sessionId)) ?? membership.ending(sessionId);
    },
    save: async (what) => host.save(sessionIdIn(what)),
    takeSnapshot: async (what) => host.takeSnapshot(sessionIdIn(what), maxBytesIn(what)),
    traffic: async (what) => host.traffic(sessionIdIn(what)),
    changeProxy: async (what, signal) => host.changeProxy(sessionIdIn(what), proxyIn(what), signal),
    wake: async (what) => host.wake(sessionIdIn(what)),
    clients: async (what) => host.clients(sessionIdIn(what)),
    pauseClients: async (what) => host.pauseClients(sessionIdIn(what), holderIn(what)),
    renewPause: async (what) => host.renewPause(sessionIdIn(what), holderIn(what).id),
    callDriver: async (what, signal) => host.callDriver(sessionIdIn(what), driverCallIn(what), signal),
    async callPage(what, signal) {
      const answer = await host.callPage(sessionIdIn(what), pageCallIn(what), signal);
      return answer ? encodePageAnswer(answer) : new Uint8Array();
    },
    async runScript(what, signal) {
      const answer = await host.runScript(sessionIdIn(what), scriptCallIn(what), signal);
      return answer ? encodePageAnswer(answer) : new Uint8Array();
    },
    resumeClients: async (what) => host.resumeClients(sessionIdIn(what), holderIn(what).id),
  };
}

function sessionIdIn(what: unknown): string {
  const { sessionId } = (what ?? {}) as { sessionId?: unknown };
  if (typeof sessionId !== 'string') throw new HostError('START_FAILED', 'The call has no sessionId');
  return sessionId;
}

function maxBytesIn(what: unknown): number {
  const { maxBytes } = (what ?? {}) as { maxBytes?: unknown };
  if (typeof maxBytes !== 'number') throw new HostError('START_FAILED', 'The call has no maxBytes');
  return Math.min(maxBytes, maxArchiveBytes);
}

function proxyIn(what: unknown): UpstreamProxy {
  const { proxy } = (what ?? {}) as { proxy?: unknown };
  if (!isUpstreamProxy(proxy)) throw new HostError('START_FAILED', 'The call has no proxy');
  return proxy;
}

function driverCallIn(what: unknown): DriverCall {
  const { call } = (what ?? {}) as { call?: Partial<Record<keyof DriverCall, unknown>> };
  const { method, path, body } = call ?? {};
  if (
    typeof method !== 'string' ||
    typeof path !== 'string' ||
    (body !== undefined && typeof body !== 'string')
  )
    throw new HostError('START_FAILED', 'The call has no command of WebDriver');
  return { method, path, ...(body !== undefined && { body }) };
}

/** A gateway has checked the parameters. */
function pageCallIn(what: unknown): PageCall {
  const { call } = (what ?? {}) as { call?: Partial<PageCall> };
  const { parameters, formats, raw, timeoutMs, validators } = call ?? {};
  if (typeof parameters !== 'object' || !Array.isArray(formats) || typeof timeoutMs !== 'number')
    throw new HostError('START_FAILED', 'The call has no page');
  return { parameters, formats, raw: raw === true, timeoutMs, ...(validators && { validators }) };
}

/** A gateway has checked what is in it. */
function scriptCallIn(what: unknown): ScriptCall {
  const { call } = (what ?? {}) as { call?: Partial<ScriptCall> };
  const { kind, timeoutMs, code = '' } = (call ?? {}) as { kind?: string; timeoutMs?: number; code?: string };
  if (!isScriptKind(kind) || typeof timeoutMs !== 'number' || typeof code !== 'string')
    throw new HostError('START_FAILED', 'The call has no script');
  if (code.length > maxScriptBytes) throw new HostError('START_FAILED', 'The script is too large');
  return call as ScriptCall;
}

function holderIn(what: unknown): PauseHolder {
  const { holder } = (what ?? {}) as { holder?: Partial<Record<keyof PauseHolder, unknown>> };
  const { id, name = '' } = holder ?? {};
  if (typeof id !== 'string' || typeof name !== 'string')
    throw new HostError('START_FAILED', 'The call has no holder');
  return { id, name };
}

/** A saved profile, a saved cache and extensions in base64, with their manifests and the other members of a create. */
const maxBodyBytes = Math.ceil(((2 * maxArchiveBytes + maxSessionPackageBytes) * 4) / 3) + 2 ** 24;

export interface PrivateSideOptions extends ClusterSettings {
  host: RunningHost;
  membership(): Membership;
  logger: Logger;
}

/** The server that gateways call: `POST /<run>/<call>`. Calls for an earlier run of this host get a 410. */
export function createPrivateSide({ host, membership, ...options }: PrivateSideOptions): PrivateServer {
  let calls: Calls | undefined;
  return new PrivateServer({
    ...options,
    maxBodyBytes,
    async answer({ path, body, signal }): Promise<PrivateAnswer> {
      const member = membership();
      calls ??= callsOf(host, member);
      const [, boot, name = ''] = path.split('/');
      if (boot !== member.boot) return refusal(410, { message: 'This run of the host has ended' });
      const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
      if (!call) return refusal(404, { message: `There is no call ${name}` });
      try {
        const result = await call(parseBoundedJson(body.toString()), signal);
        return {
          status: 200,
          body: result instanceof Uint8Array ? result : JSON.stringify(result ?? null),
        };
      } catch (error) {
        if (error instanceof HostError) return refusal(409, { code: error.code, message: error.message });
        const message = error instanceof Error ? error.message : String(error);
        if (!signal.aborted) options.logger.error({ err: error, call: name }, 'a call of a gateway failed');
        return refusal(409, { code: 'START_FAILED', message });
      }
    },
  });
}

const refusal = (status: number, body: unknown): PrivateAnswer => ({ status, body: JSON.stringify(body) });
