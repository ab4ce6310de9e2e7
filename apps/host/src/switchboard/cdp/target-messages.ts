import type { AttachedTarget } from '../targets.ts';

/** Larger messages are never parsed: what Chromium writes about a target, or to the host, is smaller. */
export const maxParsedBytes = 16 * 2 ** 20;

const attachedPrefix = Buffer.from('{"method":"Target.attachedToTarget",');
const detachedPrefix = Buffer.from('{"method":"Target.detachedFromTarget",');

/** One byte of a message is enough to tell that it is not about a target. */
const methodAt = '{"method":"'.length;
const targetLetter = 'T'.charCodeAt(0);

/** Returns which of the two a message from Chromium is, if any. */
export function targetEvent(bytes: Buffer, start: number, end: number): 'attached' | 'detached' | undefined {
  if (bytes[start + methodAt] !== targetLetter) return undefined;
  if (startsWith(bytes, start, end, attachedPrefix)) return 'attached';
  return startsWith(bytes, start, end, detachedPrefix) ? 'detached' : undefined;
}

/**
 * Reads `Target.attachedToTarget`. Keeps only what is flat: deeply nested values cannot be sent to the host's thread.
 * Throws for what Chromium does not write: somebody has taken the browser over.
 */
export function readAttached(message: Buffer): AttachedTarget {
  const { sessionId, targetInfo, waitingForDebugger } = parseParams(message);
  const info = flat(targetInfo);
  return {
    sessionId: textOf(sessionId),
    waitingForDebugger: waitingForDebugger === true,
    targetInfo: {
      ...info,
      targetId: textOf(info['targetId']),
      type: textOf(info['type']),
      title: textOf(info['title']),
      url: textOf(info['url']),
    },
  };
}

/** Returns the CDP session that `Target.detachedFromTarget` names. Throws like `readAttached`. */
export function readDetached(message: Buffer): string {
  return textOf(parseParams(message)['sessionId']);
}

function parseParams(message: Buffer): Record<string, unknown> {
  if (message.length > maxParsedBytes) throw new Error('The browser sent a target message that is too large');
  const { params } = JSON.parse(message.toString()) as { params?: unknown };
  if (typeof params !== 'object' || params === null) {
    throw new Error('The browser sent a target message without parameters');
  }
  return params as Record<string, unknown>;
}

function flat(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member !== 'object'));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  const prefixEnd = start + prefix.length;
  return end > prefixEnd && bytes.compare(prefix, 0, prefix.length, start, prefixEnd) === 0;
}
