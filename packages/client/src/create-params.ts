import { type BrowserOptions, parameterNames } from './browser-options.ts';
import type { CreateOptions } from './options.ts';
import { writeJson } from './transport/exact-json.ts';

/** The parameters of a create, under the service's names. */
export function createBody(options: BrowserOptions): Record<string, unknown> {
  const entries = Object.entries(parameterNames) as [keyof BrowserOptions, string][];
  return Object.fromEntries(
    entries.filter(([name]) => options[name] !== undefined).map(([name, param]) => [param, options[name]]),
  );
}

/** Options of the call itself, which the service does not get. */
const callOptions = new Set(['signal', 'timeoutMs', 'retries', 'idempotencyKey']);

/**
 * Body of a create. What this client does not know goes as it is: the service may know it, or says that it is mistyped.
 */
export function createRequest(options: CreateOptions): Record<string, unknown> {
  const others = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !callOptions.has(name) && !Object.hasOwn(parameterNames, name),
  );
  return { ...Object.fromEntries(others), ...createBody(options) };
}

/** Query of GET /connect. */
export function connectQuery(options: CreateOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(createRequest(options)).map(([param, value]) => [
      param,
      typeof value === 'object' ? writeJson(value) : String(value),
    ]),
  );
}
