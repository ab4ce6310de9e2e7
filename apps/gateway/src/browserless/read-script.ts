import { maxPageTimeoutMs } from '@turnpike/contract/page/page-request';
import { maxScriptBytes, type ScriptCall, type ScriptKind } from '@turnpike/contract/page/script';
import type { FastifyRequest } from 'fastify';
import type { RawParams } from '../creates/parameters/create-params.ts';
import { badRequest } from '../http/api-error.ts';
import { decodeUtf8, isObject, rawBody } from '../http/json-body.ts';
import { objectBody } from '../http/parse-with.ts';
import { createOptions } from '../page/read-page-request.ts';
import { usualViewport } from './browserless-context.ts';
import { readLaunch } from './launch-options.ts';

/** What a request asks to be run, and in which session. */
export interface AskedScript {
  call: ScriptCall;
  /** The parameters of the create. */
  options: Record<string, unknown>;
  /** What is ignored, in sentences. */
  warnings: string[];
}

/** Browserless's own. Lighthouse loads a page more than once. */
const usualTimeoutMs: Record<ScriptKind, number> = {
  function: 30_000,
  download: 30_000,
  performance: 120_000,
};

/** Reads a request for a script or Lighthouse. Throws the rule that it breaks. */
export function readScript(kind: ScriptKind, request: FastifyRequest): AskedScript {
  const launch = readLaunch(request.query as RawParams);
  const timeoutMs = Math.min(launch.timeoutMs ?? usualTimeoutMs[kind], maxPageTimeoutMs);
  const viewport = isObject(launch.viewport) ? launch.viewport : usualViewport;
  const { warnings } = launch;
  const call: ScriptCall =
    kind === 'performance'
      ? { kind, timeoutMs, ...readPerformance(objectBody(request), warnings) }
      : { kind, timeoutMs, viewport, ...readCode(request) };
  return { call, warnings, options: createOptions(launch.create, timeoutMs) };
}

/** The body is the code itself, or JSON with it. */
function readCode(request: FastifyRequest): { code: string; context: Record<string, unknown> } {
  const type = request.headers['content-type'] ?? '';
  if (!type.includes('json') && !type.includes('javascript'))
    throw badRequest(
      'The content-type must be application/javascript, or application/json with code and context.',
    );
  const { code, context = {} } = type.includes('json') ? objectBody(request) : { code: textOf(request) };
  if (typeof code !== 'string' || code.trim() === '')
    throw badRequest('code is required: a JavaScript module with a default export.', { field: 'code' });
  if (!isObject(context)) throw badRequest('context must be an object.', { field: 'context' });
  const plain = fromBase64(code);
  if (Buffer.byteLength(plain) > maxScriptBytes)
    throw badRequest(`code must be at most ${maxScriptBytes} bytes.`, { field: 'code' });
  return { code: plain, context };
}

function textOf(request: FastifyRequest): string {
  const body = rawBody(request);
  if (!body.ok) throw badRequest(body.rule);
  try {
    return decodeUtf8(body.bytes);
  } catch {
    throw badRequest('The body must be UTF-8.');
  }
}

/** A script may come in base64. No JavaScript that does something has base64's characters alone. */
function fromBase64(code: string): string {
  const text = code.trim();
  return /[^A-Za-z0-9+/=]/.test(text) ? code : Buffer.from(text, 'base64').toString();
}

function readPerformance(
  { url, config, budgets, ...others }: Record<string, unknown>,
  warnings: string[],
): { url: string; config?: Record<string, unknown> } {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw badRequest('url is required: the address of a page, with http or https.', { field: 'url' });
  if (config !== undefined && config !== null && !isObject(config))
    throw badRequest("config must be an object: Lighthouse's configuration.", { field: 'config' });
  if (budgets !== undefined) warnings.push('budgets is ignored: this version of Lighthouse has none.');
  const names = Object.keys(others).map((name) => name.slice(0, 40));
  if (names.length > 0) warnings.push(`Ignored members of the body: ${names.slice(0, 20).join(', ')}.`);
  return { url: parsed.href, ...(isObject(config) && { config }) };
}
