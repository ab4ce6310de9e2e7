import { downloadToFiles, setsDownloadBehavior } from './download-behavior.ts';
import { extensionRefusal } from './extension-commands.ts';
import { edgesOf } from './message-edges.ts';
import { type Outline, OutlineError, outlineOf, type Span } from './message-outline.ts';
import { givesFiles, unreachableFile } from './upload-paths.ts';

/** Where a client's message goes. */
export type MessageRoute =
  /**
   * To one of the client's own CDP sessions, as it is. With `end` it was not read as a whole, and the id is added there
   * once more: the last one counts.
   */
  | { to: 'session'; cdpSessionId: string; end?: number }
  /** To the CDP session that the connection stands for, whose id is added at `end`. `closes`: the target that it closes. */
  | { to: 'root'; message: Buffer; end: number; closes?: string }
  | HostRoute
  | Answer;

/** To the host, which answers in place of the browser. `sessionId`: in one of the client's own CDP sessions. */
export interface HostRoute {
  to: 'host';
  id: number;
  method: HostMethod;
  params: object;
  sessionId?: string;
}

/** Back to the client, with an error in Chromium's words. */
interface Answer {
  to: 'client';
  answer: string;
}

const watcherMethods = ['Browser.getVersion', 'Target.createTarget'] as const;
export type WatcherMethod = (typeof watcherMethods)[number];
/** What is done with contexts that have a proxy of their own. */
const contextMethods = ['Target.createBrowserContext', 'Target.disposeBrowserContext'] as const;
export type ContextMethod = (typeof contextMethods)[number];
export type HostMethod = WatcherMethod | ContextMethod;

/** What a client may do, as far as it depends on what it has. */
export interface ClientRights {
  owns(cdpSessionId: string): boolean;
  /** Says why the client may not have another CDP session; undefined if it may. */
  mayNotAttach(): string | undefined;
  /** Whether clients may load extensions from the session's files. */
  mayLoadExtensions: boolean;
}

type SessionRights = Omit<ClientRights, 'owns'>;

const [quote, closeBrace] = [0x22, 0x7d];

/**
 * Larger messages are not read as a whole: others wait meanwhile. Those that the host has to read are smaller. Others may
 * be larger, such as cookies or the answer to a request.
 */
export const maxReadBytes = 256 * 1024;

/** Longer than any id, and than any method that the host knows. */
const maxShortBytes = 1000;

const errorCodes = {
  parse: -32700,
  request: -32600,
  noMethod: -32601,
  params: -32602,
  server: -32000,
  noSession: -32001,
} as const;

/** Routes a message that the switchboard could not route by its last bytes. */
export function routeMessage(message: Buffer, rights: ClientRights): MessageRoute {
  try {
    return routeOutline(readOutline(message), message, rights);
  } catch (error) {
    if (error instanceof OutlineError) return refuse({}, errorCodes.parse, error.message);
    throw error;
  }
}

/** Reads the outline of a message: for a large one, only of its start and its end. */
function readOutline(message: Buffer): Outline {
  return message.length <= maxReadBytes ? outlineOf(message) : edgesOf(message);
}

/**
 * Changes or answers a message to one of the client's own CDP sessions, where it names files. Whatever else it is, or
 * is wrong with it, passes as it is, unless it is large: Chromium answers in that session.
 */
