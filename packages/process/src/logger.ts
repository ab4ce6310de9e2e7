import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Creates a logger to standard error: JSON lines, or readable text on a terminal. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream & { isTTY?: boolean } = process.stderr,
): Logger {
  const base = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  if (!destination.isTTY) return pino(base, destination);
  return pino(
    base,
    pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'requestId' }),
  );
}
