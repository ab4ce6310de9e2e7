import type { FastifyReply } from 'fastify';
import type { ApiError } from './api-error.ts';

/** WebDriver's own codes of errors, with the statuses that it gives them. */
const statuses = {
  'session not created': 500,
  'invalid session id': 404,
  'unknown error': 500,
} as const;
export type WebDriverErrorCode = keyof typeof statuses;

/** Answers an error as WebDriver's clients expect it. What our own API would have answered is in `data`. */
export function sendWebDriverError(
  reply: FastifyReply,
  code: WebDriverErrorCode,
  { spec, message, detail, members }: ApiError,
): FastifyReply {
  reply.request.ownStatus = spec.status;
  const error = spec.status === 404 ? 'invalid session id' : code;
  const data = { ...(spec.code && { code: spec.code }), status: spec.status, ...members };
  const text = detail ? `${message} (${detail})` : message;
  return reply
    .code(statuses[error])
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ value: { error, message: text, stacktrace: '', data } }));
}
