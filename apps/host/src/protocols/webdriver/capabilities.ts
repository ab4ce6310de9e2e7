/** What a client asks for in a new session, as ChromeDriver and the session's own answer need it. */
export interface WantedSession {
  /** The request's body for ChromeDriver. */
  body: object;
  /** Whether the answer has the address for BiDi. */
  webSocketUrl: boolean;
  /** Whether the answer says that downloads can be had. They always can. */
  downloads: boolean;
}

type Capabilities = Record<string, unknown>;

/** What of `goog:chromeOptions` has a meaning for a browser that runs already, and reaches nothing else. */
const keptOptions = ['perfLoggingPrefs', 'windowTypes'];

/** Names of clients from before the standard mean nothing to ChromeDriver, or something else. */
const standardNames = new Set([
  'acceptInsecureCerts',
  'pageLoadStrategy',
  'proxy',
  'strictFileInteractability',
  'timeouts',
  'unhandledPromptBehavior',
  'webSocketUrl',
]);

/** The session decides these: its browser runs already. */
const dropped = new Set(['platformName', 'setWindowRect', 'webSocketUrl', 'proxy']);

/** Names of the one browser that there is. */
const browserNames = new Set(['chrome', 'chromium', 'chrome-headless-shell']);
const anyVersion = new Set(['', 'any', 'latest', 'stable']);

/** Says what is wrong with a request, as the standard's error code and a message. */
export class WrongCapabilities extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the body of a new session. `debuggerAddress` is where ChromeDriver finds the browser; whatever the client says
 * of programs, arguments, extensions or files is left out.
 */
export function readWanted(body: unknown, debuggerAddress: string): WantedSession {
  const { alwaysMatch, firstMatch } = matchesOf(body);
  const all = [alwaysMatch, ...firstMatch];
  for (const capabilities of all) checkProxy(capabilities['proxy']);
  const options = Object.assign({}, ...all.map(chromeOptions).reverse()) as object;
  const some = (name: string) => all.some((capabilities) => capabilities[name] === true);
  return {
    body: {
      capabilities: {
        alwaysMatch: { ...cut(alwaysMatch), 'goog:chromeOptions': { ...options, debuggerAddress } },
        firstMatch: firstMatch.map(cut),
      },
    },
    webSocketUrl: some('webSocketUrl'),
    downloads: some('se:downloadsEnabled'),
  };
}

function matchesOf(body: unknown): { alwaysMatch: Capabilities; firstMatch: Capabilities[] } {
  const { capabilities, desiredCapabilities } = objectOf(body);
  if (isObject(capabilities)) {
    const { alwaysMatch = {}, firstMatch = [{}] } = capabilities;
    if (!isObject(alwaysMatch)) throw invalid('`alwaysMatch` must be an object.');
    if (!Array.isArray(firstMatch) || firstMatch.length === 0 || !firstMatch.every(isObject))
      throw invalid('`firstMatch` must be a list of objects.');
    if (firstMatch.length > maxMatches) throw invalid(`\`firstMatch\` may have ${maxMatches} entries.`);
    return { alwaysMatch, firstMatch };
  }
  if (!isObject(desiredCapabilities)) throw invalid('`capabilities` must be an object.');
  const standard = Object.entries(desiredCapabilities).filter(
    ([name]) => standardNames.has(name) || name.includes(':'),
  );
  return { alwaysMatch: Object.fromEntries(standard), firstMatch: [{}] };
}

const maxMatches = 64;

function cut(capabilities: Capabilities): Capabilities {
  return Object.fromEntries(Object.entries(capabilities).filter(([name, value]) => isKept(name, value)));
}

function isKept(name: string, value: unknown): boolean {
  if (name.includes(':')) return name === 'goog:loggingPrefs';
  if (name === 'browserName') return !(typeof value === 'string' && browserNames.has(value.toLowerCase()));
  if (name === 'browserVersion') return !(typeof value === 'string' && anyVersion.has(value));
  return !dropped.has(name);
}

function chromeOptions(capabilities: Capabilities): Capabilities {
  const options = objectOf(capabilities['goog:chromeOptions']);
  return Object.fromEntries(Object.entries(options).filter(([name]) => keptOptions.includes(name)));
}

/** A session has the proxy that it was created with. Another one must not be lost without a word. */
function checkProxy(proxy: unknown): void {
  const { proxyType } = objectOf(proxy);
  if (proxyType === undefined || proxyType === 'system' || proxyType === 'direct') return;
  throw new WrongCapabilities(
    'session not created',
    "The capability `proxy` cannot be used here. Give the proxy when you create the session: its browser has that one's address only.",
  );
}

function invalid(message: string): WrongCapabilities {
  return new WrongCapabilities('invalid argument', message);
}

export interface SessionAddresses {
  /** The address that the client used, as that of a WebSocket, for example `wss://host:port`. */
  base: string;
  cdpId: string;
}

/** What the client is told of its session: ChromeDriver's answer with the session's own addresses. */
export function describedCapabilities(
  capabilities: Capabilities,
  sessionId: string,
  { webSocketUrl, downloads }: Pick<WantedSession, 'webSocketUrl' | 'downloads'>,
  { base, cdpId }: SessionAddresses,
): Capabilities {
  const { 'goog:chromeOptions': _options, ...rest } = capabilities;
  return {
    ...rest,
    ...(webSocketUrl && { webSocketUrl: `${base}/bidi/${cdpId}/session/${sessionId}` }),
    'se:cdp': `${base}/cdp/${cdpId}`,
    'se:cdpVersion': capabilities['browserVersion'],
    ...(downloads && { 'se:downloadsEnabled': true }),
  };
}

function objectOf(value: unknown): Capabilities {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Capabilities {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
