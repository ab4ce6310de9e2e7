/** A command as the mapper takes it. */
export interface BidiCommand {
  id: number;
  method: string;
  params: Record<string, unknown>;
  'goog:channel'?: string | undefined;
}

export interface BidiError {
  type: 'error';
  id: number | null;
  error: string;
  message: string;
}

/** Reads a client's message: a command, or the answer to what is none. */
export function readCommand(text: string): BidiCommand | BidiError {
  const message = parsed(text);
  if (!isObject(message)) return invalid(null, 'A message must be a JSON object.');
  const { id, method, params, 'goog:channel': channel } = message;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0)
    return invalid(null, '`id` must be a non-negative integer.');
  if (typeof method !== 'string') return invalid(id, '`method` must be a string.');
  if (!isObject(params)) return invalid(id, '`params` must be an object.');
  if (channel !== undefined && typeof channel !== 'string')
    return invalid(id, '`goog:channel` must be a string.');
  // An empty channel is none.
  return { id, method, params, 'goog:channel': channel === '' ? undefined : channel };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(id: number | null, message: string): BidiError {
  return { type: 'error', id, error: 'invalid argument', message };
}

/** What the mapper answers to `session.new`, with what it does not know itself. */
export function describedSession(result: object, sessionId: string): object {
  const { capabilities } = result as { capabilities: Record<string, unknown> };
  const [, browserVersion] = String(capabilities['browserName']).split('/');
  const { webSocketUrl: _, ...rest } = capabilities;
  return {
    sessionId,
    capabilities: { ...rest, browserName: 'chrome', browserVersion, platformName: 'linux' },
  };
}
