import {
  AuthError,
  BrowserCreateError,
  CapacityError,
  ConcurrencyLimitError,
  PageError,
  ProxyError,
  RateLimitError,
  SessionEndedError,
  SessionNotFoundError,
  TurnpikeError,
  UsageCapError,
} from '../errors.ts';
import type { PageReport } from '../page-answers.ts';

/** A whole HTTP response. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** What a request is for: the same status means different errors on a create, on a session and elsewhere. */
export type Purpose = 'create' | 'page' | 'session' | 'other';

/**
 * The error for an answer: by its status, then by its code, from the JSON body or, where /connect answers in plain
 * text, from the X-Error-Code header.
 */
export function errorOf(answer: Answer, purpose: Purpose): TurnpikeError {
  const { status, headers } = answer;
  const body = readBody(answer.text);
  const members: Record<string, unknown> = isObject(body) ? body : {};
  const code = string(members['code']) ?? headers.get('x-error-code') ?? undefined;
  const plain = headers.get('content-type')?.startsWith('text/plain') ? answer.text.trim() : undefined;
  const message = string(members['error']) ?? (plain || `The gateway answered with status ${status}.`);
  const fields = { statusCode: status, body, code, retryAfter: seconds(headers.get('retry-after')) };

  if (code?.startsWith('PAGE_')) {
    const page = isObject(members['page']) ? (members['page'] as unknown as PageReport) : undefined;
    return new PageError(message, { ...fields, sessionId: string(members['sessionId']), page });
  }
  if (status === 401 || status === 403) return new AuthError(message, fields);
  if (status === 402) return new UsageCapError(message, fields);
  if (status === 429 && code === 'CONCURRENCY_LIMIT') {
    const { limit, active } = members;
    return new ConcurrencyLimitError(message, { ...fields, limit: number(limit), active: number(active) });
  }
  if (status === 429) return new RateLimitError(message, fields);
  if (status === 503 && code === 'CAPACITY') return new CapacityError(message, fields);
  if (code?.startsWith('PROXY_'))
    return proxyError(message, { ...fields, detail: string(members['detail']) });
  if (status === 404 && purpose === 'session') return new SessionNotFoundError(message, fields);
  if (status === 410) return new SessionEndedError(message, { ...fields, finalStatus: finalStatus(message) });
  if (purpose === 'create') return new BrowserCreateError(message, fields);
  return new TurnpikeError(message, fields);
}

/** Plain text has the detail in parentheses after the message; our message has it there in both cases. */
function proxyError(message: string, fields: ConstructorParameters<typeof ProxyError>[1]): ProxyError {
  if (fields.detail !== undefined) return new ProxyError(`${message} (${fields.detail})`, fields);
  const open = message.indexOf('(');
  const detail = open !== -1 && message.endsWith(')') ? message.slice(open + 1, -1) : undefined;
  return new ProxyError(message, { ...fields, detail });
}

function finalStatus(message: string): SessionEndedError['finalStatus'] {
  const word = /^Session is (CLOSED|DEAD|EXPIRED)$/.exec(message)?.[1];
  return word as SessionEndedError['finalStatus'];
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses retry-after. The service sends a number of seconds; a proxy in between may send a date. */
function seconds(text: string | null): number | undefined {
  if (text === null) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(value) ? Math.max(0, value) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
