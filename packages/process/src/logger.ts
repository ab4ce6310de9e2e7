import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { SettingValue } from './settings/setting-table.ts';

/** Creates a logger to standard error: JSON lines, or readable text on a terminal. */
export function createLogger(
  level: NonNullable<SettingValue<'TURNPIKE_LOG_LEVEL'>>,
  destination: DestinationStream & { isTTY?: boolean } = process.stderr,
): Logger {
  const base = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  if (!destination.isTTY) return pino(base, destination);
  return pino(base, { write: (line) => void destination.write(readable(line)) });
}

const common = {
  colorize: !process.env['NO_COLOR'],
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
};
const anyLine = prettyFactory({ ...common, ignore: 'requestId' });
const requestLine = prettyFactory({
  ...common,
  ignore: 'requestId,method,route,status,ms,accountId,userId,operatorToken',
  messageFormat: '{method} {route} {status} {ms} ms',
});

/** Formats a JSON line for people: one line, but for the stack of an error. */
function readable(line: string): string {
  return line.includes('"msg":"request"') ? requestLine(line) : anyLine(line);
}
