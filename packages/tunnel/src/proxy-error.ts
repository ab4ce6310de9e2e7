import { BadMessage } from './http-headers.ts';

interface ProxyErrorOptions extends ErrorOptions {
  timedOut?: boolean;
  unanswered?: boolean;
  broke?: 'closed' | 'reset';
}

/** The customer's proxy did not do its part. The message says what it did and holds no secret. */
export class ProxyError extends Error {
  readonly timedOut: boolean;
  /** It closed the connection in good order, without a word. */
  readonly unanswered: boolean;
  /** How the connection came to nothing, where it did: by an end, or by a reset or refusal. */
  readonly broke: 'closed' | 'reset' | undefined;
  constructor(message: string, options?: ProxyErrorOptions) {
    super(message, options);
    this.name = 'ProxyError';
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

export function describeFailure(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  const cause = error;
  if (error instanceof BadMessage) return new ProxyError('sent invalid HTTP', { broke: 'closed', cause });
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new ProxyError('did not answer in time', { timedOut: true, broke: 'closed', cause });
  }
  const reset = resets[code ?? ''];
  if (reset !== undefined) return new ProxyError(reset, { broke: 'reset', cause });
  if (name === 'ConnectionClosed') return new ProxyError('closed the connection', { broke: 'closed', cause });
  return new ProxyError(`failed (${code ?? message})`, { broke: 'closed', cause });
}
