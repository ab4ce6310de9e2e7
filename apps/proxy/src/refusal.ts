const codes = {
  400: 'BAD_REQUEST',
  403: 'TARGET_NOT_ALLOWED',
  407: 'PROXY_LOGIN_REFUSED',
  429: 'TOO_MANY_CONNECTIONS',
  502: 'TARGET_UNREACHABLE',
  504: 'TARGET_TIMEOUT',
} as const;

/** Why a client's request is refused: an HTTP status with a code, and the nearest SOCKS5 reply (RFC 1928, 6). */
export class Refusal extends Error {
  readonly status: keyof typeof codes;
  /** Sent as `X-Error-Code`. */
  readonly code: string;
  readonly socksReply: number;
  /** With 429: when to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: Refusal['status'],
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number; code?: string },
  ) {
    super(message, options);
    this.name = 'Refusal';
    this.status = status;
    this.code = options?.code ?? codes[status];
    this.socksReply = { 400: 1, 403: 2, 407: 2, 429: 2, 502: 4, 504: 4 }[status];
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}
