import { intoFiles } from './download-behavior.ts';
import { type Outline, OutlineError, outlineOf, type Span } from './message-outline.ts';
import { givesFiles, unreachableFile } from './upload-paths.ts';

/** What becomes of a message that a client sent. */
export type Verdict =
  /** For one of the client's own sessions: passes as it is. */
  | { to: 'session'; sessionId: string }
  /** For the session that the connection stands for: passes with that session's id added before `end`. */
  | { to: 'root'; message: Buffer; end: number }
  /** For the browser as a whole, and the host's to do: it knows better. */
  | { to: 'host'; id: number; method: HostMethod; params: object }
  /** Not for the browser: answered here, in Chromium's words. */
  | { to: 'client'; answer: string };

const hostMethods = ['Browser.getVersion', 'Target.createTarget'] as const;
export type HostMethod = (typeof hostMethods)[number];

const quote = 0x22;

/** More than a page's address can have. Past it nothing is made of the parameters of a method that is the host's. */
const maxParamsBytes = 4 * 2 ** 20;

/** Longer than any id, and than any method that is the host's. */
const maxShortBytes = 1000;

export function judge(message: Buffer, owns: (sessionId: string) => boolean): Verdict {
  try {
    return judgeOutline(outlineOf(message), message, owns);
  } catch (error) {
    if (error instanceof OutlineError) return refuse({}, -32700, error.message);
    throw error;
  }
}

/**
 * Chromium answers a malformed message outside any session, where no client would see it: so what it would
 * complain about is found here.
 */
function judgeOutline(outline: Outline, message: Buffer, owns: (sessionId: string) => boolean): Verdict {
  const id = shortValue(message, outline.id);
  if (!Number.isInteger(id)) return refuse({}, -32600, "Message must have integer 'id' property");
  const method = shortValue(message, outline.method);
  if (typeof method !== 'string') return refuse({ id }, -32600, "Message must have string 'method' property");
  if (outline.sessionId === undefined) return judgeRoot(id as number, method, outline.params, message);
  const sessionId = shortValue(message, outline.sessionId);
  if (typeof sessionId !== 'string') {
    return refuse({ id }, -32600, "Message may have string 'sessionId' property");
  }
  if (owns(sessionId)) return { to: 'session', sessionId };
  return refuse({ id }, -32001, 'Session with given id not found.');
}

function judgeRoot(id: number, method: string, params: Span | undefined, message: Buffer): Verdict {
  const asItIs: Verdict = { to: 'root', message, end: message.lastIndexOf('}') };
  const hosts = hostMethods.find((known) => known === method);
  const reword = rewording.get(method);
  const isUpload = givesFiles(method);
  if (!hosts && !reword && !isUpload) return asItIs;
  if (params && params.end - params.start > maxParamsBytes) {
    return refuse({ id }, -32602, `Invalid parameters: more than ${maxParamsBytes} bytes`);
  }
  const value: unknown = params && JSON.parse(message.toString('utf8', params.start, params.end));
  const given = typeof value === 'object' && value !== null ? { ...value } : {};
  if (hosts) return { to: 'host', id, method: hosts, params: given };
  const unreachable = isUpload && unreachableFile(method, given);
  if (unreachable) return refuse({ id }, -32602, unreachable);
  const other = reword?.(given);
  if (!other) return asItIs;
  const reworded = Buffer.from(JSON.stringify({ id, method, params: other }));
  return { to: 'root', message: reworded, end: reworded.length - 1 };
}

/** A string that is too long to matter is some text all the same. */
function shortValue(message: Buffer, span: Span | undefined): unknown {
  if (!span) return undefined;
  if (span.end - span.start <= maxShortBytes) {
    return JSON.parse(message.toString('utf8', span.start, span.end));
  }
  return message[span.start] === quote ? '' : undefined;
}

/** The session's proxy is the only way out, whatever a context asks for: another one could not be reached. */
function behindSessionProxy(params: Record<string, unknown>): object | undefined {
  if (params['proxyServer'] === undefined && params['proxyBypassList'] === undefined) return undefined;
  const { proxyServer: _server, proxyBypassList: _list, ...rest } = params;
  return rest;
}

type Rewording = (params: Record<string, unknown>) => object | undefined;

/** What is passed on with other parameters than the client gave it. */
const rewording: ReadonlyMap<string, Rewording> = new Map<string, Rewording>([
  ...['Browser.setDownloadBehavior', 'Page.setDownloadBehavior'].map((method): [string, Rewording] => [
    method,
    (params) => intoFiles(method, params),
  ]),
  ['Target.createBrowserContext', behindSessionProxy],
]);

function refuse(about: object, code: number, message: string): Verdict {
  return { to: 'client', answer: JSON.stringify({ ...about, error: { code, message } }) };
}
