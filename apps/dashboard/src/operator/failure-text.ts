/** Reasons of failed creates by code, or by HTTP status where the error has no code. */
const texts: Readonly<Record<string, string>> = {
  RATE_LIMIT: 'Too many creates per minute',
  USAGE_CAP_REACHED: 'No browser hours left',
  CONCURRENCY_LIMIT: 'Too many concurrent browsers',
  PROXY_REQUIRED: 'No proxy given',
  PROXY_INVALID: 'Proxy not valid',
  PROXY_UNREACHABLE: 'Proxy did not answer',
  PROFILE_IN_USE: 'Saved profile in use',
  IDEMPOTENCY_MISMATCH: 'Idempotency key reused with other parameters',
  CAPACITY: 'No free seat on any host',
  '400': 'Wrong parameters',
  '401': 'Account suspended',
  '410': 'Session of the idempotency key has ended',
  '500': 'Internal error',
  '502': 'Browser did not start',
  '503': 'Store not available',
};

export const failureText = (code: string): string => texts[code] ?? code;