export function changeSessionMessage(
  message: Buffer,
  rights: SessionRights,
): { to: 'session'; message: Buffer } | HostRoute | Answer {
  const asItIs = { to: 'session', message } as const;
  const named = sessionMessage(message);
  if (!named && message.length > maxReadBytes) return refuse({}, errorCodes.request, unreadable);
  if (!named) return asItIs;
  const { outline, id, method, sessionId } = named;
  const answer = (code: number, reason: string) =>
    ({ to: 'client', answer: errorAnswer({ id }, code, reason, { sessionId }) }) as const;
  const refusal = refusalOf(method, rights);
  if (refusal) return answer(refusal.code, refusal.reason);
  if (message.length > maxReadBytes) {
    const mustBeRead = method === 'Extensions.loadUnpacked' || contextMethod(method) !== undefined;
    return mustBeRead ? answer(errorCodes.params, tooLarge(method)) : asItIs;
  }
  const contexts = contextMethod(method, outline.params, message);
  if (contexts) {
    const params = parseParams(message, outline.params);
    return { to: 'host', id: id as number, method: contexts, params, sessionId };
  }
  const change = changeParams(method, outline.params, message);
  if (change.refusal !== undefined) return answer(errorCodes.params, change.refusal);
  if (!change.params) return asItIs;
  const changed = JSON.stringify({ id, method, params: change.params, sessionId });
  return { to: 'session', message: Buffer.from(changed) };
}

/** An answer in place of the browser's to a message for one of the client's own CDP sessions, if it can be read. */
export function answerSessionMessage(message: Buffer, result: object): string | undefined {
  const named = sessionMessage(message);
  return named && JSON.stringify({ id: named.id, result, sessionId: named.sessionId });
}

interface SessionMessage {
  outline: Outline;
  id: unknown;
  method: string;
  sessionId: string;
}

function sessionMessage(message: Buffer): SessionMessage | undefined {
  let outline: Outline;
  try {
    outline = readOutline(message);
  } catch (error) {
    if (error instanceof OutlineError) return undefined;
    throw error;
  }
  const [id, method, sessionId] = [outline.id, outline.method, outline.sessionId].map((span) =>
    shortValue(message, span),
  );
  if (!Number.isInteger(id) || typeof method !== 'string' || typeof sessionId !== 'string') return undefined;
  return { outline, id, method, sessionId };
}

/** Chromium answers a malformed message outside of any session, where no client sees it. So it is answered here. */
function routeOutline(outline: Outline, message: Buffer, rights: ClientRights): MessageRoute {
  const isLarge = message.length > maxReadBytes;
  const id = shortValue(message, outline.id);
  if (!Number.isInteger(id)) {
    const place = isLarge ? `, and one of more than ${maxReadBytes} bytes at its start or its end` : '';
    return refuse({}, errorCodes.request, `Message must have integer 'id' property${place}`);
  }
  const method = shortValue(message, outline.method);
  if (typeof method !== 'string') {
    const place = isLarge ? ` at its start: it has more than ${maxReadBytes} bytes` : '';
    return refuse({ id }, errorCodes.request, `Message must have string 'method' property${place}`);
  }
  if (outline.sessionId === undefined) {
    const refusal = refusalOf(method, rights);
    if (refusal) return refuse({ id }, refusal.code, refusal.reason);
    return routeToRoot(id as number, method, outline.params, message);
  }
  const cdpSessionId = shortValue(message, outline.sessionId);
  if (typeof cdpSessionId !== 'string') {
    return refuse({ id }, errorCodes.request, "Message may have string 'sessionId' property");
  }
  if (!rights.owns(cdpSessionId))
    return refuse({ id }, errorCodes.noSession, 'Session with given id not found.');
  return { to: 'session', cdpSessionId, ...(isLarge && { end: message.lastIndexOf(closeBrace) }) };
}

function routeToRoot(id: number, method: string, params: Span | undefined, message: Buffer): MessageRoute {
  const isLarge = message.length > maxReadBytes;
  const hostMethod =
    watcherMethods.find((known) => known === method) ??
    contextMethod(method, isLarge ? undefined : params, message);
  const isClose = method === 'Target.closeTarget';
  const asItIs = { to: 'root', message, end: message.lastIndexOf(closeBrace) } as const;
  if (isLarge) {
    if (!hostMethod && !isChanged(method) && !isClose) return asItIs;
    return refuse({ id }, errorCodes.params, tooLarge(method));
  }
  if (hostMethod) return { to: 'host', id, method: hostMethod, params: parseParams(message, params) };
  const change = changeParams(method, params, message);
  if (change.refusal !== undefined) return refuse({ id }, errorCodes.params, change.refusal);
  if (isClose) {
    const { targetId } = parseParams(message, params);
    return { ...asItIs, ...(typeof targetId === 'string' && { closes: targetId }) };
  }
  if (!change.params) return asItIs;
  const changed = Buffer.from(JSON.stringify({ id, method, params: change.params }));
  return { to: 'root', message: changed, end: changed.length - 1 };
}

