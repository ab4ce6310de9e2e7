import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import { protocolDescription } from '../chromium/protocol-description.ts';
import type { TargetInfo } from '../switchboard/targets.ts';

/** An answer like those of Chromium's DevTools server (content/browser/devtools/devtools_http_handler.cc). */
export interface DiscoveryAnswer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

export interface DiscoverySession {
  readonly browser: Browser;
  readonly applied: {
    readonly version: BrowserVersion;
    openPage(params: { url: string }): Promise<{ targetId: string }>;
  };
}

export interface DiscoveryRequest {
  method: string;
  /** What follows `/json/`, or `list` if nothing does. */
  command: string;
  targetId: string;
  query: string;
  /** The session's public WebSocket URL. */
  base: string;
  /** The program that the session runs. */
  chromium: string;
}

/** A browser that takes longer than this is stopped, or overloaded. */
const answerTimeoutMs = 10_000;

const json = 'application/json; charset=UTF-8';
const jsonAnswer = (status: number, body: string): DiscoveryAnswer => ({ status, type: json, body });
const badMethod = (body: string, methods: readonly string[]): DiscoveryAnswer => ({
  ...jsonAnswer(405, body),
  headers: { allow: methods.join(', '), 'x-error-code': 'METHOD_NOT_ALLOWED' },
});

const readable = new Set(['version', 'list', 'protocol']);

/** Reads what is asked for at a path of Chromium's DevTools server. Returns undefined for a path of another kind. */
export function readDiscovery(
  path: string,
): Pick<DiscoveryRequest, 'command' | 'targetId' | 'query'> | undefined {
  const match = /^\/json(?:\/(\w+)(?:\/([^/?]+))?)?\/?(?:\?(.*))?$/.exec(path);
  if (!match) return undefined;
  const [, command = 'list', targetId = '', query = ''] = match;
  return { command, targetId, query };
}

/** Returns undefined for a path that Chromium does not have. */
export async function answerDiscovery(
  { browser, applied }: DiscoverySession,
  { method, command, targetId, query, base, chromium }: DiscoveryRequest,
): Promise<DiscoveryAnswer | undefined> {
  if (command === 'new') {
    if (method === 'PUT') return pretty(await newTarget({ browser, applied }, query, base));
    const complaint = `Using unsafe HTTP verb ${method} to invoke /json/new. This action supports only PUT verb.`;
    return badMethod(complaint, ['PUT']);
  }
  const isAction = command === 'activate' || command === 'close';
  if (!isAction && (targetId !== '' || !readable.has(command))) return undefined;
  const methods = isAction ? ['GET'] : ['GET', 'HEAD'];
  if (!methods.includes(method))
    return badMethod('Method not allowed. The Allow header names those that are.', methods);
  if (isAction) return act(browser, command, targetId);
  if (command === 'version') return pretty(versionAnswer(applied.version, base));
  if (command === 'list') return pretty(await listing(browser, base));
  const description = await protocolDescription(chromium);
  if (!description)
    return jsonAnswer(500, 'This browser has no description of its protocol. Use one of your own.');
  return { status: 200, type: json, body: description };
}

function pretty(content: object): DiscoveryAnswer {
  return jsonAnswer(200, `${JSON.stringify(content, null, 3)}\n`);
}

function versionAnswer(version: BrowserVersion, base: string): object {
  const webKit = /AppleWebKit\/([\d.]+)/.exec(version.userAgent)?.[1] ?? '';
  return {
    Browser: version.product,
    'Protocol-Version': version.protocolVersion,
    'User-Agent': version.userAgent,
    'V8-Version': version.jsVersion,
    'WebKit-Version': `${webKit} (${version.revision})`,
    webSocketDebuggerUrl: base,
  };
}

const unlisted = new Set(['browser', 'tab', 'browser_ui']);

async function listing(browser: Browser, base: string): Promise<object[]> {
  const targets = await targetsOf(browser);
  return targets.filter(({ type }) => !unlisted.has(type)).map((target) => described(target, base));
}

async function targetsOf({ controller }: Browser): Promise<TargetInfo[]> {
  return (await controller.call('Target.getTargets', {}, { timeoutMs: answerTimeoutMs })).targetInfos;
}

function described({ targetId, type, title, url, parentId }: TargetInfo, base: string): object {
  return {
    description: '',
    id: targetId,
    ...(parentId === undefined ? {} : { parentId }),
    title,
    type,
    url,
    webSocketDebuggerUrl: `${base}/page/${targetId}`,
  };
}

/** Opens the URL that the query begins with, up to the first `&`; a blank page if that is not a URL. */
async function newTarget(
  { browser, applied }: DiscoverySession,
  query: string,
  base: string,
): Promise<object> {
  const [escaped = ''] = query.split('&');
  const url = URL.parse(unescaped(escaped))?.href ?? 'about:blank';
  const { targetId } =
    url === 'about:blank'
      ? await browser.controller.call('Target.createTarget', { url })
      : await applied.openPage({ url });
  return described({ targetId, type: 'page', title: '', url }, base);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function act(
  browser: Browser,
  command: 'activate' | 'close',
  targetId: string,
): Promise<DiscoveryAnswer> {
  const known = (await targetsOf(browser)).some((target) => target.targetId === targetId);
  if (!known) {
    const headers = { 'x-error-code': 'TARGET_NOT_FOUND' };
    return { ...jsonAnswer(404, `No such target id: ${targetId}`), headers };
  }
  const method = command === 'activate' ? 'Target.activateTarget' : 'Target.closeTarget';
  await browser.controller.call(method, { targetId }, { timeoutMs: answerTimeoutMs });
  return jsonAnswer(200, command === 'activate' ? 'Target activated' : 'Target is closing');
}
