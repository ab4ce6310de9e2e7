import { BadMessage } from './http/http-headers.ts';

interface UpstreamProxyErrorOptions extends ErrorOptions {
  timedOut?: boolean;
  unanswered?: boolean;
  broke?: 'closed' | 'reset';
}

/** A failure of the upstream proxy. The message says what the proxy did, without a subject, and holds no secret. */
export class UpstreamProxyError extends Error {
  readonly timedOut: boolean;
  /** It closed the connection in order, without an answer. */
  readonly unanswered: boolean;
  /** How the connection failed, where it did: by an end, or by a reset or refusal. */
  readonly broke: 'closed' | 'reset' | undefined;
  constructor(message: string, options?: UpstreamProxyErrorOptions) {
    super(message, options);
    this.name = 'UpstreamProxyError';
    this.timedOut = options?.timedOut ?? false;
    this.unanswered = options?.unanswered ?? false;
    this.broke = options?.broke;
  }
}

const resets: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};

export function describeFailure(error: unknown): UpstreamProxyError {
  if (error instanceof UpstreamProxyError) return error;
  const cause = error;
  if (error instanceof BadMessage)
    return new UpstreamProxyError('sent invalid HTTP', { broke: 'closed', cause });
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new UpstreamProxyError('did not answer in time', { timedOut: true, broke: 'closed', cause });
  }
  const reset = resets[code ?? ''];
  if (reset !== undefined) return new UpstreamProxyError(reset, { broke: 'reset', cause });
  if (name === 'ConnectionClosed')
    return new UpstreamProxyError('closed the connection', { broke: 'closed', cause });
  return new UpstreamProxyError(`failed (${code ?? message})`, { broke: 'closed', cause });
}