/** The method, if it is about a context that has or may have a proxy of its own. */
function contextMethod(method: string, params?: Span, message?: Buffer): ContextMethod | undefined {
  const known = contextMethods.find((one) => one === method);
  if (known !== 'Target.createBrowserContext' || !message) return known;
  const { proxyServer } = parseParams(message, params);
  return typeof proxyServer === 'string' && proxyServer !== '' ? known : undefined;
}

/** A large message may have its method where nobody looks for it. */
const unreadable = `Message of more than ${maxReadBytes} bytes must have 'id', 'method' and 'sessionId' at its start or its end`;

const tooLarge = (method: string): string =>
  `Invalid parameters: a ${method} has up to ${maxReadBytes} bytes`;

/** Says why a command is not carried out, whatever its parameters are. */
function refusalOf(method: string, rights: SessionRights): { code: number; reason: string } | undefined {
  if (method.startsWith('Extensions.')) {
    const refusal = extensionRefusal(method, rights.mayLoadExtensions);
    return refusal === undefined ? undefined : { code: errorCodes.noMethod, reason: refusal };
  }
  const reason = method.startsWith('Target.attachTo') ? rights.mayNotAttach() : undefined;
  return reason === undefined ? undefined : { code: errorCodes.server, reason };
}

interface ParamsChange {
  /** Why the message is not passed on. */
  refusal?: string | undefined;
  /** What the parameters become. */
  params?: object | undefined;
}

/** Whether `changeParams` may change or refuse parameters of this method. */
function isChanged(method: string): boolean {
  return givesFiles(method) || setsDownloadBehavior(method) || method === 'Target.createBrowserContext';
}

/** Returns nothing for parameters that pass as they are. */
function changeParams(method: string, span: Span | undefined, message: Buffer): ParamsChange {
  if (!isChanged(method)) return {};
  const params = parseParams(message, span);
  if (givesFiles(method)) return { refusal: unreachableFile(method, params) };
  if (setsDownloadBehavior(method)) return { params: downloadToFiles(method, params) };
  return { params: withSessionProxy(params) };
}

/** Removes what would lead past the session's proxy, in a context that names no proxy of its own. */
function withSessionProxy(params: Record<string, unknown>): object | undefined {
  if (params['proxyServer'] === undefined && params['proxyBypassList'] === undefined) return undefined;
  const { proxyServer: _server, proxyBypassList: _list, ...rest } = params;
  return rest;
}

/** Parameters that are missing or no object count as none. */
function parseParams(message: Buffer, span: Span | undefined): Record<string, unknown> {
  const value: unknown = span && JSON.parse(message.toString('utf8', span.start, span.end));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Parses a short value. A string that is too long to be known is some text all the same. */
function shortValue(message: Buffer, span: Span | undefined): unknown {
  if (!span) return undefined;
  if (span.end - span.start <= maxShortBytes) {
    return JSON.parse(message.toString('utf8', span.start, span.end));
  }
  return message[span.start] === quote ? '' : undefined;
}

function refuse(about: object, code: number, reason: string): Answer {
  return { to: 'client', answer: errorAnswer(about, code, reason) };
}

function errorAnswer(about: object, code: number, message: string, session: object = {}): string {
  return JSON.stringify({ ...about, error: { code, message }, ...session });
}
