import type { ServerResponse } from 'node:http';

/** The standard's error codes that are used here, with their HTTP status (https://w3c.github.io/webdriver/#errors). */
const statuses: Record<string, number> = {
  'invalid argument': 400,
  'invalid session id': 404,
  'unknown command': 404,
  'session not created': 500,
  'unknown error': 500,
};

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' };

export function sendError(response: ServerResponse, error: string, message: string): void {
  if (response.headersSent) response.destroy();
  else sendValue(response, { error, message, stacktrace: '' }, statuses[error] ?? 500);
}

export function sendValue(response: ServerResponse, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify({ value }));
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

export function beginValue(response: ServerResponse): void {
  response.writeHead(200, headers);
}
