import type { ProxyFailureCause } from '@turnpike/contract/traffic';
import { BadMessage } from './http/http-headers.ts';

interface UpstreamProxyErrorOptions extends ErrorOptions {
  timedOut?: boolean;
  unanswered?: boolean;
  broke?: 'closed' | 'reset';
  fault?: ProxyFailureCause;
}

/** A failure of the upstream proxy. The message says what the proxy did, without a subject, and holds no secret. */
export class UpstreamProxyError extends Error {
  readonly timedOut: boolean;
  /** It closed the connection in order, without an answer. */
  readonly unanswered: boolean;
  /** How the connection failed, where it did: by an end, or by a reset or refusal. */
  readonly broke: 'closed' | 'reset' | undefined;
  /** What is wrong with the proxy. Undefined if it is the target, or may be. */
  readonly fault: ProxyFailureCause | undefined;
  constructor(message: string, options?: UpstreamProxyErrorOptions) {
    super(message, options);
    this.name = 'UpstreamProxyError';
    this.timedOut = options?.timedOut ?? false;
    this.unanswered = options?.unanswered ?? false;
    this.broke = options?.broke;
    this.fault = options?.fault;
  }
}

/** It asked for credentials and was given none, or wrong ones. */
export const credentialsRefused = () =>
  new UpstreamProxyError('did not accept the credentials', { fault: 'credentials' });

const resets: Readonly<Record<string, { text: string; fault: ProxyFailureCause }>> = {
  ECONNREFUSED: { text: 'refused the connection', fault: 'unreachable' },
  ECONNRESET: { text: 'broke the connection off', fault: 'broke' },
  EPIPE: { text: 'broke the connection off', fault: 'broke' },
  EHOSTUNREACH: { text: 'cannot be reached', fault: 'unreachable' },
  ENETUNREACH: { text: 'cannot be reached', fault: 'unreachable' },
};

export function describeFailure(error: unknown): UpstreamProxyError {
  if (error instanceof UpstreamProxyError) return error;
  const cause = error;
  if (error instanceof BadMessage)
    return new UpstreamProxyError('sent invalid HTTP', { broke: 'closed', fault: 'broke', cause });
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new UpstreamProxyError('did not answer in time', {
      timedOut: true,
      broke: 'closed',
      fault: 'timeout',
      cause,
    });
  }
  const reset = resets[code ?? ''];
  if (reset) return new UpstreamProxyError(reset.text, { broke: 'reset', fault: reset.fault, cause });
  if (name === 'ConnectionClosed')
    return new UpstreamProxyError('closed the connection', { broke: 'closed', fault: 'broke', cause });
  return new UpstreamProxyError(`failed (${code ?? message})`, { broke: 'closed', fault: 'broke', cause });
}
