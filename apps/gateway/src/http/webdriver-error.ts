import type { FastifyReply } from 'fastify';
import type { ApiError } from './api-error.ts';

/** WebDriver's own codes of errors, with the statuses that it gives them. */
const statuses = {
  'invalid argument': 400,
  'session not created': 500,
  'invalid session id': 404,
  'unknown error': 500,
} as const;
export type WebDriverErrorCode = keyof typeof statuses;

/** Ours that are one of WebDriver's, whatever the command. */
const ownCodes: Record<string, WebDriverErrorCode> = {
  BAD_REQUEST: 'invalid argument',
  SESSION_NOT_FOUND: 'invalid session id',
};

/** Answers an error as WebDriver's clients expect it. What our own API would have answered is in `data`. */
export function sendWebDriverError(
  reply: FastifyReply,
  code: WebDriverErrorCode,
  { spec, message, detail, members }: ApiError,
): FastifyReply {
  reply.request.ownStatus = spec.status;
  const error = ownCodes[spec.code ?? ''] ?? code;
  const data = { ...(spec.code && { code: spec.code }), status: spec.status, ...members };
  const text = detail ? `${message} (${detail})` : message;
  return reply
    .code(statuses[error])
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ value: { error, message: text, stacktrace: '', data } }));
}
