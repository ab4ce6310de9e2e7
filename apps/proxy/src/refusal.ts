/** Why a client's request is refused: an HTTP status, and the nearest SOCKS5 reply (RFC 1928, 6). */
export class Refusal extends Error {
  readonly status: 400 | 403 | 407 | 429 | 502 | 504;
  readonly socksReply: number;
  /** With 429: when to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: Refusal['status'],
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.name = 'Refusal';
    this.status = status;
    this.socksReply = { 400: 1, 403: 2, 407: 2, 429: 2, 502: 4, 504: 4 }[status];
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}
