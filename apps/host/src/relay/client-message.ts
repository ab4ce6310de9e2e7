import { intoFiles } from './download-behavior.ts';

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

export function judge(message: Buffer, owns: (sessionId: string) => boolean): Verdict {
  let parsed: unknown;
  try {
    parsed = JSON.parse(message.toString());
  } catch {
    return refuse({}, -32700, 'JSON: parse error');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refuse({}, -32700, 'JSON: object expected');
  }
  return judgeParsed(parsed as Record<string, unknown>, message, owns);
}

/**
 * Chromium answers a malformed message outside any session, where no client would see it: so what it would
 * complain about is found here.
 */
function judgeParsed(
  { id, method, params, sessionId }: Record<string, unknown>,
  message: Buffer,
  owns: (sessionId: string) => boolean,
): Verdict {
  if (!Number.isInteger(id)) return refuse({}, -32600, "Message must have integer 'id' property");
  if (typeof method !== 'string') return refuse({ id }, -32600, "Message must have string 'method' property");
  if (sessionId === undefined) {
    const hosts = hostMethods.find((known) => known === method);
    const given = typeof params === 'object' && params !== null ? { ...params } : {};
    const downloads = intoFiles(method, params);
    if (downloads) {
      const reworded = Buffer.from(JSON.stringify({ id, method, params: downloads }));
      return { to: 'root', message: reworded, end: reworded.length - 1 };
    }
    if (hosts) return { to: 'host', id: id as number, method: hosts, params: given };
    return { to: 'root', message, end: message.lastIndexOf('}') };
  }
  if (typeof sessionId !== 'string') {
    return refuse({ id }, -32600, "Message may have string 'sessionId' property");
  }
  if (owns(sessionId)) return { to: 'session', sessionId };
  return refuse({ id }, -32001, 'Session with given id not found.');
}

function refuse(about: object, code: number, message: string): Verdict {
  return { to: 'client', answer: JSON.stringify({ ...about, error: { code, message } }) };
}
