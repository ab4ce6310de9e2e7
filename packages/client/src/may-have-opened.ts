import { ConnectionFailedError, TurnpikeError } from './errors.ts';
import { isObject } from './transport/answer-error.ts';

/**
 * Whether a create that failed like this may have opened a session. Below 500 nothing was opened. From 500 on it
 * depends on who answers: the gateway, which sends a code or JSON with an `error`, knows that it opened nothing, except
 * with 500, when it failed half-way; a load balancer or proxy does not know what the gateway did. The Python client
 * has the same rule (plans.py), and tests/clients/create-answers.json has cases for both.
 */
export function mayHaveOpened(error: unknown): boolean {
  if (!(error instanceof TurnpikeError)) return true; // The caller's own signal, while the request was under way.
  const { statusCode } = error;
  if (error instanceof ConnectionFailedError || statusCode === undefined) return !neverConnected(error);
  if (statusCode < 500) return false;
  return statusCode === 500 || !isFromGateway(error);
}

function isFromGateway({ code, body }: TurnpikeError): boolean {
  return code !== undefined || (isObject(body) && typeof body['error'] === 'string');
}

const connectErrors = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** fetch wraps the socket's error. */
function neverConnected({ cause }: TurnpikeError): boolean {
  const inner = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof inner === 'string' && connectErrors.includes(inner);
}
