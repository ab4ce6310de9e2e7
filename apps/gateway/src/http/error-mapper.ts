import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isStoreOutage } from '../store/outage.ts';
import { ApiError } from './api-error.ts';
import { isCutOff } from './client-errors.ts';
import { logContext } from './request-log.ts';
import { sendWebDriverError, type WebDriverErrorCode } from './webdriver-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sends the route's own errors as plain text (GET /connect). */
    plainTextErrors?: boolean;
    /** Sends errors in interface B's failure envelope. */
    envelope?: boolean;
    /** Sends errors as WebDriver's clients expect them, with this code of WebDriver's. */
    webdriverError?: WebDriverErrorCode;
  }
}

/** Turns errors into answers. Nothing else does. */
export function mapErrors(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    // Its error is the same ECONNRESET as that of a store that goes away.
    if (isCutOff(request.raw)) {
      logger.debug({ ...logContext(request), err: error }, 'the client went away before its request ended');
      return sendError(request, reply, new ApiError('badRequest', { cause: error }));
    }
    const apiError = toApiError(error);
    // What was being done for the client was given up with it, which is nobody's failure.
    if (reply.raw.destroyed) {
      logger.debug({ ...logContext(request), err: error.cause ?? error }, 'the client went away unanswered');
    } else if (apiError.spec.status >= 500) {
      logger.error({ ...logContext(request), err: error.cause ?? error }, apiError.message);
    }
    return sendError(request, reply, apiError);
  });
}

function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error;
  if (isStoreOutage(error)) return new ApiError('storeUnavailable', { cause: error });
  // The framework refuses by itself: a malformed URL, a body that it cannot read.
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status !== undefined && status < 500) return new ApiError('badRequest', { cause: error });
  return new ApiError('internal', { cause: error });
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const { spec, detail, message } = error;
  reply.code(spec.status);
  if (spec.retryAfterSeconds !== undefined) reply.header('retry-after', String(spec.retryAfterSeconds));
  if (spec.code && !spec.early) reply.header('x-error-code', spec.code);
  const { config } = request.routeOptions;
  if (config.envelope) {
    const failure = { status: 'FAIL', date: new Date().toUTCString(), error: message };
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(failure));
  }
  if (config.webdriverError) return sendWebDriverError(reply, config.webdriverError, error);
  if (config.plainTextErrors && !spec.early) {
    return reply.type('text/plain; charset=utf-8').send(detail ? `${message} (${detail})` : message);
  }
  const field = error.field && !isByKey(request) ? { field: error.field } : {};
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...errorBody(error), ...field }));
}

/** An error as JSON. */
export function errorBody({ spec, detail, message, members }: ApiError): Record<string, unknown> {
  return { ...(spec.code && { code: spec.code }), error: message, ...(detail && { detail }), ...members };
}

/** The contract fixes what an error looks like to a caller with a key. Others get the field that it is about, too. */
function isByKey({ routeOptions, person }: FastifyRequest): boolean {
  const { auth } = routeOptions.config;
  return auth === 'key' || (auth === 'key-or-cookie' && !person);
}
