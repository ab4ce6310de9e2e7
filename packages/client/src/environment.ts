import type { TurnpikeOptions } from './options.ts';

/** Fills in what was not given from the environment. Throws if there is no URL or no key. */
export function withEnvironment(
  given: TurnpikeOptions,
): TurnpikeOptions & { endpoint: string; apiKey: string } {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const env = process?.env ?? {};
  const {
    endpoint = env['TURNPIKE_URL'],
    apiKey = env['TURNPIKE_API_KEY'],
    proxy = given.apiKey === undefined ? env['TURNPIKE_PROXY'] : undefined,
  } = given;
  if (!endpoint) throw new TypeError('endpoint is required. Pass it, or set TURNPIKE_URL.');
  if (!apiKey) throw new TypeError('apiKey is required. Pass it, or set TURNPIKE_API_KEY.');
  return { ...given, endpoint, apiKey, proxy: proxy || undefined };
}
