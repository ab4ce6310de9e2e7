import type { UpstreamProxy } from './open-request.ts';

/** A proxy that a client of a session names for one of its contexts. */
export interface ProxyQuestion {
  sessionId: string;
  /** `name:<saved proxy>`, `pool:<pool>`, or a URL. */
  proxy: string;
}

/** A refusal is for the client, in words that do not have the password. */
export type ResolvedProxy = { ok: true; proxy: UpstreamProxy } | { ok: false; refusal: string };

/**
 * What a host asks a gateway: the addresses of a proxy, checked and pinned as a session's are, and the credentials of a
 * saved one. Rejects if no gateway answers.
 */
export type ResolveProxy = (question: ProxyQuestion, signal: AbortSignal) => Promise<ResolvedProxy>;
