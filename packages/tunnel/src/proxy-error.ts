/** The customer's proxy did not do its part. The message says what it did and holds no secret. */
export class ProxyError extends Error {
  readonly timedOut: boolean;
  /** It closed the connection in good order, without a word. */
  readonly unanswered: boolean;
  constructor(message: string, options?: ErrorOptions & { timedOut?: boolean; unanswered?: boolean }) {
    super(message, options);
    this.name = 'ProxyError';
    this.timedOut = options?.timedOut ?? false;
    this.unanswered = options?.unanswered ?? false;
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer in time',
};

export function describeFailure(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  const { code, name, message } = error as NodeJS.ErrnoException;
  const timedOut = name === 'TimeoutError' || code === 'ETIMEDOUT';
  if (timedOut) return new ProxyError('did not answer in time', { timedOut, cause: error });
  return new ProxyError(words[code ?? ''] ?? `failed (${code ?? message})`, { cause: error });
}
