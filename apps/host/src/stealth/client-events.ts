import type { UncaughtError } from './page-scripts.ts';

/** What `Console.messageAdded` says, as far as it is used. */
export interface ConsoleMessage {
  level: string;
  text: string;
  url?: string;
  /** Counted from 1. */
  line?: number;
  column?: number;
}

/** Tells whoever listens to the console what is missing. */
export const consoleNotice: ConsoleMessage = {
  level: 'warning',
  text: 'Turnpike: this session has stealth=true. Console messages are delivered as text, without their arguments.',
};

/** Takes the place of a message that is too large to be told. */
export const tooLong = (bytes: number): ConsoleMessage => ({
  level: 'log',
  text: `Turnpike: this session has stealth=true. A console message of ${bytes} bytes is not delivered.`,
});

/** Parameters of `Runtime.consoleAPICalled`, without a reference to what was written. */
export function consoleCalled({ level, text, url, line, column }: ConsoleMessage, contextId: number): object {
  const place = { lineNumber: Math.max(0, (line ?? 0) - 1), columnNumber: Math.max(0, (column ?? 0) - 1) };
  return {
    type: level,
    args: [{ type: 'string', value: text }],
    executionContextId: contextId,
    timestamp: Date.now(),
    ...stackAt(url, place),
  };
}

/**
 * Parameters of `Runtime.exceptionThrown`, from what a script in the page has written; undefined if it is unreadable.
 */
export function exceptionThrown(payload: string, exceptionId: number): object | undefined {
  const error = read(payload);
  if (!error) return undefined;
  const { isRejection, url } = error;
  const [lineNumber, columnNumber] = [Math.max(0, error.line - 1), Math.max(0, error.column - 1)];
  return {
    timestamp: Date.now(),
    exceptionDetails: {
      exceptionId,
      text: isRejection ? 'Uncaught (in promise)' : 'Uncaught',
      lineNumber,
      columnNumber,
      ...(url && { url }),
      ...stackAt(url, { lineNumber, columnNumber }),
      exception: thrown(error),
    },
  };
}

/** A stack of one call. Without a place there is none: ChromeDriver ends on a stack without calls. */
function stackAt(url: string | undefined, place: object): object {
  return url ? { stackTrace: { callFrames: [{ functionName: '', scriptId: '0', url, ...place }] } } : {};
}

/** Describes what was thrown (`Runtime.RemoteObject`), without a reference to it. */
function thrown({ message, type, url, line, column }: UncaughtError): object {
  const text = message.replace(/^Uncaught /, '');
  if (type === 'number') {
    const value = Number(text);
    return {
      type,
      ...(Number.isFinite(value) ? { value } : { unserializableValue: text }),
      description: text,
    };
  }
  if (type === 'boolean') return { type, value: text === 'true' };
  if (type === 'string') return { type, value: text };
  if (type !== 'object' && type !== 'function') return { type, description: text };
  const [, className = 'Error'] = /^(\w+)(?::|$)/.exec(text) ?? [];
  const place = url ? `\n    at ${url}:${line}:${column}` : '';
  return { type: 'object', subtype: 'error', className, description: `${text}${place}` };
}

function read(payload: string): UncaughtError | undefined {
  try {
    const { isRejection, message, type, url, line, column } = JSON.parse(payload) as Record<string, unknown>;
    if (typeof message !== 'string' || typeof type !== 'string') return undefined;
    return {
      isRejection: isRejection === true,
      message,
      type,
      url: String(url ?? ''),
      line: Number(line) || 0,
      column: Number(column) || 0,
    };
  } catch {
    return undefined;
  }
}
