import { type BrowserOptions, parameterNames } from './browser-options.ts';
import { writeJson } from './transport/exact-json.ts';

/** Body of POST /api/browser/create. */
export function createBody(options: BrowserOptions): Record<string, unknown> {
  const entries = Object.entries(parameterNames) as [keyof BrowserOptions, string][];
  return Object.fromEntries(
    entries.filter(([name]) => options[name] !== undefined).map(([name, param]) => [param, options[name]]),
  );
}

/** Query of GET /connect. */
export function connectQuery(options: BrowserOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(createBody(options)).map(([param, value]) => [
      param,
      typeof value === 'object' ? writeJson(value) : String(value),
    ]),
  );
}
