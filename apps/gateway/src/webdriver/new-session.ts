import { isObject } from '../http/json-body.ts';

/** The member of capabilities that is Turnpike's: an API key and the parameters of a create. */
const ownOptions = 'turnpike:options';

export interface AskedSession {
  /** The API key in the capabilities, if it is there. */
  key: string | undefined;
  /** The parameters of the create. */
  options: Record<string, unknown>;
  /** What the driver is asked for: the same without what is ours. */
  body: string;
}

/** Reads the body of WebDriver's New Session. Returns the rule that it breaks. */
export function readNewSession(body: Record<string, unknown>): AskedSession | { rule: string } {
  const { capabilities } = body;
  if (!isObject(capabilities))
    return { rule: 'capabilities must be an object: WebDriver of the W3C is spoken' };
  const { alwaysMatch = {}, firstMatch = [{}] } = capabilities;
  if (!isObject(alwaysMatch)) return { rule: 'alwaysMatch must be an object' };
  if (!Array.isArray(firstMatch) || firstMatch.length === 0 || !firstMatch.every(isObject))
    return { rule: 'firstMatch must be a list of objects' };
  const [first] = firstMatch as [Record<string, unknown>];
  const given = { ...asObject(first[ownOptions]), ...asObject(alwaysMatch[ownOptions]) };
  for (const capability of [alwaysMatch, first]) {
    const options = capability[ownOptions];
    if (options !== undefined && !isObject(options)) return { rule: `${ownOptions} must be an object` };
  }
  const { key, ...others } = given;
  const proxy = others['proxy'] === undefined ? proxyIn({ ...first, ...alwaysMatch }) : undefined;
  if (key !== undefined && typeof key !== 'string') return { rule: `${ownOptions}.key must be a string` };
  return {
    key,
    options: { ...others, ...(proxy !== undefined && { proxy }) },
    body: JSON.stringify({
      capabilities: {
        alwaysMatch: without(alwaysMatch, proxy !== undefined),
        firstMatch: firstMatch.map((each) => without(each, proxy !== undefined)),
      },
    }),
  };
}

/**
 * The standard's capability `proxy` as a create's: one address for everything. Undefined: it is none, or another, which
 * the driver refuses.
 */
function proxyIn({ proxy }: Record<string, unknown>): string | undefined {
  const { proxyType, httpProxy, sslProxy, socksProxy, socksVersion } = asObject(proxy);
  if (proxyType !== 'manual') return undefined;
  if (
    typeof socksProxy === 'string' &&
    socksVersion === 5 &&
    httpProxy === undefined &&
    sslProxy === undefined
  )
    return `socks5://${socksProxy}`;
  const http = httpProxy ?? sslProxy;
  if (typeof http !== 'string' || (sslProxy ?? http) !== http || socksProxy !== undefined) return undefined;
  return `http://${http}`;
}

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function without(
  { [ownOptions]: _, proxy, ...others }: Record<string, unknown>,
  isProxyTaken: boolean,
): Record<string, unknown> {
  return isProxyTaken || proxy === undefined ? others : { ...others, proxy };
}

/** Splits the id of a WebDriver session, which has the session's secret and the driver's own id. */
export function splitDriverId(id: string): { cdpId: string; driverId: string } | undefined {
  const [, cdpId = '', driverId = ''] = /^(br_[0-9a-f]{40})\.([\w-]{1,64})$/.exec(id) ?? [];
  return cdpId === '' ? undefined : { cdpId, driverId };
}

export const joinDriverId = (cdpId: string, driverId: string): string => `${cdpId}.${driverId}`;
